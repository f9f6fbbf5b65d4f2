/** Packs whole numbers of `width` bits each, 0 to 45, the lowest bit first. */
export function packBits(numbers: ArrayLike<number>, width: number): Uint8Array {
  const bytes = new Uint8Array(Math.ceil((numbers.length * width) / 8))
  let [at, waiting, bits] = [0, 0, 0]
  for (let i = 0; i < numbers.length; i++) {
    waiting += (numbers[i] as number) * 2 ** bits
    for (bits += width; bits >= 8; bits -= 8) {
      bytes[at++] = waiting % 256
      waiting = Math.floor(waiting / 256)
    }
  }
  if (bits > 0) bytes[at] = waiting
  return bytes
}

/** Returns the numbers that {@link packBits} was given. */
export function unpackBits(bytes: Uint8Array, width: number, count: number): Float64Array {
  const numbers = new Float64Array(count)
  const most = 2 ** width
  let [at, waiting, bits] = [0, 0, 0]
  for (let i = 0; i < count; i++) {
    for (; bits < width; bits += 8) waiting += (bytes[at++] as number) * 2 ** bits
    numbers[i] = waiting % most
    waiting = Math.floor(waiting / most)
    bits -= width
  }
  return numbers
}

/** The bits of the numbers from 0 up to one. */
export function widthOf(most: number): number {
  let width = 0
  for (let rest = most; rest > 0; rest = Math.floor(rest / 2)) width++
  return width
}
