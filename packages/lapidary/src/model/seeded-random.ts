/**
 * Makes a generator of numbers from 0 to 1 that a seed decides: mulberry32, enough for tests and for draws that repeat.
 *
 * @example
 * ```ts run
 * const random = seededRandom(7)
 * const die = 1 + Math.floor(random() * 6)
 * ```
 */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
