import { randomUUID } from 'node:crypto'
import { DescribeTableCommand } from '@aws-sdk/client-dynamodb'
import { keyEntry } from '../../derived/guarded-write.ts'
import type { TargetKey } from '../../derived/projection.ts'
import type { KeptShapes } from '../../derived/register/kept-shapes.ts'
import type { Collection } from '../../model/collection.ts'
import type { Entry } from '../../model/entry.ts'
import { LapidaryError } from '../../model/errors.ts'
import { isItemKey, plainKeyOf } from '../../model/stored-item.ts'
import type { CollectionContext } from '../../operations/context.ts'
import { isBuilt, type PageIndex } from '../../pages/page-index.ts'
import { type ListEntry, type ListsFilling, STATE_AGE_MS } from '../../pages/sorted-lists.ts'
import {
  checkpointOf,
  clearGap,
  countedShard,
  type FollowedTable,
  followedShard,
  requireRevision,
} from '../../stream/checkpoint.ts'
import { isUnreadable, retireEarlierStreams } from '../../stream/counted-stream.ts'
import { holdLease } from '../../stream/lease.ts'
import { pauseUnless } from '../../stream/pause-unless.ts'
import { listShards, streamArn } from '../../stream/shards.ts'
import type { StreamsClient } from '../../stream/streams-client.ts'
import { createCapacityBudget, withinBudget } from '../../table/capacity-budget.ts'
import { scanTable } from '../../table/scan-table.ts'
import type { TableClient } from '../../table/table-client.ts'
import { writeRequests } from '../../table/write-requests.ts'
import type { DerivedData, MaintenanceOptions } from '../maintenance-options.ts'
import { ProgressMeter } from '../progress-meter.ts'

/** How page indexes are made anew. */
export interface RebuildPagesOptions extends MaintenanceOptions {
  /** Only those that are not built, or not to their end; those that are stay as they are. All when not given. */
  readonly missing?: boolean
}

interface RebuiltTable extends Pick<DerivedData, 'table' | 'clock' | 'now'> {
  readonly shapes: Pick<KeptShapes, 'beginFilling' | 'markReady' | 'caughtUp'>
  streams(): Promise<StreamsClient>
}

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
/** Units of a transaction that fills leaves. */
const FILL_UNITS = 100
/** A look-up that began with the state of before may be under way for some time. */
const REMOVED_AFTER_MS = STATE_AGE_MS + 1_000

/**
 * Makes the page indexes of every collection anew from its items, while they are written to. Until it is done, their pages are read by
 * cursor only. It can be killed at any moment and run again.
 *
 * @throws {LapidaryError} `not_implemented` without a page index, `unprocessable` where a scope has more lists than the
 * store can name, once all others are built, `unavailable` when another process does it already, `aborted`.
 */
