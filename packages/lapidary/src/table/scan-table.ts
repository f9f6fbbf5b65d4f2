import type { Entry } from '../model/entry.ts'
import { type CapacityBudget, requestShare, withinBudget } from './capacity-budget.ts'
import { scanPages } from './paging.ts'
import { segmentsFor } from './segments.ts'
import type { TableClient } from './table-client.ts'

export interface ScanTableOptions {
  readonly table: TableClient
  readonly budget: CapacityBudget
  /** The number of parts that are read at once, where the engine can: see {@link segmentsFor}. */
  readonly segments: number
  readonly signal: AbortSignal | undefined
  /**
   * Takes the entries of one request, in any order between segments; the segment's next request waits for it.
   *
   * @param place The key from which the segment goes on; undefined at its end.
   */
  readonly onPage: (entries: readonly Entry[], segment: number, place: Entry | undefined) => Promise<void> | void
  /** Returns the key after which a segment begins; undefined for its start. */
  readonly from?: (segment: number) => Entry | undefined
  /** Tells whether a segment was read before. */
  readonly skips?: (segment: number) => boolean
}

const FIRST_LIMIT = 100
/** Items of a page: pages smaller than the full 1 MB take no longer, and leave less to be collected. */
const PAGE_ITEMS = 500
/** RCU of a page of 1 MB, read consistently. */
const FULL_PAGE = 256

/** Reads the whole table consistently, in parallel segments, within the budget: 1 RCU for each 4 KB. */
export async function scanTable(options: ScanTableOptions): Promise<void> {
  const stop = new AbortController()
  const signal = options.signal === undefined ? stop.signal : AbortSignal.any([options.signal, stop.signal])
  try {
    const segments = await segmentsFor(options.table, options.segments)
    const left = Array.from({ length: segments }, (_, segment) => segment).filter(
      (segment) => options.skips?.(segment) !== true,
    )
    await Promise.all(left.map((segment) => scanSegment({ ...options, segments, signal }, segment)))
  } finally {
    stop.abort()
  }
}

async function scanSegment(
  { table, budget, segments, signal, onPage, from }: ScanTableOptions,
  Segment: number,
): Promise<void> {
  const isUnlimited = budget.perSecond === Number.POSITIVE_INFINITY
  const reader = withinBudget(table, budget, Math.min(FULL_PAGE, requestShare(budget)), signal)
  let limit = isUnlimited ? PAGE_ITEMS : FIRST_LIMIT
  const part = segments === 1 ? {} : { Segment, TotalSegments: segments }
  const input = () => ({ ConsistentRead: true, ...part, Limit: limit })
  for await (const page of scanPages(reader, input, signal, from?.(Segment))) {
    const units = page.ConsumedCapacity?.CapacityUnits
    if (!isUnlimited && units !== undefined && units > 0) {
      // A page of 1 MB takes 256 RCU at once; a small budget has smaller pages, so that it is kept within each second.
      limit = Math.floor(((page.ScannedCount ?? limit) / units) * requestShare(budget))
      limit = Math.min(PAGE_ITEMS, Math.max(1, limit))
    }
    await onPage(page.Items ?? [], Segment, page.LastEvaluatedKey)
  }
}
