import {
  BatchGetItemCommand,
  type BatchGetItemCommandOutput,
  GetItemCommand,
  type GetItemCommandOutput,
  QueryCommand,
  ScanCommand,
} from '@aws-sdk/client-dynamodb'
import type { _Record } from '@aws-sdk/client-dynamodb-streams'
import type { Entry } from 'lapidary'
import type { StreamWorld } from './shard-log.ts'

interface PastImage {
  readonly before: Entry | undefined
  readonly changedAt: number
}

/** The images of items a moment ago, for reads that are eventually consistent. */
export interface PastImages {
  keep(record: _Record): void
  /** Tells whether the answer to a command may be an earlier one. */
  mayBeStale(command: object): boolean
  /** Returns the answer of a replica that is behind. */
  behind(command: object, answer: unknown): unknown
}

export function createPastImages(world: StreamWorld): PastImages {
  const past = new Map<string, PastImage[]>()

  /** Returns the item as it was; the given one when it has not changed since. */
  function asOf(time: number, key: Entry, now: Entry | undefined): Entry | undefined {
    const change = past.get(itemId(key))?.find(({ changedAt }) => changedAt > time)
    if (change === undefined) return now
    world.note('stale')
    return change.before
  }

  function someTimeAgo(): number {
    return world.seconds() - world.random() * world.behaviour.staleSeconds
  }

  return {
    keep({ dynamodb: { Keys = {}, OldImage } = {} }) {
      const { staleSeconds } = world.behaviour
      if (staleSeconds === 0) return
      const changedAt = world.seconds()
      const recent = (past.get(itemId(Keys as Entry)) ?? []).filter(
        (image) => image.changedAt + staleSeconds > changedAt,
      )
      past.set(itemId(Keys as Entry), [...recent, { before: OldImage as Entry | undefined, changedAt }])
    },
    mayBeStale: (command) => world.behaviour.staleSeconds > 0 && isEventual(command),
    behind(command, answer) {
      const time = someTimeAgo()
      if (command instanceof GetItemCommand) {
        const { Item, ...rest } = answer as GetItemCommandOutput
        const then = asOf(time, command.input.Key ?? {}, Item)
        return then === undefined ? rest : { ...rest, Item: then }
      }
      if (command instanceof BatchGetItemCommand) {
        const { Responses = {}, ...rest } = answer as BatchGetItemCommandOutput
        const entries = Object.entries(Responses).map(([table, items]) => {
          const keys = command.input.RequestItems?.[table]?.Keys ?? []
          const unread = new Set((rest.UnprocessedKeys?.[table]?.Keys ?? []).map(itemId))
          const then = keys
            .filter((key) => !unread.has(itemId(key)))
            .map((key) =>
              asOf(
                time,
                key,
                items.find((item) => itemId(item) === itemId(key)),
              ),
            )
          return [table, then.filter((item) => item !== undefined)]
        })
        return { ...rest, Responses: Object.fromEntries(entries) }
      }
      // An entry that has left a list is not brought back, nor moved to where it was: that would take the whole list.
      const { Items = [], ...rest } = answer as { readonly Items?: readonly Entry[] }
      const isOfIndex = command instanceof QueryCommand && command.input.IndexName !== undefined
      const then = Items.map((item) => {
        const before = asOf(time, item, item)
        return before !== undefined && isOfIndex ? item : before
      })
      return { ...rest, Items: then.filter((item) => item !== undefined) }
    },
  }
}

/**
 * Tells whether a read is eventually consistent; reads of indexes always are (Developer Guide, DynamoDB read consistency). A projected image is
 * left alone.
 */
function isEventual(command: object): boolean {
  if (command instanceof BatchGetItemCommand) {
    const requests = Object.values(command.input.RequestItems ?? {})
    return requests.every(
      ({ ConsistentRead, ProjectionExpression }) => ConsistentRead !== true && ProjectionExpression === undefined,
    )
  }
  const isRead = command instanceof GetItemCommand || command instanceof QueryCommand || command instanceof ScanCommand
  return isRead && command.input.ConsistentRead !== true && command.input.ProjectionExpression === undefined
}

function itemId({ PK, SK }: Entry): string {
  return JSON.stringify([PK?.S, SK?.S])
}
