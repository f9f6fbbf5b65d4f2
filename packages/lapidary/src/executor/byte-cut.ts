import type { SourceReader } from './source-reader.ts'

/**
 * The sizes of a round made smaller, until they are expected to fit into what is left of the bytes; a list that is read keeps one item.
 * Undefined once the bytes are read, as long as that leaves a place to go on from.
 */
export function sizesWithinBytes(
  sizes: readonly number[],
  readers: readonly SourceReader[],
  { maxBytes }: { readonly maxBytes?: number | undefined },
): readonly number[] | undefined {
  if (maxBytes === undefined) return sizes
  const left = maxBytes - readers.reduce((sum, { actual }) => sum + actual.bytes, 0)
  if (left <= 0 && readers.every(({ blocking, frontier }) => !blocking || frontier !== undefined)) return undefined
  const expected = sizes.reduce((sum, size, i) => sum + size * (readers[i]?.weight.mean ?? 0), 0)
  if (expected <= left) return sizes
  return sizes.map((size) => (size === 0 ? 0 : Math.max(1, Math.floor((size * Math.max(0, left)) / expected))))
}
