export { seededRandom } from 'lapidary-testing'

/** Random numbers from 0 to 1. */
export type Random = () => number

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
