import type { CapacityMode, PricedLayout } from './priced-layout.ts'

/**
 * Prices that differ by less than this share can't be told apart beforehand: 0.01.
 *
 * @example
 * ```ts run
 * const { ties } = await advise(comments, { writesPerSecond: 5, readsPerSecond: 200 })
 * console.log(ties.length, `within ${100 * TIED} %`)
 * ```
 */
export const TIED = 0.01

/** Sorts by price; a layout that DynamoDB would throttle comes last, however cheap. */
export function byLayoutPrice(mode: CapacityMode): (a: PricedLayout, b: PricedLayout) => number {
  return (a, b) => Number(isThrottled(a)) - Number(isThrottled(b)) || a.price[mode] - b.price[mode]
}

function isThrottled({ hottest }: PricedLayout): boolean {
  return hottest.share > 1
}

/** Returns the layouts that cost the same as the cheapest. One that would be throttled is no tie, unless all would be. */
export function tiesOf(mode: CapacityMode, priced: readonly PricedLayout[]): readonly PricedLayout[] {
  const [cheapest] = priced
  if (cheapest === undefined) return []
  return priced.filter(
    (one) => isThrottled(one) === isThrottled(cheapest) && one.price[mode] <= cheapest.price[mode] * (1 + TIED),
  )
}

/** Sorts layouts that cost the same: items as they are first, then the layout named first, fewer indexes, and the cheaper. */
export function bySimplicity(
  mode: CapacityMode,
  layouts: readonly string[],
): (a: PricedLayout, b: PricedLayout) => number {
  const count = ({ indexes: declared }: PricedLayout): number =>
    declared === undefined ? Number.POSITIVE_INFINITY : Object.keys(declared).length
  return (a, b) =>
    Number(a.codec !== undefined) - Number(b.codec !== undefined) ||
    layouts.indexOf(a.layout) - layouts.indexOf(b.layout) ||
    Math.sign(count(a) - count(b)) ||
    a.price[mode] - b.price[mode]
}

/** Names a layout by its contents, to find one that was priced twice: as a set that was searched for, and as declared. */
export function contentsOf({ layout, codec, indexes: declared }: PricedLayout): string {
  const sets = Object.values(declared ?? {}).map(({ partition = [], sort = [], only = {} }) =>
    JSON.stringify([partition, sort, only]),
  )
  return JSON.stringify([layout, codec, declared === undefined, sets.toSorted()])
}
