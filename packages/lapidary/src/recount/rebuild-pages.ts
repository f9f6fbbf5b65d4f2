import { randomUUID } from 'node:crypto'
import { BatchWriteItemCommand, DescribeTableCommand, type WriteRequest } from '@aws-sdk/client-dynamodb'
import { keyEntry } from '../derived/guarded-write.ts'
import type { TargetKey } from '../derived/projection.ts'
import type { Entry } from '../model/entry.ts'
import { LapidaryError } from '../model/errors.ts'
import { isItemKey } from '../model/stored-item.ts'
import type { CollectionContext } from '../operations/context.ts'
import type { ListEntry, ListsFilling } from '../pages/sorted-lists.ts'
import { checkpointOf, clearGap, followedShard } from '../stream/checkpoint.ts'
import { apartOf } from '../stream/followers.ts'
import { holdLease } from '../stream/lease.ts'
import { Again, retrying } from '../table/retrying.ts'
import type { TableClient } from '../table/table-client.ts'
import { createCapacityBudget, withinBudget } from './capacity-budget.ts'
import type { DerivedData, MaintenanceOptions } from './maintenance-options.ts'
import { ProgressMeter } from './progress-meter.ts'
import { scanTable } from './scan-table.ts'

/** What a rebuild of the page index did. */
export interface PagesRebuilt {
  /** Items that are in it, as the scan saw them. */
  readonly items: number
  /** Capacity units that it took. */
  readonly capacity: number
}

const LEASE_KEY = { PK: '~MAINTENANCE', SK: 'pages' } as const
const LEASE_MS = 6_000
const SEGMENTS = 2
/** Entries that are kept to be sorted: the more, the fewer nodes of a tree are written more than once. */
const MOST_KEPT = 50_000
const BATCH = 25
const MOST_TRIES = 10
/** Units of a transaction that fills leaves. */
const FILL_UNITS = 100

/**
 * Makes the page index of every collection anew from its items, while they are written to. Until it is done, pages are read by
 * cursor only. It can be killed at any moment and run again.
 *
 * @throws {LapidaryError} `not_implemented` without a page index, `unavailable` when another process does it already, `aborted`.
 */
export async function rebuildPages(
  { table, clock, now }: Pick<DerivedData, 'table' | 'clock' | 'now'>,
  contexts: readonly CollectionContext[],
  options: MaintenanceOptions,
): Promise<PagesRebuilt> {
  const indexed = contexts.filter(({ pages }) => pages !== undefined)
  if (indexed.length === 0)
    throw new LapidaryError('not_implemented', 'there is no page index; say `derived: { pages }`')
  const budget = createCapacityBudget(options.capacity ?? Number.POSITIVE_INFINITY, now)
  const lost = new AbortController()
  const signal = options.signal === undefined ? lost.signal : AbortSignal.any([options.signal, lost.signal])
  const lease = { key: LEASE_KEY, owner: randomUUID(), leaseMs: LEASE_MS, clock }
  await using _lease = await holdLease(table, lease, 'the page index', (error) => lost.abort(error))
  const meter = new ProgressMeter({ onProgress: options.onProgress, now, capacity: () => budget.spent })
  try {
    meter.enter('scan')
    const { Table } = await table.send(new DescribeTableCommand({ TableName: table.tableName }))
    meter.total = Table?.ItemCount || undefined
    const paced = withinBudget(table, budget, FILL_UNITS, signal)
    const copies = indexed.flatMap(({ pages }) => (pages === undefined ? [] : [pages.copy]))
    const follower = apartOf({ projections: [], copies })?.follower
    const gaps = new Map<string, number>()
    const fillings = await Promise.all(indexed.map((context) => beginFilling(context, paced)))
    await scanTable({
      ...{ table, budget, signal, segments: options.segments ?? SEGMENTS },
      async onPage(entries) {
        meter.done += entries.length
        const givenUp = entries.map(keyOf).filter((key) => fillings.some(({ isGivenUp }) => isGivenUp(key)))
        for (const filling of fillings) await filling.take(entries)
        for (const [shardId, times] of gapsIn(entries, follower)) gaps.set(shardId, times)
        await removeAll(paced, givenUp)
      },
    })
    for (const { finish } of fillings) await finish()
    // What a store apart has lost of the stream was gone before the scan.
    for (const [shardId, times] of gaps) await clearGap({ ...table, follower }, shardId, times)
    return { items: fillings.reduce((sum, { items }) => sum + items(), 0), capacity: Math.round(budget.spent) }
  } catch (error) {
    if (options.signal?.aborted === true) {
      throw new LapidaryError('aborted', 'it was stopped; run it again to begin anew', { cause: error })
    }
    throw lost.signal.aborted ? lost.signal.reason : error
  } finally {
    meter.stop()
  }
}

interface CollectionFilling extends Pick<ListsFilling, 'isGivenUp' | 'finish'> {
  /** Keeps the items of the collection, and adds them when there are many. */
  take(entries: readonly Entry[]): Promise<void>
  items(): number
}

async function beginFilling({ collection, pages }: CollectionContext, table: TableClient): Promise<CollectionFilling> {
  if (pages === undefined) throw new TypeError(`${collection.name} has no page index`)
  const filling = await pages.listsThrough(table).fill()
  let kept: ListEntry[] = []
  let items = 0
  const flush = async (): Promise<void> => {
    const entries = kept
    kept = []
    await filling.add(entries)
  }
  return {
    isGivenUp: (key) => filling.isGivenUp(key),
    items: () => items,
    async take(entries) {
      for (const entry of entries) {
        if (!isItemKey(collection, keyOf(entry))) continue
        const listed = pages.entryOf(entry)
        if (listed === undefined) continue
        kept.push(listed)
        items++
      }
      if (kept.length >= MOST_KEPT) await flush()
    },
    async finish() {
      await flush()
      await filling.finish()
    },
  }
}

/** Shards of which a store apart has lost records, and how often. */
function gapsIn(
  entries: readonly Entry[],
  follower: string | undefined,
): readonly (readonly [shardId: string, times: number])[] {
  return entries.flatMap((entry) => {
    const shardId = follower === undefined ? undefined : followedShard(keyOf(entry).PK, follower)
    const { gap, gaps } = checkpointOf(entry)
    return shardId === undefined || !gap ? [] : [[shardId, gaps] as const]
  })
}

async function removeAll(table: TableClient, keys: readonly TargetKey[]): Promise<void> {
  const gaveUp = (): never => {
    throw new LapidaryError(
      'unavailable',
      `DynamoDB left items of an old page index unwritten ${MOST_TRIES} times; run it again`,
    )
  }
  for (let i = 0; i < keys.length; i += BATCH) {
    let left: WriteRequest[] = keys.slice(i, i + BATCH).map((key) => ({ DeleteRequest: { Key: keyEntry(key) } }))
    await retrying<void>(table, { most: MOST_TRIES, gaveUp }, async () => {
      const RequestItems = { [table.tableName]: left }
      const { UnprocessedItems } = await table.send(
        new BatchWriteItemCommand({ RequestItems, ReturnConsumedCapacity: 'TOTAL' }),
      )
      left = UnprocessedItems?.[table.tableName] ?? []
      return left.length === 0 ? undefined : new Again()
    })
  }
}

function keyOf({ PK, SK }: Entry): TargetKey {
  return { PK: PK?.S ?? '', SK: SK?.S ?? '' }
}
