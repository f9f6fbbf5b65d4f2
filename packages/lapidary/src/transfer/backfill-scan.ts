import type { Entry } from '../model/entry.ts'
import { ownValue } from '../model/own-value.ts'
import { isItemKey, plainKeyOf } from '../model/stored-item.ts'
import type { CollectionContext } from '../operations/context.ts'
import type { IndexRegister } from '../schema/index-register.ts'
import { type CapacityBudget, withinBudget } from '../table/capacity-budget.ts'
import { scanTable } from '../table/scan-table.ts'
import { backfillItem, type ItemBackfill, type ItemOutcome } from './backfill-item.ts'
import type { BackfillOptions, BackfillProgress, UnfitItem } from './backfill-options.ts'
import { type BackfillPlace, keepPlace, readPlace } from './backfill-place.ts'

/** What the parts of one collection's backfill share. */
export interface BackfillRun {
  readonly context: CollectionContext
  readonly budget: CapacityBudget
  readonly options: BackfillOptions
  /** Names of the indexes that are filled. */
  readonly wanted: readonly string[]
  readonly owner: string
  readonly signal: AbortSignal
  readonly report: (phase: BackfillProgress['phase'], done?: number, leftMs?: number, written?: number) => void
}

const SEGMENTS = 2
/** Items of a page that are written at once. */
const WRITES_AT_ONCE = 8
const PROGRESS_MS = 500
/** What is lost of a killed backfill's work. */
const KEEP_MS = 1_000
const MOST_UNFIT_ITEMS = 20
/** Units of a write and its index entries, before it tells them. */
const WRITE_UNITS = 2

/** Reads the table and writes what its items lack, from where the same work was stopped. */
export async function scanAndFill(
  run: BackfillRun,
  register: IndexRegister,
): Promise<{ readonly place: BackfillPlace; readonly unfitItems: readonly UnfitItem[] }> {
  const { context, budget, options, wanted, owner, signal, report } = run
  const { collection, table } = context
  const dryRun = options.dryRun === true
  const segments = options.segments ?? SEGMENTS
  const rules = Object.entries(register.indexes).flatMap(([name, { rule }]) =>
    rule === undefined || context.layout.indexes.some((index) => index.name === name) ? [] : [rule],
  )
  const digests = wanted.map((name) => [
    name,
    ownValue(register.indexes, name)?.digest,
    ownValue(register.indexes, name)?.since,
  ])
  const job = JSON.stringify([segments, digests, Object.entries(register.fills), rules.map(({ index }) => index)])
  const place: BackfillPlace = dryRun
    ? { job, segments: {}, items: 0, written: 0, filled: 0, again: 0, unfit: {} }
    : await readPlace(table, collection.name, job)
  const unfitItems: UnfitItem[] = []
  const kept = { rules, fills: register.fills }
  const limited = withinBudget(table, budget, WRITE_UNITS, signal)
  const work: ItemBackfill = { context, table: limited, indexes: wanted, kept, dryRun }
  let read = 0
  let keptAt = context.now()
  await scanTable({
    ...{ table, budget, segments, signal },
    from: (segment) => place.segments[segment]?.after,
    skips: (segment) => place.segments[segment]?.done === true,
    async onPage(entries, segment, after) {
      const items = entries.filter((entry) => isItemKey(collection, plainKeyOf(entry)))
      const outcomes: ItemOutcome[] = []
      for (let i = 0; i < items.length; i += WRITES_AT_ONCE) {
        signal.throwIfAborted()
        const few = items.slice(i, i + WRITES_AT_ONCE)
        outcomes.push(...(await Promise.all(few.map((entry) => backfillItem(work, entry)))))
        report('scan', read + i, undefined, place.written)
      }
      // Together with where the segment is, so that a run that goes on counts none twice.
      place.segments[segment] = after === undefined ? { done: true } : { after: { ...after }, done: false }
      for (const [i, outcome] of outcomes.entries()) count(place, outcome, items[i] as Entry, unfitItems)
      read += entries.length
      report('scan', read, undefined, place.written)
      if (dryRun || context.now() - keptAt < KEEP_MS) return
      keptAt = context.now()
      await keepPlace(table, collection.name, owner, place)
    },
  })
  return { place, unfitItems }
}

function count(place: BackfillPlace, outcome: ItemOutcome, entry: Entry, unfitItems: UnfitItem[]): void {
  const { written, filled, again, unfit } = outcome
  place.items += 1
  place.written += written ? 1 : 0
  place.filled += filled ? 1 : 0
  place.again += again
  for (const [index, problem] of unfit) {
    place.unfit[index] = (ownValue(place.unfit, index) ?? 0) + 1
    if (unfitItems.length < MOST_UNFIT_ITEMS) unfitItems.push({ PK: entry.PK?.S ?? '', index, problem })
  }
}

/** Tells twice a second how far it is, and from the pace of the scan how long the rest takes. */
export function progressReporter(
  { collection, now }: CollectionContext,
  budget: CapacityBudget,
  { onProgress }: BackfillOptions,
  total: number | undefined,
): BackfillRun['report'] {
  let toldAt = Number.NEGATIVE_INFINITY
  let told: BackfillProgress['phase'] | undefined
  let beganAt = now()
  return (phase, done = 0, leftMs, written = 0) => {
    const at = now()
    if (phase !== told) beganAt = at
    else if (at - toldAt < PROGRESS_MS) return
    toldAt = at
    told = phase
    const known = total === undefined || done > total ? undefined : total
    const rest = known === undefined || done === 0 ? undefined : ((at - beganAt) / done) * (known - done)
    const capacity = Math.round(budget.spent)
    onProgress?.({ collection: collection.name, phase, done, total: known, leftMs: leftMs ?? rest, written, capacity })
  }
}
