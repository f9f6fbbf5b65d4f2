/** A source of random numbers that are the same for the same seed. */
export interface Random {
  /** Draws a number from 0, inclusive, to 1. */
  next(): number
  /** Draws a whole number from `least` to `most`. */
  whole(least: number, most: number): number
  chance(probability: number): boolean
  pick<T>(values: readonly T[]): T
  /** Draws an index by weights that were summed up by {@link cumulative}. */
  weighted(sums: Float64Array): number
  /** Draws from about a normal distribution with mean 0 and spread 1. */
  normal(): number
}

/** Mulberry32, by Tommy Ettinger: 32 bits of state, fast, even enough for made-up data. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
  const whole = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1))
  return {
    next,
    whole,
    chance: (probability) => next() < probability,
    pick: <T>(values: readonly T[]): T => values[whole(0, values.length - 1)] as T,
    weighted: (sums) => indexIn(sums, next() * (sums.at(-1) ?? 0)),
    normal: () =>
      next() + next() + next() + next() + next() + next() - next() - next() - next() - next() - next() - next(),
  }
}

/** Mixes several numbers into a seed, so that neighbours are not alike. */
export function mixedSeed(...parts: readonly number[]): number {
  let hash = 0x811c9dc5
  for (const part of parts) hash = Math.imul(hash ^ (part >>> 0), 0x01000193) ^ (hash >>> 13)
  return hash >>> 0
}

/** Returns weights as running sums. */
export function cumulative(weights: ArrayLike<number>): Float64Array {
  const sums = Float64Array.from(weights)
  for (let i = 1; i < sums.length; i++) sums[i] = (sums[i] ?? 0) + (sums[i - 1] ?? 0)
  return sums
}

function indexIn(sums: Float64Array, point: number): number {
  let low = 0
  let high = sums.length - 1
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sums[middle] ?? 0) > point) high = middle
    else low = middle + 1
  }
  return low
}
