import type { List } from '../layouts/layout.ts'
import { LapidaryError } from '../model/errors.ts'
import { exactSize, readPrice } from '../planner/entry-size.ts'
import { mostRcu, type SizeClass } from '../planner/size-classes.ts'
import { cutToCapacity, probeSizes, sumOf } from './capacity-cut.ts'
import type { SourceReader } from './source-reader.ts'

/** The limits of a page's cost, and what is known of how much a read can cost. */
export interface CapacityLimits {
  /**
   * No round begins that is expected to take the total above this many RCU; nor, unless it reads one item of each list, one that
   * could by what is counted of their sizes.
   */
  readonly maxCapacity?: number | undefined
  /** RCU of that total which the request takes beside its lists, as far as that is known by now; 0 when not given. */
  readonly beside?: (() => number) | undefined
  /** How heavy the entries of a list are, as far as that is counted by now: counts may come while lists are read. */
  readonly sizeClasses?: ((list: List) => readonly SizeClass[] | undefined) | undefined
}

/**
 * Gives the sizes of the plan, cut where a cap is lower or may be exceeded by entries that weigh more than it says.
 *
 * @throws {LapidaryError} `capacity_exhausted` when not even one item of each list can be read.
 */
export function firstSizes(readers: readonly SourceReader[], options: CapacityLimits): readonly number[] {
  const { maxCapacity } = options
  const sizes = readers.map(({ source }) => source.fetch)
  if (maxCapacity === undefined) return sizes
  const weights = readers.map(({ weight }) => weight)
  const beside = options.beside?.() ?? 0
  const cut = cutToCapacity(probeSizes(sizes, weights), maxCapacity - beside, mostPrice(readers, options))
  if (cut === undefined) throw exhausted(maxCapacity, beside)
  return cut
}

/** The sizes of another round, cut to what is left of a cap; undefined when not even those are expected to fit. */
export function affordableSizes(
  sizes: readonly number[],
  readers: readonly SourceReader[],
  options: CapacityLimits,
): readonly number[] | undefined {
  const { maxCapacity, beside } = options
  if (maxCapacity === undefined) return sizes
  const left = maxCapacity - (beside?.() ?? 0) - readers.reduce((sum, { actual }) => sum + actual.rcu, 0)
  const cut = cutToCapacity(sizes, left, mostPrice(readers, options))
  return cut !== undefined && sumOf(cut, expectedPrice(readers)) <= left ? cut : undefined
}

type Price = (items: number, list: number) => number

/** Prices by what entries are known to weigh, or turned out to. */
function expectedPrice(readers: readonly SourceReader[]): Price {
  const weights = readers.map(({ weight }) => weight)
  return (items, i) => readPrice(items, weights[i] ?? exactSize(0))
}

/** The same, or more where heavier entries are counted, which may be the next. */
function mostPrice(readers: readonly SourceReader[], { sizeClasses }: CapacityLimits): Price {
  const expected = expectedPrice(readers)
  const classes = readers.map(({ source }) => sizeClasses?.(source.list) ?? [])
  return (items, i) => Math.max(expected(items, i), mostRcu(items, classes[i] ?? []))
}

/** @param beside RCU that the request takes beside its lists. */
export function exhausted(maxCapacity: number | undefined, beside = 0): LapidaryError {
  const what = beside === 0 ? 'one read' : `the ${beside} RCU beside its lists and one read`
  return new LapidaryError(
    'capacity_exhausted',
    `maxCapacity ${maxCapacity} is less than ${what} of each list costs; raise it, or filter by fewer values`,
  )
}
