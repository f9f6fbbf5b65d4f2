/** Whether matrices are whole, as `npm run test:long` has them. */
export const WHOLE: boolean = process.env.WHOLE === '1'

/**
 * Returns the pairs of two sides that a test runs: in `npm test` as few as hold each value of both sides, in a long run all. It is for sides that
 * do not touch each other, so that what breaks a pair breaks one of its values.
 */
export function pairs<A, B>(first: readonly A[], second: readonly B[]): (readonly [A, B])[] {
  if (WHOLE) return first.flatMap((a) => second.map((b) => [a, b] as const))
  return Array.from({ length: Math.max(first.length, second.length) }, (_, i) => [
    first[i % first.length] as A,
    second[i % second.length] as B,
  ])
}
