import { BLOCK_BYTES, type EntrySize, readPrice } from '../planner/entry-size.ts'

const LEAST_READ_RCU = 0.5

/**
 * The sizes of a first round, made smaller until they are expected to fit into a cap. Each list that is read keeps one item,
 * whatever it may weigh: a page without any would leave its reader nowhere to go on from.
 *
 * @param weights What the entries of each list weigh.
 * @returns undefined when the cap is below the least that DynamoDB charges for so many reads.
 */
export function cutToCapacity(
  sizes: readonly number[],
  maxCapacity: number,
  weights: readonly EntrySize[],
): readonly number[] | undefined {
  const price = (size: number, i: number): number => (size === 0 ? 0 : readPrice(size, weights[i] as EntrySize))
  const expected = (cut: readonly number[]): number => cut.reduce((sum, size, i) => sum + price(size, i), 0)
  if (sizes.filter((size) => size > 0).length * LEAST_READ_RCU > maxCapacity) return undefined
  let cut = sizes
  while (expected(cut) > maxCapacity && cut.some((size) => size > 1)) {
    const factor = Math.min(0.9, maxCapacity / expected(cut))
    cut = cut.map((size) => (size === 0 ? 0 : Math.max(1, Math.floor(size * factor))))
  }
  return cut
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
