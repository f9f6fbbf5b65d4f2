import type { Entry } from '../model/entry.ts'
import { scanPages } from '../table/paging.ts'
import type { TableClient } from '../table/table-client.ts'
import { type CapacityBudget, requestShare, withinBudget } from './capacity-budget.ts'

export interface ScanTableOptions {
  readonly table: TableClient
  readonly budget: CapacityBudget
  /** Parts that are read at once. */
  readonly segments: number
  readonly signal: AbortSignal | undefined
  /** Takes in what a request gave, in any order between segments. */
  readonly onPage: (entries: readonly Entry[]) => void
}

const FIRST_LIMIT = 100
/** Items of a page: smaller pages than the full 1 MB take no longer, and leave less to be collected. */
const PAGE_ITEMS = 500
/** RCU of a page of 1 MB, read consistently. */
const FULL_PAGE = 256

/** Reads the whole table consistently, in parallel segments, within the budget: 1 RCU for each 4 KB. */
export async function scanTable(options: ScanTableOptions): Promise<void> {
  const stop = new AbortController()
  const signal = options.signal === undefined ? stop.signal : AbortSignal.any([options.signal, stop.signal])
  try {
    await Promise.all(
      Array.from({ length: options.segments }, (_, segment) => scanSegment({ ...options, signal }, segment)),
    )
  } finally {
    stop.abort()
  }
}

async function scanSegment(
  { table, budget, segments, signal, onPage }: ScanTableOptions,
  Segment: number,
): Promise<void> {
  const isUnlimited = budget.perSecond === Number.POSITIVE_INFINITY
  const reader = withinBudget(table, budget, Math.min(FULL_PAGE, requestShare(budget)), signal)
  let limit = isUnlimited ? PAGE_ITEMS : FIRST_LIMIT
  // One segment is no segment: dynoxide reads every row of the table for each page of a segment, whatever its limit.
  const part = segments === 1 ? {} : { Segment, TotalSegments: segments }
  const input = () => ({ ConsistentRead: true, ...part, Limit: limit })
  for await (const page of scanPages(reader, input, signal)) {
    const units = page.ConsumedCapacity?.CapacityUnits
    if (!isUnlimited && units !== undefined && units > 0) {
      // A page of 1 MB takes 256 RCU at once; a small budget has smaller pages, so that it is kept within each second.
      limit = Math.floor(((page.ScannedCount ?? limit) / units) * requestShare(budget))
      limit = Math.min(PAGE_ITEMS, Math.max(1, limit))
    }
    onPage(page.Items ?? [])
  }
}
