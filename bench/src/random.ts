/** Random numbers from 0 to 1 that repeat with their seed (mulberry32, Tommy Ettinger, public domain). */
export type Random = () => number

export function seededRandom(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** One of the values, each as often as its share; shares sum to 1. */
export function pick<V>(shares: readonly (readonly [V, number])[], random: Random): V {
  let left = random()
  for (const [value, share] of shares) {
    left -= share
    if (left < 0) return value
  }
  const last = shares.at(-1)
  if (last === undefined) throw new Error('nothing to pick from')
  return last[0]
}
