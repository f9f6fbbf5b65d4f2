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

function widthOf({ low, high }: Window<unknown>): number {
  return high - low
}
