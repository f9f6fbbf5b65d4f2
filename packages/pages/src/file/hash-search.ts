const HASHES = 2 ** 32
/** Each guess is off by about the square root of how far the one before was, so the third is in the right block. */
const GUESSES = 3

/** The first of some records in the order of their hashes that has this hash or a higher one. Hashes are evenly spread, so it is guessed. */
export function firstByHash(hash: number, records: number, hashAt: (index: number) => number): number {
  if (records === 0) return 0
  let guess = Math.min(records - 1, Math.floor((hash / HASHES) * records))
  for (let i = 0; i < GUESSES; i++) {
    const off = Math.round(((hash - hashAt(guess)) / HASHES) * records)
    if (off === 0) break
    guess = Math.max(0, Math.min(records - 1, guess + off))
  }
  // A bracket around the answer: every record before `low` is too low, the one at `high` is not.
  let low = guess
  let high = guess
  for (let step = 1; low > 0 && hashAt(low - 1) >= hash; step *= 2) {
    high = low - 1
    low = Math.max(0, low - step)
  }
  for (let step = 1; high < records && hashAt(high) < hash; step *= 2) {
    low = high + 1
    high = Math.min(records, high + step)
  }
  while (low < high) {
    const middle = (low + high) >> 1
    if (hashAt(middle) < hash) low = middle + 1
    else high = middle
  }
  return low
}
