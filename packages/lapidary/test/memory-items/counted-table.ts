import { PutItemCommand } from '@aws-sdk/client-dynamodb'
import type { _Record } from '@aws-sdk/client-dynamodb-streams'
import { keyEntry } from '../../src/derived/guarded-write.ts'
import type { SumProjection } from '../../src/derived/sum-projection.ts'
import type { TargetKey } from '../../src/derived/target-key.ts'
import type { Entry } from '../../src/model/entry.ts'
import type { DerivedData } from '../../src/recount/maintenance-options.ts'
import { readCheckpoint } from '../../src/stream/checkpoint.ts'
import { GivenLane } from '../../src/stream/given-lane.ts'
import { createRunner, type RunnerOptions } from '../../src/stream/runner.ts'
import { createShardReader } from '../../src/stream/shard-reader.ts'
import { type StubShard, stubStreams } from '../stream/stub-streams.ts'
import { type MemoryItems, type MemoryItemsOptions, memoryItems } from './memory-items.ts'

/** Counts items of `X` by their value, of each scope in an item of its own; `none` adds nothing, and `bad` ones can't be counted. */
export const values: SumProjection = {
  name: 'values',
  collection: 'X',
  dated: true,
  isItem: ({ PK }) => PK.startsWith('X#'),
  contributions({ v, scope }) {
    if (v?.S === 'bad') throw new TypeError('v is bad')
    if (v?.S === 'none') return []
    return [{ target: { PK: `~values#X#${scope?.S}`, SK: '~' }, amounts: { [`count_${v?.S}`]: 1 } }]
  },
  owns: ({ PK }) => PK.startsWith('~values#X#'),
  partitionOf: (scope) => `~values#X#${scope}`,
  entryOf(_, amounts) {
    const held = Object.entries(amounts).map(([name, amount]) => [name, { N: String(amount) }] as const)
    return held.length === 0 ? undefined : Object.fromEntries(held)
  },
  amountsOf: (entry) =>
    Object.fromEntries(
      Object.entries(entry).flatMap(([name, { N }]) => (/^count_/.test(name) ? [[name, Number(N)]] : [])),
    ),
}

export const itemKey = (id: string): TargetKey => ({ PK: `X#${id}`, SK: '~' })
export const countsKey = (scope: string): TargetKey => ({ PK: `~values#X#${scope}`, SK: '~' })

/** A table in memory with its change stream and what is counted of it. */
export interface CountedTable {
  readonly items: MemoryItems
  readonly derived: DerivedData
  readonly shards: (StubShard & { records: _Record[]; closed?: boolean })[]
  /** Makes or changes an item; removes it where there is no value. */
  write(id: string, v: string | undefined, scope?: string): Promise<void>
  /** Counts everything that is in the stream, as a runner would. */
  count(options?: Partial<RunnerOptions>): Promise<void>
  /** Returns the contents of a scope's counts. */
  counts(scope?: string): Record<string, number>
  /** Puts counts by hand, past the stream. */
  spoil(scope: string, counts: Readonly<Record<string, number>> | undefined): void
}

export const MADE_AT = 1_700_000_000_000

/** @param shardOf The shard in which a write to a partition is told. */
export function countedTable({
  shards: names = ['s'],
  shardOf = () => names[0] ?? '',
  projections = [values],
  clock = Date.now,
  ...options
}: MemoryItemsOptions &
  Partial<Pick<DerivedData, 'projections' | 'clock'>> & {
    readonly shards?: readonly string[]
    readonly shardOf?: (partition: string) => string
  } = {}): CountedTable {
  const shards = names.map((shardId): CountedTable['shards'][number] => ({ shardId, records: [] }))
  let sequence = 1_000
  const description = { LatestStreamArn: 'arn', ItemCount: 7 }
  const items = memoryItems({
    description,
    ...options,
    changed(key, OldImage, NewImage) {
      options.changed?.(key, OldImage, NewImage)
      shards
        .find(({ shardId }) => shardId === shardOf(key.PK))
        ?.records.push({
          dynamodb: {
            ...{ Keys: keyEntry(key), OldImage, NewImage, SequenceNumber: String(sequence++) },
            ApproximateCreationDateTime: new Date(MADE_AT),
          },
        })
    },
  })
  const streams = stubStreams(shards)
  const countsOf = (entry: Entry | undefined): Record<string, number> =>
    Object.fromEntries(Object.entries(values.amountsOf(entry ?? {})).map(([name, amount]) => [name, Number(amount)]))
  return {
    items,
    shards,
    derived: { table: items, streams, projections, clock, now: () => performance.now() },
    async write(id, v, scope = 'a') {
      const Item = { ...keyEntry(itemKey(id)), v: { S: v ?? '' }, scope: { S: scope } }
      if (v === undefined) {
        const before = items.get(itemKey(id))
        items.delete(itemKey(id))
        shards[0]?.records.push({
          dynamodb: {
            ...(before && { OldImage: before }),
            Keys: keyEntry(itemKey(id)),
            SequenceNumber: String(sequence++),
          },
        })
      } else await items.send(new PutItemCommand({ TableName: items.tableName, Item }))
    },
    async count(given = {}) {
      const runner = createRunner({ table: items, projections, ...given })
      for (const shard of shards) {
        const { shardId } = shard
        const { sequenceNumber } = await readCheckpoint(items, shardId)
        const lane = new GivenLane({ runner, shardId, owner: undefined, sequenceNumber })
        const reader = createShardReader({ streams, arn: 'arn', shard: { shardId } }, sequenceNumber)
        const { changes } = await reader.next()
        await lane.count(changes)
      }
    },
    counts: (scope = 'a') => countsOf(items.get(countsKey(scope))),
    spoil(scope, counts) {
      if (counts === undefined) items.delete(countsKey(scope))
      else {
        const held = Object.entries(counts).map(([name, count]) => [name, { N: String(count) }])
        items.put({ ...items.get(countsKey(scope)), ...keyEntry(countsKey(scope)), ...Object.fromEntries(held) })
      }
    },
  }
}
