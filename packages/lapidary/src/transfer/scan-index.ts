import type { ScanCommandOutput } from '@aws-sdk/client-dynamodb'
import type { TextIndexDefinition } from '../layouts/index-definition.ts'
import { refusalText } from '../layouts/refusal.ts'
import { LapidaryError, shown, unprocessable } from '../model/errors.ts'
import { livenessOf } from '../model/expiry.ts'
import { knownOptions, type OptionNames } from '../model/known-options.ts'
import { LeftOut } from '../model/unreadable-item.ts'
import type { CollectionContext } from '../operations/context.ts'
import { createCapacityBudget, withinBudget } from '../table/capacity-budget.ts'
import { scanPages } from '../table/paging.ts'
import { segmentsFor } from '../table/segments.ts'

/** How an index is scanned. */
export interface ScanOptions {
  /** Parts of the index that are read at once, 1 to 64; 4 when not given. The embedded engine reads it as a whole. */
  readonly segments?: number
  /** Capacity units a second; no limit when not given. */
  readonly capacity?: number
  /** Ends it with the signal's reason. */
  readonly signal?: AbortSignal
  /** Told after each page. */
  readonly onProgress?: (progress: ScanProgress) => void
}

/** How far a scan is. */
export interface ScanProgress {
  /** Items given so far. */
  readonly items: number
  /** Capacity units taken so far. */
  readonly capacity: number
}

const SCAN_NAMES: OptionNames<ScanOptions> = { segments: true, capacity: true, signal: true, onProgress: true }
const SEGMENTS = 4
const MOST_SEGMENTS = 64
const PAGE_ITEMS = 500
/** Under a budget pages are small, so that it is kept within each second. */
const SMALL_PAGE_ITEMS = 50
const SMALL_PAGE_UNITS = 1

/**
 * Gives all items of an index that holds one collection, in no order: its segments are read at once, a page of each ahead. Where some can't be
 * read, it gives the others and ends with `table_mismatch`.
 */
export async function* scanIndex<I>(
  context: CollectionContext<I>,
  index: string,
  options: ScanOptions = {},
): AsyncGenerator<I, void, undefined> {
  const {
    segments = SEGMENTS,
    capacity = Number.POSITIVE_INFINITY,
    signal,
    onProgress,
  } = knownOptions('the scan', options, SCAN_NAMES)
  requireOption('segments', segments, Number.isInteger(segments) && segments >= 1 && segments <= MOST_SEGMENTS)
  requireOption('capacity', capacity, capacity > 0)
  const definition = await requireScannable(context as CollectionContext, index)
  const stop = new AbortController()
  const stopped = signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal])
  const budget = createCapacityBudget(capacity, context.now)
  const table = withinBudget(context.table, budget, SMALL_PAGE_UNITS, stopped)
  const length = await segmentsFor(context.table, segments)
  const parts = Array.from({ length }, (_, segment) =>
    scanPages(table, scanOf(context.collection.name, definition, segment, length, capacity), stopped),
  )
  const isLive = livenessOf(context.collection, context.codec, context.clock)
  const pending = new Map(parts.map((part, segment) => [segment, nextPage(part, segment)]))
  const leftOut = new LeftOut()
  let items = 0
  try {
    while (pending.size > 0) {
      const { page, segment } = await Promise.race(pending.values())
      signal?.throwIfAborted()
      if (page === undefined) {
        pending.delete(segment)
        continue
      }
      pending.set(segment, nextPage(parts[segment] as AsyncGenerator<ScanCommandOutput>, segment))
      const found = (page.Items ?? []).filter((entry) => isLive?.(entry) !== false)
      items += found.length
      onProgress?.({ items, capacity: budget.spent })
      for (const entry of found) {
        const [unreadable] = context.codec.unreadable(entry)
        if (unreadable === undefined) yield context.codec.toItem(entry) as I
        else leftOut.add(unreadable)
      }
    }
    leftOut.throwIfAny(context.collection)
  } catch (error) {
    signal?.throwIfAborted()
    throw error
  } finally {
    stop.abort()
  }
}

function nextPage(
  part: AsyncGenerator<ScanCommandOutput>,
  segment: number,
): Promise<{ readonly page: ScanCommandOutput | undefined; readonly segment: number }> {
  const read = part.next().then(({ done, value }) => ({ page: done === true ? undefined : value, segment }))
  // It is thrown where it is waited for, if it is.
  read.catch(() => {})
  return read
}

/** What else lies in the index, of another collection with one of the same name, is left out. */
function scanOf(
  collection: string,
  { name, partitionKey }: TextIndexDefinition,
  segment: number,
  segments: number,
  capacity: number,
): Parameters<typeof scanPages>[1] {
  return {
    IndexName: name,
    FilterExpression: 'begins_with(#k, :own)',
    ExpressionAttributeNames: { '#k': partitionKey },
    ExpressionAttributeValues: { ':own': { S: `${collection}/` } },
    Limit: Number.isFinite(capacity) ? SMALL_PAGE_ITEMS : PAGE_ITEMS,
    ...(segments === 1 ? {} : { Segment: segment, TotalSegments: segments }),
  }
}

async function requireScannable(
  { collection, layout, states }: CollectionContext,
  index: string,
): Promise<TextIndexDefinition> {
  const { alone = [] } = layout
  const definition = alone.find(({ name }) => name === index)
  if (definition === undefined) {
    const own = alone.length === 0 ? 'there is none' : `there are ${alone.map(({ name }) => name).join(', ')}`
    throw new LapidaryError(
      'unprocessable',
      `${shown(index)} is no index that holds ${collection.name} alone, and a scan would read whatever else is in it; ${own}. Declare one with scan: true, or with only`,
    )
  }
  const refusal = (await states.unusable()).get(index)
  if (refusal !== undefined)
    throw new LapidaryError('unavailable', `the index ${index} can't be scanned: it ${refusalText(refusal)}`)
  return definition
}

function requireOption(path: string, value: number, isGood: boolean): void {
  if (isGood) return
  const what = path === 'segments' ? `a whole number from 1 to ${MOST_SEGMENTS}` : 'a number above 0'
  throw unprocessable('the scan was refused', [{ path, message: `must be ${what}, not ${shown(value)}` }])
}
