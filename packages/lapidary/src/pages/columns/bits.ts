/** Packs whole numbers of `width` bits each, {@link MOST_BITS} at most, the lowest bit first. */
function packBits(numbers: ArrayLike<number>, width: number): Uint8Array {
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
function unpackBits(bytes: Uint8Array, width: number, count: number): Float64Array {
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

/** How codes are packed: so many of them as the digits of one number, which takes so many bits. */
interface Word {
  readonly digits: number
  readonly bits: number
}

/** Bits of a number that is packed, at most. */
export const MOST_BITS = 45

/** The word in which each of some codes takes the least: of 10 codes three take 10 bits, where each by itself takes 4. */
function wordOf(codes: number): Word {
  let best: Word = { digits: 1, bits: widthOf(codes - 1) }
  for (let digits = 2; codes > 1 && codes ** digits <= 2 ** MOST_BITS; digits++) {
    const bits = widthOf(codes ** digits - 1)
    if (bits * best.digits < best.bits * digits) best = { digits, bits }
  }
  return best
}

/** Packs numbers that are below `codes`, in little more than the logarithm of it. */
export function packCodes(numbers: ArrayLike<number>, codes: number): Uint8Array {
  const { digits, bits } = wordOf(codes)
  const words = new Float64Array(Math.ceil(numbers.length / digits))
  for (let i = numbers.length - 1; i >= 0; i--) {
    const word = Math.floor(i / digits)
    words[word] = (words[word] as number) * codes + (numbers[i] as number)
  }
  return packBits(words, bits)
}

/** Returns the numbers that {@link packCodes} was given. */
export function unpackCodes(bytes: Uint8Array, codes: number, count: number): Float64Array {
  const { digits, bits } = wordOf(codes)
  const words = unpackBits(bytes, bits, Math.ceil(count / digits))
  if (digits === 1) return words
  const numbers = new Float64Array(count)
  for (let i = 0; i < count; i++) {
    const word = Math.floor(i / digits)
    const left = words[word] as number
    const rest = Math.floor(left / codes)
    numbers[i] = left - rest * codes
    words[word] = rest
  }
  return numbers
}

/** The bits of the numbers from 0 up to one. */
export function widthOf(most: number): number {
  let width = 0
  for (let rest = most; rest > 0; rest = Math.floor(rest / 2)) width++
  return width
}
