import { randomUUID } from 'node:crypto'
import { DescribeTableCommand } from '@aws-sdk/client-dynamodb'
import { type CopyFilling, type CopyProjection, type CopyState, isBuilt } from '../derived/copy-projection.ts'
import { keyEntry } from '../derived/guarded-write.ts'
import { isRegistered } from '../derived/projection.ts'
import type { DerivedStates } from '../derived/register/derived-states.ts'
import type { KeptShapes } from '../derived/register/kept-shapes.ts'
import { projectionShape } from '../derived/register/shape.ts'
import type { TargetKey } from '../derived/target-key.ts'
import type { Entry } from '../model/entry.ts'
import { LapidaryError } from '../model/errors.ts'
import { plainKeyOf } from '../model/stored-item.ts'
import { STATE_AGE_MS } from '../pages/sorted-lists.ts'
import {
  checkpointOf,
  clearGap,
  countedShard,
  type FollowedTable,
  followedShard,
  requireRevision,
} from '../stream/checkpoint.ts'
import { isUnreadable, retireEarlierStreams } from '../stream/counted-stream.ts'
import { holdLease } from '../stream/lease.ts'
import { pauseUnless } from '../stream/pause-unless.ts'
import { listShards, streamArn } from '../stream/shards.ts'
import type { StreamsClient } from '../stream/streams-client.ts'
import { createCapacityBudget, withinBudget } from '../table/capacity-budget.ts'
import { scanTable } from '../table/scan-table.ts'
import type { TableClient } from '../table/table-client.ts'
import { writeRequests } from '../table/write-requests.ts'
import type { DerivedData, MaintenanceOptions } from './maintenance-options.ts'
import { ProgressMeter } from './progress-meter.ts'

/** How copies are made anew. */
export interface FillOptions extends MaintenanceOptions {
  /** Only those that are not built, or not to their end; those that are stay as they are. All when not given. */
  readonly missing?: boolean
}

/** What copies are filled from. */
export interface FilledTable extends Pick<DerivedData, 'table' | 'clock' | 'now'> {
  readonly shapes: Pick<KeptShapes, 'beginFilling' | 'markReady' | 'caughtUp'>
  readonly derivedStates: Pick<DerivedStates, 'unknown'>
  streams(): Promise<StreamsClient>
}

