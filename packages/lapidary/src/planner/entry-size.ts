import { normalAbove, normalDensity } from './normal.ts'

/** Bytes that half a read unit pays for in an eventually consistent Query. */
export const BLOCK_BYTES = 4096
export const BLOCK_RCU = 0.5

/** The weight of the entries of a list, in bytes. */
export interface EntrySize {
  readonly mean: number
  /** Standard deviation of one entry from the mean. */
  readonly spread: number
  /** Standard deviation of the mean itself: how far it may be off for all entries alike. */
  readonly doubt: number
}

/** Entries of which each has as many bytes. */
export function exactSize(bytes: number): EntrySize {
  return Object.freeze({ mean: bytes, spread: 0, doubt: 0 })
}

/** Beyond so many standard deviations a sum is taken to be certain. */
const CERTAIN = 4
/** Beyond so many bytes of deviation blocks are not counted one by one: a read of many may begin a million. */
const WIDE = 2 * BLOCK_BYTES

/**
 * Expected RCU of an eventually consistent read of n entries: 0.5 for each 4096 bytes begun, at least 0.5 (AWS Developer
 * Guide). Sizes vary, so a read whose entries just fill a block on average begins another half of the time: the
 * expectation of `0.5 * max(1, ceil(S / 4096))`, S being normal with mean `n * mean` and variance
 * `n * spread^2 + n^2 * doubt^2`. A sum of n sizes begins the block k + 1 with the chance that it exceeds k blocks, and those
 * chances add up to the expectation.
 */
export function readPrice(items: number, { mean, spread, doubt }: EntrySize): number {
  if (items <= 0) return 0
  const bytes = items * mean
  const deviation = Math.sqrt(items * spread * spread + items * items * doubt * doubt)
  if (deviation < 0.5) return BLOCK_RCU * Math.max(1, Math.ceil(bytes / BLOCK_BYTES))
  if (deviation > WIDE) {
    // The chances of so many blocks are an integral, of which each is the middle of a part: what S has above half a block.
    const above = bytes - BLOCK_BYTES / 2
    const z = above / deviation
    return BLOCK_RCU * (1 + (above * normalAbove(-z) + deviation * normalDensity(z)) / BLOCK_BYTES)
  }
  const first = Math.max(1, Math.floor((bytes - CERTAIN * deviation) / BLOCK_BYTES))
  let blocks = first
  for (let k = first; k * BLOCK_BYTES < bytes + CERTAIN * deviation; k++) {
    // A sum is a whole number, and one that fills the block to the last byte begins no other.
    blocks += normalAbove((k * BLOCK_BYTES + 0.5 - bytes) / deviation)
  }
  return BLOCK_RCU * blocks
}
