/** As many indices as fit into a double beside a number of 32 bits. */
const MOST_PACKED = 2 ** 21

/** The indices of some numbers, which are whole and from 0 to below 2^32, in the order of these; of equal ones in their own order. */
export function orderOf(numbers: ArrayLike<number>): ArrayLike<number> {
  const { length } = numbers
  if (length > MOST_PACKED) {
    return Uint32Array.from({ length }, (_, i) => i).sort(
      (a, b) => (numbers[a] as number) - (numbers[b] as number) || a - b,
    )
  }
  // Numbers alone sort many times faster than with a function that compares.
  const packed = new Float64Array(length)
  for (let i = 0; i < length; i++) packed[i] = (numbers[i] as number) * MOST_PACKED + i
  packed.sort()
  for (let i = 0; i < length; i++) packed[i] = (packed[i] as number) % MOST_PACKED
  return packed
}
