import {
  type AttributeValue,
  BatchGetItemCommand,
  type TransactWriteItem,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb'
import { LapidaryError } from '../model/errors.ts'
import type { Entry } from '../table/entry.ts'
import { jitteredDelay, type TableClient } from '../table/table-client.ts'
import { cancellationCodes } from '../table/transaction.ts'
import { type Change, compareSequenceNumbers } from './change.ts'
import { checkpointMove, readCheckpoint } from './checkpoint.ts'
import { keyEntry } from './guarded-write.ts'
import { setAside } from './poison.ts'
import {
  type Contribution,
  type CountingProjection,
  type NetContribution,
  netContributions,
  type Projection,
  type SettingProjection,
  targetId,
} from './projection.ts'

/** One shard being processed by one owner. */
export interface Lane {
  readonly shardId: string
  /** Who holds the lease; undefined where the platform itself runs one lane for each shard (Lambda). */
  readonly owner: string | undefined
  /** The last sequence number whose derived data is written. */
  sequenceNumber: string | undefined
}

export interface RunnerOptions {
  readonly table: TableClient
  readonly projections: readonly Projection[]
  /** Called for each record that was set aside. */
  readonly onPoison?: (change: Change, error: unknown) => void
}

/** Applies changes to derived data, exactly once each. */
export interface Runner {
  readonly table: TableClient
  /**
   * Writes the derived data of a batch, in sequence order, and moves the lane's checkpoint with it. A batch that was
   * applied before, whole or in part, is applied only from where the checkpoint stands.
   *
   * @throws {LapidaryError} `unavailable` when the lease was lost or DynamoDB keeps refusing; the lane goes on from its
   * checkpoint.
   */
  apply(lane: Lane, changes: readonly Change[]): Promise<void>
  /** Moves the checkpoint over records that change nothing, lest the stream's retention overtake it. */
  advance(lane: Lane, to: string): Promise<void>
}

/** DynamoDB's cap on the items of a transaction, less the checkpoint. */
const MOST_WRITES = 99
const MAX_CONFLICTS = 30
const MAX_POISON_TRIES = 3

export function createRunner({ table, projections, onPoison }: RunnerOptions): Runner {
  const counting = projections.filter((projection) => projection.kind === 'counting')
  const setting = projections.filter((projection) => projection.kind === 'setting')

  async function apply(lane: Lane, changes: readonly Change[]): Promise<void> {
    let rest = pending(lane, changes)
      .map((change) => describe(change, counting))
      .filter((described) => isEffective(described, setting))
    while (rest.length > 0) {
      const chunk = rest.slice(0, chunkLength(rest))
      await applyChunk(lane, chunk)
      rest = rest.filter(({ change }) => isPending(lane, change))
    }
  }

  async function applyChunk(lane: Lane, chunk: readonly DescribedChange[]): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        for (const projection of setting) await projection.apply(chunk.map(({ change }) => change))
        await commit(lane, chunk)
        return
      } catch (error) {
        if (!isRefusal(error)) throw error
        if (chunk.length > 1) return applyChunk(lane, chunk.slice(0, Math.ceil(chunk.length / 2)))
        const [only] = chunk
        if (attempt < MAX_POISON_TRIES || only === undefined) continue
        await commit(lane, [{ change: only.change, contributions: [], poison: error }])
        return
      }
    }
  }

  /** Retries conflicts until the chunk is written, or the checkpoint turns out to have moved: an earlier try's answer was lost. */
  async function commit(lane: Lane, chunk: readonly DescribedChange[]): Promise<void> {
    const last = (chunk.at(-1) as DescribedChange).change.sequenceNumber
    const net = counting.map((projection) => ({ projection, targets: netOf(projection, chunk) }))
    const poisoned = chunk.filter(({ poison }) => poison !== undefined)
    for (let attempt = 1; ; attempt++) {
      const before = await readTargets(net.flatMap(({ targets }) => targets))
      const writes = [
        ...net.flatMap(({ projection, targets }) =>
          targets.flatMap((target) => projection.writes(target, before.get(targetId(target.target)))),
        ),
        ...poisoned.map(({ change, poison }) => setAside(table, lane.shardId, change, poison)),
      ]
      const outcome = await send(lane, writes, last)
      if (outcome === 'written') {
        for (const { change, poison } of poisoned) onPoison?.(change, poison)
        return
      }
      if (outcome === 'moved') return
      if (attempt >= MAX_CONFLICTS)
        throw new LapidaryError(
          'unavailable',
          `other writes kept conflicting with the derived data of ${lane.shardId}; it is tried again from its checkpoint`,
        )
      await table.sleep(jitteredDelay(Math.min(attempt, 4), table.random))
    }
  }

  async function send(
    lane: Lane,
    writes: readonly TransactWriteItem[],
    to: string,
  ): Promise<'written' | 'moved' | 'conflict'> {
    const move = checkpointMove(table, lane.shardId, lane.owner, lane.sequenceNumber, to)
    try {
      await table.send(new TransactWriteItemsCommand({ TransactItems: [move, ...writes] }))
      lane.sequenceNumber = to
      return 'written'
    } catch (error) {
      const canceled = cancellationCodes(error).length > 0
      if (isRefusal(error) || !(canceled || isLostAnswer(error))) throw error
      return (await reload(lane)) ? 'moved' : 'conflict'
    }
  }

  /** Whether the checkpoint is elsewhere than the lane thought. */
  async function reload(lane: Lane): Promise<boolean> {
    const checkpoint = await readCheckpoint(table, lane.shardId)
    if (lane.owner !== undefined && checkpoint.owner !== lane.owner) {
      throw new LapidaryError('unavailable', `the lease of ${lane.shardId} went to ${checkpoint.owner ?? 'nobody'}`)
    }
    const moved = checkpoint.sequenceNumber !== lane.sequenceNumber
    lane.sequenceNumber = checkpoint.sequenceNumber
    return moved
  }

  async function readTargets(targets: readonly NetContribution[]): Promise<Map<string, Entry>> {
    const found = new Map<string, Entry>()
    let keys: Record<string, AttributeValue>[] = targets.map(({ target }) => keyEntry(target))
    for (let attempt = 1; keys.length > 0; attempt++) {
      const { Responses, UnprocessedKeys } = await table.send(
        new BatchGetItemCommand({ RequestItems: { [table.tableName]: { Keys: keys, ConsistentRead: true } } }),
      )
      for (const entry of Responses?.[table.tableName] ?? []) {
        found.set(targetId({ PK: entry.PK?.S ?? '', SK: entry.SK?.S ?? '' }), entry)
      }
      keys = UnprocessedKeys?.[table.tableName]?.Keys ?? []
      if (keys.length > 0) await table.sleep(jitteredDelay(attempt, table.random))
    }
    return found
  }

  return {
    table,
    apply,
    async advance(lane, to) {
      await send(lane, [], to)
    },
  }
}

