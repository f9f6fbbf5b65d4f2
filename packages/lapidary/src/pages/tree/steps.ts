import { comparePlaces, type Place } from '../place.ts'
import type { ListEntry } from '../sorted-lists.ts'
import { TOMBSTONES } from './node.ts'
import type { Packed } from './packing.ts'

/**
 * Something that happens to an entry. While trees are filled, a removal leaves a tombstone, so that a scan which saw the entry before does
 * not bring it back; `fill` adds only where there is neither an entry nor a tombstone.
 */
export interface TreeStep extends ListEntry {
  readonly op: 'add' | 'remove' | 'bury' | 'fill'
}

/** Returns a function that gives a list its number, a new one where it has none. */
export function numbering(cells: string[]): (cell: string) => number {
  const numbers = new Map(cells.map((cell, number) => [cell, number]))
  return (cell) => {
    const known = numbers.get(cell)
    if (known !== undefined) return known
    const number = cells.push(cell) - 1
    numbers.set(cell, number)
    return number
  }
}

/** Does a step; false where it changes nothing. An item is in one list of its group: one that is added elsewhere has left it. */
export function isEffective(
  entries: Packed[],
  { op, cell, place }: TreeStep,
  numberOf: (cell: string) => number,
): boolean {
  const { at, found } = indexOf(entries, place)
  if (op === 'fill' && found) return false
  const number = numberOf(op === 'bury' ? TOMBSTONES : cell)
  if (op !== 'remove') {
    if (found && entries[at]?.cell === number) return false
    entries.splice(at, found ? 1 : 0, { place, cell: number })
    return true
  }
  if (!found || entries[at]?.cell !== number) return false
  entries.splice(at, 1)
  return true
}

/** Where an entry is, or belongs. */
function indexOf(entries: readonly Packed[], place: Place): { readonly at: number; readonly found: boolean } {
  const last = entries.at(-1)
  // Most come at the newest end.
  if (last === undefined || comparePlaces(last.place, place) < 0) return { at: entries.length, found: false }
  let [low, high] = [0, entries.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    const order = comparePlaces((entries[middle] as Packed).place, place)
    if (order === 0) return { at: middle, found: true }
    if (order < 0) low = middle + 1
    else high = middle
  }
  return { at: low, found: false }
}

export function isSame(a: readonly Packed[], b: readonly Packed[]): boolean {
  return (
    a.length === b.length &&
    a.every(({ place, cell }, i) => b[i]?.cell === cell && comparePlaces(place, (b[i] as Packed).place) === 0)
  )
}
