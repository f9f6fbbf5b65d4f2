import { readCapacity } from '../planner/fetch-sizes.ts'

const LEAST_READ_RCU = 0.5

/**
 * The sizes of a first round, made smaller until they are expected to fit into a cap. Each list that is read keeps one item,
 * whatever it may weigh: a page without any would leave its reader nowhere to go on from.
 *
 * @returns undefined when the cap is below the least that DynamoDB charges for so many reads.
 */
export function cutToCapacity(
  sizes: readonly number[],
  maxCapacity: number,
  itemBytes: number,
): readonly number[] | undefined {
  const expected = (cut: readonly number[]): number => cut.reduce((sum, size) => sum + readCapacity(size, itemBytes), 0)
  if (sizes.filter((size) => size > 0).length * LEAST_READ_RCU > maxCapacity) return undefined
  let cut = sizes
  while (expected(cut) > maxCapacity && cut.some((size) => size > 1)) {
    const factor = Math.min(0.9, maxCapacity / expected(cut))
    cut = cut.map((size) => (size === 0 ? 0 : Math.max(1, Math.floor(size * factor))))
  }
  return cut
}
