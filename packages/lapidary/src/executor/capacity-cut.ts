import { BLOCK_BYTES, type EntrySize } from '../planner/entry-size.ts'

const LEAST_READ_RCU = 0.5

/**
 * The sizes of a round, made smaller until they fit into a cap. Each list that is read keeps one item, whatever it may weigh: a page
 * without any would leave its reader nowhere to go on from.
 *
 * @param price RCU of a read of so many items of one of the lists.
 * @returns undefined when the cap is below the least that DynamoDB charges for so many reads.
 */
export function cutToCapacity(
  sizes: readonly number[],
  maxCapacity: number,
  price: (items: number, list: number) => number,
): readonly number[] | undefined {
  if (sizes.filter((size) => size > 0).length * LEAST_READ_RCU > maxCapacity) return undefined
  let cut = sizes
  while (sumOf(cut, price) > maxCapacity && cut.some((size) => size > 1)) {
    const factor = Math.min(0.9, maxCapacity / sumOf(cut, price))
    cut = cut.map((size) => (size === 0 ? 0 : Math.max(1, Math.floor(size * factor))))
  }
  return cut
}

/** RCU of a round in which so many items are read of each list. */
export function sumOf(sizes: readonly number[], price: (items: number, list: number) => number): number {
  return sizes.reduce((sum, size, i) => sum + (size === 0 ? 0 : price(size, i)), 0)
}

/** A list that was never read is taken to be like others, as if so many of its entries were known; one that was, by more. */
const KNOWN_BY_OTHERS = 10.5

/**
 * The sizes of a first round that finds out what entries weigh, where a list may hold others than those that are known: such
 * lists share the items that are expected to fill a block. As many of 40 KB take 40 RCU; DynamoDB itself stops at 128 for each
 * list. The blocks that the page takes are the same, but in two rounds.
 */
export function probeSizes(sizes: readonly number[], weights: readonly EntrySize[]): readonly number[] {
  const isUnknown = sizes.map((size, i) => size > 0 && !isKnown(weights[i] as EntrySize))
  const lists = isUnknown.filter(Boolean).length
  return sizes.map((size, i) => {
    if (!isUnknown[i]) return size
    const { mean } = weights[i] as EntrySize
    return Math.min(size, Math.max(1, Math.floor(BLOCK_BYTES / mean / lists)))
  })
}

/** The mean of n sizes is off by their spread over the root of n. */
function isKnown({ spread, doubt }: EntrySize): boolean {
  return doubt === 0 || (spread / doubt) ** 2 > KNOWN_BY_OTHERS
}
