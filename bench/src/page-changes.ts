import type { AttributeValue, DynamoDBClient, TransactWriteItemsCommandInput } from '@aws-sdk/client-dynamodb'
import type { ListChange, ListEntry, ListStep } from 'lapidary'
import type { Random } from './random.ts'

/** Changes of lists as one shard of the stream tells them. */
export interface TreeChanges {
  readonly shardId: string
  readonly changes: readonly ListChange[]
}

/** A comment each second, all newer than those that are there. */
export function newest(entries: readonly ListEntry[], count: number): TreeChanges {
  const last = entries.at(-1) as ListEntry
  return changesOf(
    'newest',
    Array.from({ length: count }, (_, i) => [
      {
        op: 'add',
        ...last,
        cell: cellAt(entries, i),
        place: { score: last.place.score + (i + 1) * 1_000, member: `new-${i}` },
      },
    ]),
  )
}

/** Of ten changes nine are new comments; of the others half change a rating, and half delete. */
export function lifelike(entries: readonly ListEntry[], count: number, random: Random): TreeChanges {
  const last = entries.at(-1) as ListEntry
  const score = last.place.score + 10_000_000
  return changesOf(
    'lifelike',
    Array.from({ length: count }, (_, i) => {
      const old = entries[Math.floor(random() * entries.length)] as ListEntry
      if (i % 10 === 0) return moved(old, cellAt(entries, i))
      if (i % 10 === 5 && i % 20 === 5) return [{ op: 'remove', ...old }]
      return [
        { op: 'add', ...last, cell: cellAt(entries, i), place: { score: score + i * 1_000, member: `like-${i}` } },
      ]
    }),
  )
}

/** Comments whose times are spread over all of the list, as an import has them. */
export function anywhere(entries: readonly ListEntry[], count: number, random: Random): TreeChanges {
  return changesOf(
    'anywhere',
    Array.from({ length: count }, (_, i) => {
      const near = entries[Math.floor(random() * entries.length)] as ListEntry
      return [{ op: 'add', ...near, place: { score: near.place.score + 1, member: `any-${i}` } }]
    }),
  )
}

function moved(entry: ListEntry, cell: string): readonly ListStep[] {
  return [
    { op: 'remove', ...entry },
    { op: 'add', ...entry, cell },
  ]
}

function cellAt(entries: readonly ListEntry[], i: number): string {
  return entries[(i * 7919) % entries.length]?.cell ?? ''
}

function changesOf(shardId: string, steps: readonly (readonly ListStep[])[]): TreeChanges {
  return { shardId, changes: steps.map((each, i) => ({ sequenceNumber: String(1e9 + i), steps: each })) }
}

/** Write units of the transactions that a client sends. */
export interface TreeUnits {
  readonly units: number
  readonly transactions: number
}

const UNIT_BYTES = 1024
/** Of a transaction: each write takes twice what it would alone. */
const TRANSACTED = 2

/** Counts what transactions cost by DynamoDB's rule: a unit for each KB, and twice that in a transaction. */
export function countTreeUnits(client: DynamoDBClient): TreeUnits {
  const counted = { units: 0, transactions: 0 }
  client.middlewareStack.add(
    (next, context) => async (args) => {
      if (context.commandName === 'TransactWriteItemsCommand') {
        const { TransactItems = [] } = args.input as TransactWriteItemsCommandInput
        counted.transactions += 1
        for (const { Put } of TransactItems) {
          counted.units += TRANSACTED * Math.ceil((Put?.Item === undefined ? 1 : bytesOf(Put.Item)) / UNIT_BYTES)
        }
      }
      return next(args)
    },
    { step: 'initialize' },
  )
  return counted
}

/** Bytes of an item, by DynamoDB's rule. */
export function bytesOf(item: Readonly<Record<string, AttributeValue>>): number {
  let bytes = 0
  for (const [name, { S, N, B, L = [] }] of Object.entries(item)) {
    bytes += Buffer.byteLength(name) + Buffer.byteLength(S ?? '') + (B?.byteLength ?? 0)
    bytes += N === undefined ? 0 : Math.ceil(N.length / 2) + 1
    bytes += L.reduce((sum, each) => sum + 1 + Buffer.byteLength(each.S ?? ''), 0)
  }
  return bytes
}
