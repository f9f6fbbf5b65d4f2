import { type CopyFilling, type CopyProjection, type CopyState, isBuilt } from '../derived/copy-projection.ts'
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
import { pauseUnless } from '../stream/pause-unless.ts'
import type { StreamsClient } from '../stream/streams-client.ts'
import { type CapacityBudget, withinBudget } from '../table/capacity-budget.ts'
import type { TableClient } from '../table/table-client.ts'
import { writeRequests } from '../table/write-requests.ts'
import { keepSince, whereStreamed } from './kept-since.ts'
import type { DerivedData } from './maintenance-options.ts'
import { StoreGaps } from './store-gaps.ts'

/** What copies are filled from. */
export interface FilledTable extends Pick<DerivedData, 'table' | 'clock' | 'now'> {
  readonly shapes: Pick<KeptShapes, 'doubt' | 'beginFilling' | 'markReady' | 'caughtUp'>
  readonly derivedStates: Pick<DerivedStates, 'register'>
  /** All that are declared. */
  readonly projections: readonly Projection[]
  streams(): Promise<StreamsClient>
}

/** Copies that are being made from what a scan sees. */
export interface CopiesFilling extends AsyncDisposable {
  /** Items that are in them, as the scan saw them. */
  readonly items: number
  /** Takes in what the scan sees; its next page waits for it. */
  see(entries: readonly Entry[]): Promise<void>
  /** Adds what is kept; to be called once the scan has seen all. */
  addAll(): Promise<void>
  /**
   * Tells that they hold every item.
   *
   * @throws {LapidaryError} `unprocessable` where one could not take all, once it holds all else.
   */
  finish(): Promise<void>
}

/** The lease of who fills copies. */
export const COPIES_LEASE_KEY = { PK: '~MAINTENANCE', SK: 'pages' } as const
/** Rows that are kept before they are sorted or added. */
const MOST_KEPT = 50_000
/** Units of a transaction that fills leaves. */
const FILL_UNITS = 100
/** A look-up that began with the state of before may be under way for some time. */
const REMOVED_AFTER_MS = STATE_AGE_MS + 1_000

/** What a filling is paced and ended by. */
interface Pace {
  readonly budget: CapacityBudget
  readonly signal: AbortSignal
}

/** Which of some copies hold every item. A process that has just seen the change stream followed reads what is uncounted to this one. */
export async function builtOf(
  { derivedStates }: Pick<FilledTable, 'derivedStates'>,
  copies: readonly CopyProjection[],
): Promise<readonly boolean[]> {
  const register = await derivedStates.register(0)
  const states: readonly CopyState[] = await Promise.all(copies.map((each) => stateOf(each, register)))
  return states.map(isBuilt)
}

/**
 * Gives up what copies held before, and begins to make them. From here on every process that counts keeps them, so the scan comes after this.
 *
 * @param copies Copies that have a `fill`.
 */
export async function beginCopies(
  filled: FilledTable,
  copies: readonly CopyProjection[],
  { budget, signal }: Pace,
): Promise<CopiesFilling> {
  const { table, clock, now, projections, shapes } = filled
  const isReplaced = (await builtOf(filled, copies)).includes(true)
  for (const follower of new Set(copies.flatMap(({ apart }) => apart ?? []))) {
    await whereStreamed(async () =>
      retireEarlierStreams({ table: { ...table, follower }, streams: await filled.streams(), clock }),
    )
  }
  await shapes.doubt(copies.filter(isRegistered).map(projectionShape))
  const kept = await keepSince(filled, copies)
  const paced = withinBudget(table, budget, FILL_UNITS, signal)
  const fillings = await fillingsOf(copies, paced)
  const remains = createRemains(paced, fillings, now, isReplaced ? REMOVED_AFTER_MS : 0)
  const gaps = new StoreGaps(copies, projections)
  let items = 0
  return {
    get items() {
      return items
    },
    async see(entries) {
      remains.see(entries)
      items += entries.filter((entry) => takenBy(copies, fillings, entry)).length
      for (const each of fillings) await each.flush(MOST_KEPT)
      gaps.see(entries)
      kept.see(entries)
      await remains.remove()
    },
    async addAll() {
      for (const each of fillings) await each.flush()
    },
    async finish() {
      for (const each of fillings) await each.finish()
      await remains.removeLast(signal)
      await kept.finish()
      await gaps.clear(table, clock())
      for (const each of fillings) {
        const full = await each.full?.()
        if (full !== undefined) throw new LapidaryError('unprocessable', full)
      }
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(fillings.map((each) => each.close?.()))
    },
  }
}

/** What is made, for another process that is refused meanwhile. */
export function copiesText(copies: readonly CopyProjection[]): string {
  const names = new Set(copies.map(({ name }) => (name === PAGES ? 'the page index' : name)))
  return [...names].join(', ')
}

/** All of them, or none is left open. */
async function fillingsOf(copies: readonly CopyProjection[], table: TableClient): Promise<readonly CopyFilling[]> {
  const begun = await Promise.allSettled(copies.map((each) => each.fill?.(table) as Promise<CopyFilling>))
  const fillings = begun.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
  for (const each of begun) {
    if (each.status === 'fulfilled') continue
    await Promise.all(fillings.map((other) => other.close?.()))
    throw each.reason
  }
  return fillings
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
