/** The chance that an item that comes after this many others is the first with its values. */
export type FirstChance = (items: number) => number

/** Computes the chance from the share of each combination of values, where all are known. */
export function firstByShares(shares: readonly number[]): FirstChance {
  return (items) => shares.reduce((sum, share) => sum + share * (1 - share) ** items, 0)
}

/**
 * Estimates the chance from how often a sample has each combination of values; combinations that the sample lacks count too. For fewer items
 * than the sample: the chance that one of the sample is alone with its values among as many others of it. For more: the share that Good and
 * Turing estimate from combinations seen once, falling as unseen combinations come up (Chao and Jost).
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

/** Returns the chance that none of the others with the same values is among this many drawn items. */
function aloneChance(times: number, size: number, items: number): number {
  let chance = 1
  for (let other = 1; other < times; other++) chance *= Math.max(0, size - items - other) / (size - other)
  return chance
}
