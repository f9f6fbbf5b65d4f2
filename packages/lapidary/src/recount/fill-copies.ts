import { randomUUID } from 'node:crypto'
import { DescribeTableCommand } from '@aws-sdk/client-dynamodb'
import { type CopyFilling, type CopyProjection, isBuilt } from '../derived/copy-projection.ts'
import { keyEntry } from '../derived/guarded-write.ts'
import { isRegistered, type Projection } from '../derived/projection.ts'
import { type DerivedStates, stateOf } from '../derived/register/derived-states.ts'
import type { KeptShapes } from '../derived/register/kept-shapes.ts'
import { projectionShape } from '../derived/register/shape.ts'
import type { TargetKey } from '../derived/target-key.ts'
import type { Entry } from '../model/entry.ts'
import { LapidaryError } from '../model/errors.ts'
import { plainKeyOf } from '../model/stored-item.ts'
import { PAGES } from '../pages/keep-pages.ts'
import { STATE_AGE_MS } from '../pages/sorted-lists.ts'
import { retireEarlierStreams } from '../stream/counted-stream.ts'
import { holdLease } from '../stream/lease.ts'
import { pauseUnless } from '../stream/pause-unless.ts'
import type { StreamsClient } from '../stream/streams-client.ts'
import { createCapacityBudget, withinBudget } from '../table/capacity-budget.ts'
import { scanTable } from '../table/scan-table.ts'
import type { TableClient } from '../table/table-client.ts'
import { writeRequests } from '../table/write-requests.ts'
import { keepSince, whereStreamed } from './kept-since.ts'
import type { DerivedData, MaintenanceOptions } from './maintenance-options.ts'
import type { MendOptions } from './mend.ts'
import { ProgressMeter } from './progress-meter.ts'
import { StoreGaps } from './store-gaps.ts'

/** How copies are made anew. */
export interface FillOptions extends MaintenanceOptions {
  /** Only those that are not built, or not to their end; those that are stay as they are. All when not given. */
  readonly missing?: boolean
}

/** What copies are filled from. */
export interface FilledTable extends Pick<DerivedData, 'table' | 'clock' | 'now'> {
  readonly shapes: Pick<KeptShapes, 'doubt' | 'beginFilling' | 'markReady' | 'caughtUp'>
  readonly derivedStates: Pick<DerivedStates, 'register'>
  /** All that are declared. */
  readonly projections: readonly Projection[]
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
 * @throws {LapidaryError} `unprocessable` where one could not take all, once it holds all else and all others are built, `unavailable` when another
 * process does it already, `aborted`.
 */
export async function fillCopies(
  filled: FilledTable,
  all: readonly CopyProjection[],
  options: FillOptions & Pick<MendOptions, 'owner' | 'leaseMs'>,
): Promise<CopiesFilled> {
  const { table, clock, now, derivedStates, projections } = filled
  const { owner = randomUUID(), leaseMs = LEASE_MS } = options
  const budget = createCapacityBudget(options.capacity ?? Number.POSITIVE_INFINITY, now)
  const lost = new AbortController()
  const signal = options.signal === undefined ? lost.signal : AbortSignal.any([options.signal, lost.signal])
  const lease = { key: LEASE_KEY, owner, leaseMs, clock, signal }
  await using _lease = await holdLease(table, lease, namesOf(all), (error) => lost.abort(error))
  const register = await derivedStates.register(0)
  const states = await Promise.all(all.map((each) => stateOf(each, register)))
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
    for (const follower of new Set(chosen.flatMap(({ apart }) => apart ?? []))) {
      await whereStreamed(async () =>
        retireEarlierStreams({ table: { ...table, follower }, streams: await filled.streams(), clock }),
      )
    }
    // What was there before is given up.
    await filled.shapes.doubt(chosen.filter(isRegistered).map(projectionShape))
    const kept = await keepSince(filled, chosen)
    const paced = withinBudget(table, budget, FILL_UNITS, signal)
    const fillings = await Promise.all(chosen.map((each) => each.fill?.(paced) as Promise<CopyFilling>))
    const remains = createRemains(paced, fillings, now, removedAfterMs)
    const gaps = new StoreGaps(chosen, projections)
    let items = 0
    await scanTable({
      ...{ table, budget, signal, segments: options.segments ?? SEGMENTS },
      async onPage(entries) {
        meter.done += entries.length
        remains.see(entries)
        items += entries.filter((entry) => takenBy(chosen, fillings, entry)).length
        for (const each of fillings) await each.flush(MOST_KEPT)
        gaps.see(entries)
        kept.see(entries)
        await remains.remove()
      },
    })
    for (const each of fillings) {
      await each.flush()
      await each.finish()
    }
    await remains.removeLast(signal)
    await kept.finish()
    await gaps.clear(table, clock())
    for (const each of fillings) {
      const full = await each.full?.()
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

/** What is made, for another process that is refused meanwhile. */
function namesOf(copies: readonly CopyProjection[]): string {
  const names = new Set(copies.map(({ name }) => (name === PAGES ? 'the page index' : name)))
  return [...names].join(', ')
}

/** Whether an entry of the table is an item that gives something to some copy. */
function takenBy(copies: readonly CopyProjection[], fillings: readonly CopyFilling[], entry: Entry): boolean {
  const key = plainKeyOf(entry)
  return copies.filter((copy, i) => copy.isItem(key) && fillings[i]?.take(entry) === true).length > 0
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
      givenUp.push(...keys.filter((key) => fillings.some((each) => each.isGivenUp?.(key) === true)))
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
