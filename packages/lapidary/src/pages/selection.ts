/** A sorted list that can be looked into anywhere. */
export interface RandomAccess<T> {
  readonly size: number
  at(rank: number): T
  /** How many entries come before a place. */
  rank(place: T): number
}

interface Window<T> {
  readonly list: RandomAccess<T>
  low: number
  high: number
}

/**
 * The entry of a rank in the union of sorted lists: takes the middle of the widest window as a pivot, counts what is below it in
 * all of them, and halves. About `k * log(n)^2` looks, however deep the rank.
 *
 * Entries are distinct across lists.
 */
export function selectRank<T>(lists: readonly RandomAccess<T>[], rank: number): T | undefined {
  const windows: Window<T>[] = lists.map((list) => ({ list, low: 0, high: list.size }))
  if (rank < 0 || rank >= lists.reduce((sum, { size }) => sum + size, 0)) return undefined
  for (;;) {
    const widest = windows.reduce((most, window) => (widthOf(window) > widthOf(most) ? window : most))
    const pivot = widest.list.at((widest.low + widest.high) >>> 1)
    const below = windows.map(({ list, low, high }) => Math.min(high, Math.max(low, list.rank(pivot))))
    const rankOfPivot = below.reduce((sum, count) => sum + count, 0)
    if (rankOfPivot === rank) return pivot
    windows.forEach((window, i) => {
      const count = below[i] as number
      if (rankOfPivot > rank) window.high = count
      // The pivot itself is below the wanted entry too.
      else window.low = window === widest ? count + 1 : count
    })
  }
}

/** Sorted lists that are looked into side by side, where each look takes a while. */
export interface DistantLists<T> {
  readonly sizes: readonly number[]
  at(list: number, rank: number): Promise<T>
  /** How many entries of each list come before a place. */
  ranks(place: T): Promise<readonly number[]>
}

/**
 * The same of a rank that there is, with few looks where `k` lists are mixed evenly: the pivot is where the entry is to be expected in the
 * widest window. It cuts off a `k`-th of all that is left before the entry, or of all that is left from there on: about `2k * log(n)` looks at
 * most.
 */
export async function selectRankAfar<T>({ sizes, at, ranks }: DistantLists<T>, rank: number): Promise<T> {
  const windows = sizes.map((high) => ({ low: 0, high }))
  const sum = (numbers: readonly number[]): number => numbers.reduce((all, each) => all + each, 0)
  for (;;) {
    const widths = windows.map(({ low, high }) => high - low)
    const width = Math.max(...widths)
    const widest = widths.indexOf(width)
    const before = (width * (rank - sum(windows.map(({ low }) => low)))) / sum(widths)
    const expected = (windows[widest]?.low ?? 0) + Math.floor(before)
    const pivot = await at(widest, expected)
    const counts = await ranks(pivot)
    const below = windows.map(({ low, high }, i) =>
      i === widest ? expected : Math.min(high, Math.max(low, counts[i] ?? 0)),
    )
    const off = sum(below) - rank
    if (off === 0) return pivot
    windows.forEach((window, i) => {
      if (off > 0) window.high = below[i] ?? 0
      else window.low = (below[i] ?? 0) + (i === widest ? 1 : 0)
    })
  }
}

function widthOf({ low, high }: Window<unknown>): number {
  return high - low
}
