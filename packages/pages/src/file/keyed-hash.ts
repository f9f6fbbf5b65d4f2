import type { ByteString } from './byte-string.ts'

/** The key of a store's hashes; chosen at random, so that a stranger can't make up members that all have one hash. */
export interface HashKey {
  readonly low: number
  readonly high: number
}

/** HalfSipHash-2-4 with 32 bits: SipHash (Aumasson, Bernstein) for machines with 32-bit arithmetic. */
export function keyedHash({ low, high }: HashKey, bytes: ByteString): number {
  let v0 = low
  let v1 = high
  let v2 = low ^ 0x6c796765
  let v3 = high ^ 0x74656462
  const { length } = bytes
  const whole = length & ~3
  // Words of four bytes, one of what is left with the length, and a turn that ends it.
  for (let i = 0; i <= whole + 4; i += 4) {
    const isEnd = i > whole
    let word = i === whole ? length << 24 : 0
    const end = i < whole ? i + 4 : length
    for (let j = i; j < end; j++) word |= bytes.charCodeAt(j) << ((j - i) * 8)
    v3 ^= word
    if (isEnd) v2 ^= 0xff
    for (let round = isEnd ? 4 : 2; round > 0; round--) {
      v0 = (v0 + v1) | 0
      v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0
      v0 = (v0 << 16) | (v0 >>> 16)
      v2 = (v2 + v3) | 0
      v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2
      v0 = (v0 + v3) | 0
      v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0
      v2 = (v2 + v1) | 0
      v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2
      v2 = (v2 << 16) | (v2 >>> 16)
    }
    v0 ^= word
  }
  return (v1 ^ v3) >>> 0
}