/** A change with what each projection makes of it, or the reason why none can. */
interface DescribedChange {
  readonly change: Change
  readonly contributions: readonly { readonly projection: CountingProjection; readonly contribution: Contribution }[]
  readonly poison?: unknown
}

function describe(change: Change, counting: readonly CountingProjection[]): DescribedChange {
  try {
    return {
      change,
      contributions: counting.flatMap((projection) =>
        projection.contributions(change).map((contribution) => ({ projection, contribution })),
      ),
    }
  } catch (error) {
    return { change, contributions: [], poison: error }
  }
}

/**
 * Whether a change is any projection's business. The rest is passed over without a commit: checkpoints are in the stream
 * too, and would beget each other.
 */
function isEffective(
  { change, contributions, poison }: DescribedChange,
  setting: readonly SettingProjection[],
): boolean {
  return contributions.length > 0 || poison !== undefined || setting.some((projection) => projection.concerns(change))
}

function netOf(projection: CountingProjection, chunk: readonly DescribedChange[]): readonly NetContribution[] {
  return netContributions(
    chunk.flatMap(({ change, contributions }) =>
      contributions
        .filter((each) => each.projection === projection)
        .map(({ contribution }) => ({ contribution, at: change.at })),
    ),
  )
}

/** As many changes from the start as fit into one transaction, at least one. */
function chunkLength(changes: readonly DescribedChange[]): number {
  const targets = new Set<string>()
  let writes = 0
  for (const [i, { contributions, poison }] of changes.entries()) {
    if (poison !== undefined) writes += 1
    for (const { projection, contribution } of contributions) {
      const id = `${projection.name}\u0000${targetId(contribution.target)}`
      if (!targets.has(id)) writes += projection.writesPerTarget
      targets.add(id)
    }
    if (writes > MOST_WRITES) return Math.max(1, i)
  }
  return changes.length
}

function pending(lane: Lane, changes: readonly Change[]): readonly Change[] {
  return changes.filter((change) => isPending(lane, change))
}

function isPending({ sequenceNumber }: Lane, change: Pick<Change, 'sequenceNumber'>): boolean {
  return sequenceNumber === undefined || compareSequenceNumbers(change.sequenceNumber, sequenceNumber) > 0
}

/** DynamoDB will not take this write, however often it is tried. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return error.name === 'ValidationException' || cancellationCodes(error).includes('ValidationError')
}

/** The write may have been done although no answer came. */
function isLostAnswer(error: unknown): boolean {
  return error instanceof LapidaryError ? error.code === 'unavailable' : error instanceof Error && 'code' in error
}
