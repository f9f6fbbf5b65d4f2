/** Ranks that share one entry of the table in front. */
const BUCKET_BITS = 8

/**
 * Makes a function that gives the new rank of an entry in a list that loses some entries and gets others; -1 for one that goes.
 *
 * @param count Of the list.
 * @param removed Ranks of the entries that go, ascending.
 * @param addedBefore For each that comes, how many entries of the list are before it; ascending.
 */
export function rankShift(
  count: number,
  removed: readonly number[],
  addedBefore: readonly number[],
): (rank: number) => number {
  // From `starts[i]` on, ranks move by `shifts[i]`; a removed one is a step of its own, with no shift.
  const starts: number[] = [0]
  const shifts: number[] = [0]
  let shift = 0
  const step = (start: number, value: number): void => {
    if (starts.at(-1) === start) shifts[shifts.length - 1] = value
    else {
      starts.push(start)
      shifts.push(value)
    }
  }
  for (let r = 0, a = 0; r < removed.length || a < addedBefore.length; ) {
    const gone = removed[r] ?? Number.POSITIVE_INFINITY
    const before = addedBefore[a] ?? Number.POSITIVE_INFINITY
    if (before <= gone) {
      step(before, ++shift)
      a++
    } else {
      step(gone, Number.NaN)
      step(gone + 1, --shift)
      r++
    }
  }
  // The last step at or before the beginning of each bucket, so that a search is within one bucket.
  const buckets = new Uint32Array((count >>> BUCKET_BITS) + 2)
  for (let bucket = 0, i = 0; bucket < buckets.length; bucket++) {
    const start = bucket * 2 ** BUCKET_BITS
    while ((starts[i + 1] ?? Number.POSITIVE_INFINITY) <= start) i++
    buckets[bucket] = i
  }
  const from = Float64Array.from(starts)
  const by = Float64Array.from(shifts)
  return (rank) => {
    const bucket = rank >>> BUCKET_BITS
    let low = buckets[bucket] as number
    let high = buckets[bucket + 1] as number
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((from[middle] as number) <= rank) low = middle
      else high = middle - 1
    }
    const shift = by[low] as number
    return Number.isNaN(shift) ? -1 : rank + shift
  }
}