/** What a rebuild of copies did. */
export interface CopiesFilled {
  /** Items that are in them, as the scan saw them. */
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
 * Makes copies anew from the items, while they are written to. It can be killed at any moment and run again.
 *
 * @param all Copies that have a `fill`.
 * @throws {LapidaryError} `unprocessable` where one could not take all, once all others are built, `unavailable` when another process does it
 * already, `aborted`.
 */
export async function fillCopies(
  filled: FilledTable,
  all: readonly CopyProjection[],
  options: FillOptions,
): Promise<CopiesFilled> {
  const { table, clock, now, derivedStates } = filled
  const budget = createCapacityBudget(options.capacity ?? Number.POSITIVE_INFINITY, now)
  const lost = new AbortController()
  const signal = options.signal === undefined ? lost.signal : AbortSignal.any([options.signal, lost.signal])
  const lease = { key: LEASE_KEY, owner: randomUUID(), leaseMs: LEASE_MS, clock, signal }
  await using _lease = await holdLease(table, lease, 'the page index', (error) => lost.abort(error))
  const states = await Promise.all(all.map((each) => stateOf(each, derivedStates)))
  // A process that has just seen the change stream followed reads what is uncounted to this one.
  const areBuilt = states.map(isBuilt)
  const chosen = options.missing === true ? all.filter((_, i) => !areBuilt[i]) : all
  if (chosen.length === 0) return { items: 0, capacity: 0 }
  const meter = new ProgressMeter({ onProgress: options.onProgress, now, capacity: () => budget.spent })
  const removedAfterMs = areBuilt.includes(true) ? REMOVED_AFTER_MS : 0
  try {
    meter.enter('scan')
    const { Table } = await table.send(new DescribeTableCommand({ TableName: table.tableName }))
    meter.total = Table?.ItemCount || undefined
    const followers = new Set(all.flatMap(({ apart }) => apart ?? []))
    for (const follower of followers) await retireStreams({ ...table, follower }, filled)
    const keeping = await beginKeeping(filled, chosen.filter(isRegistered))
    const paced = withinBudget(table, budget, FILL_UNITS, signal)
    const fillings = await Promise.all(chosen.map((each) => each.fill?.(paced) as Promise<CopyFilling>))
    const remains = createRemains(paced, fillings, now, removedAfterMs)
    /** By follower the shards of which it has lost records, and how often. */
    const gaps = new Map([...followers].map((follower) => [follower, new Map<string, number>()]))
    let items = 0
    await scanTable({
      ...{ table, budget, signal, segments: options.segments ?? SEGMENTS },
      async onPage(entries) {
        meter.done += entries.length
        remains.see(entries)
        items += entries.filter((entry) => takenBy(chosen, fillings, entry)).length
        for (const { flush } of fillings) await flush(MOST_KEPT)
        for (const [follower, found] of gaps) noteGaps(entries, follower, found)
        keeping.see(entries)
        await remains.remove()
      },
    })
    const failures = await finishEach(fillings)
    await remains.removeLast(signal)
    await keeping.finish()
    // What a store apart has lost of the stream was gone before the scan; copies that are left as they are lack it still.
    for (const [follower, found] of chosen.length === all.length ? gaps : []) {
      for (const [shardId, times] of found) await clearGap({ ...table, follower }, shardId, times, clock())
    }
    for (const failure of failures) throw failure
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

/** Whether a copy holds every item: as its store says, else the register; one of which none knows is taken to. */
export async function stateOf(copy: CopyProjection, states: Pick<DerivedStates, 'unknown'>): Promise<CopyState> {
  if (copy.state !== undefined) return copy.state()
  return (isRegistered(copy) ? await states.unknown(projectionShape(copy)) : undefined) ?? 'ready'
}

/** Whether an entry of the table is an item that gives something to some copy. */
function takenBy(copies: readonly CopyProjection[], fillings: readonly CopyFilling[], entry: Entry): boolean {
  const key = plainKeyOf(entry)
  return copies.filter(({ isItem }, i) => isItem(key) && fillings[i]?.take(entry) === true).length > 0
}

/** Those that could not take all, once all are finished. */
async function finishEach(fillings: readonly CopyFilling[]): Promise<readonly LapidaryError[]> {
  const failures: LapidaryError[] = []
  for (const { flush, finish } of fillings) {
    await flush()
    await finish().catch((error: unknown) => {
      if (!(error instanceof LapidaryError) || error.code !== 'unprocessable') throw error
      failures.push(error)
    })
  }
  return failures
}

/** Who may not read the stream, or has none, makes copies anew all the same: then no process counts. */
async function whereStreamed(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!isUnreadable(error) && !(error instanceof LapidaryError && error.code === 'table_mismatch')) throw error
  }
}

function retireStreams(followed: FollowedTable, { streams, clock }: FilledTable): Promise<void> {
  return whereStreamed(async () => retireEarlierStreams({ table: followed, streams: await streams(), clock }))
}

/** Sees to it that every process keeps what is filled, from before the scan on. */
async function beginKeeping({ table, shapes, streams }: FilledTable, kept: readonly CopyProjection[]) {
  const keptShapes = kept.map(projectionShape)
  const keptSince = await shapes.beginFilling(keptShapes)
  /** Shards that a process which does not keep them may have counted meanwhile: they were not listed. */
  const late = new Set<string>()
  if (kept.length > 0) {
    // From here on no process counts that does not keep what is filled.
    await whereStreamed(async () => {
      for (const { shardId } of await listShards(await streams(), await streamArn(table))) {
        await requireRevision(table, shardId, keptSince)
      }
    })
  }
  return {
    see(entries: readonly Entry[]): void {
      for (const shardId of kept.length === 0 ? [] : countedBefore(entries, keptSince)) late.add(shardId)
    },
    async finish(): Promise<void> {
      for (const shardId of late) await requireRevision(table, shardId, keptSince)
      if (late.size > 0) {
        throw new LapidaryError(
          'unavailable',
          `${[...late].join(', ')} was counted meanwhile by a process that does not keep the page index; run it again`,
        )
      }
      await shapes.markReady(keptShapes, keptSince)
      // They hold what the stream had told of, and more.
      if (kept.length > 0) await shapes.caughtUp()
    },
  }
}

/** What is given up of copies is removed once no process reads it any more. */
function createRemains(table: TableClient, fillings: readonly CopyFilling[], now: () => number, afterMs: number) {
  const removedFrom = now() + afterMs
  let givenUp: TargetKey[] = []
  const removeAll = async (): Promise<void> => {
    const removals = givenUp.map((key) => ({ DeleteRequest: { Key: keyEntry(key) } }))
    givenUp = []
    await writeRequests(table, removals, 'items of an old page index')
  }
  return {
    see(entries: readonly Entry[]): void {
      const keys = entries.map(plainKeyOf)
      givenUp.push(...keys.filter((key) => fillings.some(({ isGivenUp }) => isGivenUp?.(key) === true)))
    },
    async remove(): Promise<void> {
      if (now() >= removedFrom) await removeAll()
    },
    async removeLast(signal: AbortSignal): Promise<void> {
      if (givenUp.length > 0) await pauseUnless(signal, removedFrom - now())
      await removeAll()
    },
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

/** Notes shards of which a store apart has lost records, and how often. */
function noteGaps(entries: readonly Entry[], follower: string, gaps: Map<string, number>): void {
  for (const entry of entries) {
    const shardId = followedShard(plainKeyOf(entry).PK, follower)
    const { gap, gaps: times } = checkpointOf(entry)
    if (shardId !== undefined && gap) gaps.set(shardId, times)
  }
}
