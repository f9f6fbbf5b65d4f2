import { BLOCK_BYTES, BLOCK_RCU } from './entry-size.ts'

/** How many entries of a list weigh more than the next smaller class takes, and no more than this one does. */
export interface SizeClass {
  readonly entries: number
  /** The most that one of them weighs. */
  readonly bytes: number
}

/** The most that a usual entry weighs. Heavier ones are counted by class, so that no read comes upon them unawares. */
export const USUAL_BYTES = 2_048
/** Classes of heavier entries by what they weigh at most: each takes twice as much as the one before. DynamoDB's items end at 400 KB. */
export const HEAVY_CLASSES: readonly number[] = [4, 8, 16, 32, 64, 128, 256, 400].map((kilobytes) => kilobytes * 1_024)

/** DynamoDB ends the page of a Query with the entry that takes it past so many bytes. */
const PAGE_BYTES = 2 ** 20

/** The class of an entry; undefined for a usual one. One that can't be is counted with the heaviest. */
export function heavyClass(bytes: number): number | undefined {
  return bytes <= USUAL_BYTES ? undefined : (HEAVY_CLASSES.find((most) => bytes <= most) ?? HEAVY_CLASSES.at(-1))
}

/**
 * The most RCU that an eventually consistent read of n entries costs, wherever in the list it begins: as if the heaviest of the
 * list were the next.
 *
 * @param classes What the list holds, the heaviest first; the last class takes all others.
 */
export function mostRcu(items: number, classes: readonly SizeClass[]): number {
  if (items <= 0) return 0
  let left = items
  let bytes = 0
  for (const { entries, bytes: each } of classes) {
    const taken = Math.min(left, entries)
    bytes += taken * each
    left -= taken
  }
  const most = Math.min(bytes, PAGE_BYTES + (classes[0]?.bytes ?? 0))
  return BLOCK_RCU * Math.max(1, Math.ceil(most / BLOCK_BYTES))
}
