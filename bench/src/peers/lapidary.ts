import type { PlannedWrites } from 'lapidary'
import type { StoredItem } from './fill.ts'

/** The items that a create puts. */
export function putsOf({ writes }: PlannedWrites<unknown>): readonly StoredItem[] {
  return writes.flatMap(({ Put }) => (Put?.Item === undefined ? [] : [Put.Item]))
}
