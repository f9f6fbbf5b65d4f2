/** How likely an item that comes after so many others is the first with its values. */
export type FirstChance = (items: number) => number

/** By the shares of items that have each combination of values, where all of these are known. */
export function firstByShares(shares: readonly number[]): FirstChance {
  return (items) => shares.reduce((sum, share) => sum + share * (1 - share) ** items, 0)
}

/**
 * By how often a sample has each combination of values; those that it lacks count too. After fewer items than it has: how likely one of the
 * sample is alone with its values among so many others of it. After more: by Good and Turing the share of what it has once, which falls
 * as what is not in it comes up (Chao and Jost).
 */
export function firstBySample(seen: readonly number[]): FirstChance {
  const size = seen.reduce((sum, times) => sum + times, 0)
  const [once, twice] = [1, 2].map((times) => seen.filter((each) => each === times).length) as [number, number]
  return (items) => {
    if (items >= size)
      return once === 0 ? 0 : (once / size) * Math.max(0, 1 - (2 * twice) / (size * once)) ** (items - size + 1)
    return seen.reduce((sum, times) => sum + (times / size) * aloneChance(times, size, items), 0)
  }
}

/** How likely none of the others with the same values is among so many that are drawn. */
function aloneChance(times: number, size: number, items: number): number {
  let chance = 1
  for (let other = 1; other < times; other++) chance *= Math.max(0, size - items - other) / (size - other)
  return chance
}
