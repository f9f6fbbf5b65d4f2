/** Returns the i-th of numbers that fill 0 to 1 evenly: irrational steps, another in each dimension, fill the unit cube. */
export function evenly(i: number, dimension: number): number {
  return ((i + 1) * Math.sqrt(PRIMES[dimension % PRIMES.length] ?? 2)) % 1
}

const PRIMES = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29]

/** Returns the value in whose part of 0 to 1 a number lies. */
export function valueAt<V>(
  shares: readonly (readonly [value: V, share: number, ...rest: unknown[]])[],
  point: number,
): V | undefined {
  let sum = 0
  for (const [value, share] of shares) {
    sum += share
    if (point < sum) return value
  }
  return shares.at(-1)?.[0]
}