export async function rebuildPages(
  { table, shapes, streams, clock, now }: RebuiltTable,
  contexts: readonly CollectionContext[],
  options: RebuildPagesOptions,
): Promise<PagesRebuilt> {
  const all = contexts.flatMap(({ collection, pages }) => pages.map((index) => ({ collection, index })))
  if (all.length === 0) throw new LapidaryError('not_implemented', 'there is no page index; say `derived: { pages }`')
  const budget = createCapacityBudget(options.capacity ?? Number.POSITIVE_INFINITY, now)
  const lost = new AbortController()
  const signal = options.signal === undefined ? lost.signal : AbortSignal.any([options.signal, lost.signal])
  const lease = { key: LEASE_KEY, owner: randomUUID(), leaseMs: LEASE_MS, clock, signal }
  await using _lease = await holdLease(table, lease, 'the page index', (error) => lost.abort(error))
  const states = await Promise.all(all.map(({ index }) => index.state()))
  // A process that has just seen the change stream followed reads what is uncounted to this one.
  const areBuilt = states.map(isBuilt)
  const chosen = options.missing === true ? all.filter((_, i) => !areBuilt[i]) : all
  if (chosen.length === 0) return { items: 0, capacity: 0 }
  const meter = new ProgressMeter({ onProgress: options.onProgress, now, capacity: () => budget.spent })
  try {
    meter.enter('scan')
    const { Table } = await table.send(new DescribeTableCommand({ TableName: table.tableName }))
    meter.total = Table?.ItemCount || undefined
    const paced = withinBudget(table, budget, FILL_UNITS, signal)
    const follower = all[0]?.index.copy.apart
    const followed: FollowedTable = { ...table, follower }
    if (follower !== undefined) {
      await retireEarlierStreams({ table: followed, streams: await streams(), clock }).catch((error: unknown) => {
        // Who may not read the stream, or has none, makes the lists anew all the same.
        if (!isUnreadable(error) && !(error instanceof LapidaryError && error.code === 'table_mismatch')) throw error
      })
    }
    const gaps = new Map<string, number>()
    const kept = chosen.filter(({ index }) => index.isInTable).map(({ index }) => index.shape)
    const keptSince = await shapes.beginFilling(kept)
    if (kept.length > 0) await raiseListed(table, await streams(), keptSince)
    /** Shards that a process which does not keep them may have counted meanwhile: they were not listed. */
    const late = new Set<string>()
    const fillings = await Promise.all(chosen.map((each) => beginFilling(each, paced)))
    const removedFrom = now() + (areBuilt.includes(true) ? REMOVED_AFTER_MS : 0)
    let givenUp: TargetKey[] = []
    const removeGivenUp = async (): Promise<void> => {
      const removals = givenUp.map((key) => ({ DeleteRequest: { Key: keyEntry(key) } }))
      givenUp = []
      await writeRequests(paced, removals, 'items of an old page index')
    }
    let items = 0
    await scanTable({
      ...{ table, budget, signal, segments: options.segments ?? SEGMENTS },
      async onPage(entries) {
        meter.done += entries.length
        givenUp.push(...entries.map(plainKeyOf).filter((key) => fillings.some(({ isGivenUp }) => isGivenUp(key))))
        for (const entry of entries) if (fillings.filter(({ take }) => take(entry)).length > 0) items++
        for (const { flush } of fillings) await flush(MOST_KEPT)
        for (const [shardId, times] of gapsIn(entries, follower)) gaps.set(shardId, times)
        for (const shardId of kept.length === 0 ? [] : countedBefore(entries, keptSince)) late.add(shardId)
        if (now() >= removedFrom) await removeGivenUp()
      },
    })
    for (const { flush, finish } of fillings) {
      await flush()
      await finish()
    }
    if (givenUp.length > 0) await pauseUnless(signal, removedFrom - now())
    await removeGivenUp()
    if (late.size > 0) {
      for (const shardId of late) await requireRevision(table, shardId, keptSince)
      throw new LapidaryError(
        'unavailable',
        `${[...late].join(', ')} was counted meanwhile by a process that does not keep the page index; run it again`,
      )
    }
    await shapes.markReady(kept, keptSince)
    // They hold what the stream had told of, and more.
    if (kept.length > 0) await shapes.caughtUp()
    // What a store apart has lost of the stream was gone before the scan; lists that are left as they are lack it still.
    if (chosen.length === all.length) {
      for (const [shardId, times] of gaps) await clearGap(followed, shardId, times, clock())
    }
    for (const { index } of chosen) {
      const full = await index.lists.full?.()
      if (full !== undefined) throw new LapidaryError('unprocessable', full)
    }
    return { items, capacity: Math.round(budget.spent) }
  } catch (error) {
    if (options.signal?.aborted === true) {
      throw new LapidaryError('aborted', 'it was stopped; run it again to begin anew', { cause: error })
    }
    throw lost.signal.aborted ? lost.signal.reason : error
  } finally {
    meter.stop()
  }
}

/** From here on no process counts that does not keep what is filled. */
async function raiseListed(table: TableClient, streams: StreamsClient, keptSince: number): Promise<void> {
  try {
    for (const { shardId } of await listShards(streams, await streamArn(table))) {
      await requireRevision(table, shardId, keptSince)
    }
  } catch (error) {
    // Where there is no stream no process counts.
    if (!isUnreadable(error) && !(error instanceof LapidaryError && error.code === 'table_mismatch')) throw error
  }
}

/** Shards that a scan saw counted by an earlier revision of the register. */
function countedBefore(entries: readonly Entry[], keptSince: number): readonly string[] {
  return entries.flatMap((entry) => {
    const shardId = countedShard(plainKeyOf(entry).PK)
    const { register, finished } = checkpointOf(entry)
    return shardId === undefined || finished || register >= keptSince ? [] : [shardId]
  })
}

interface IndexFilling extends ListsFilling {
  /** Keeps the entries of an item, to be added when there are many. False for an item that has none. */
  take(item: Entry): boolean
  /** Adds what is kept, where that is so much or more. */
  flush(least?: number): Promise<void>
}

async function beginFilling(
  { collection, index }: { readonly collection: Collection; readonly index: PageIndex },
  table: TableClient,
): Promise<IndexFilling> {
  const filling = await index.listsThrough(table).fill()
  let kept: ListEntry[] = []
  return {
    ...filling,
    take(item) {
      const listed = isItemKey(collection, plainKeyOf(item)) ? index.entriesOf(item) : []
      kept.push(...listed)
      return listed.length > 0
    },
    async flush(least = 0) {
      if (kept.length < least) return
      const entries = kept
      kept = []
      await filling.add(entries)
    },
  }
}

/** Shards of which a store apart has lost records, and how often. */
function gapsIn(
  entries: readonly Entry[],
  follower: string | undefined,
): readonly (readonly [shardId: string, times: number])[] {
  return entries.flatMap((entry) => {
    const shardId = follower === undefined ? undefined : followedShard(plainKeyOf(entry).PK, follower)
    const { gap, gaps } = checkpointOf(entry)
    return shardId === undefined || !gap ? [] : [[shardId, gaps] as const]
  })
}
