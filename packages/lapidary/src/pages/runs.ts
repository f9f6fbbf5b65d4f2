import { compareBytes } from '../model/key-text.ts'
import { comparePlaces } from './place.ts'
import type { ListEntry } from './sorted-lists.ts'

/** Entries of one group in the order of their places. */
export interface Run {
  readonly group: string
  readonly entries: readonly ListEntry[]
}

/** Parts entries by their groups. Of an entry that the scan saw twice, the first stays. */
export function runsOf(given: readonly ListEntry[]): readonly Run[] {
  const entries = inOrder(given)
  const runs: Run[] = []
  for (let from = 0; from < entries.length; ) {
    const group = (entries[from] as ListEntry).group
    let to = from
    while (entries[to]?.group === group) to++
    runs.push({ group, entries: entries.slice(from, to) })
    from = to
  }
  return runs
}

/** In the order of groups and places. */
function inOrder(entries: readonly ListEntry[]): readonly ListEntry[] {
  const compare = (a: ListEntry, b: ListEntry): number =>
    (a.group === b.group ? 0 : compareBytes(a.group, b.group)) || comparePlaces(a.place, b.place)
  const isSorted = entries.every((entry, i) => i === 0 || compare(entries[i - 1] as ListEntry, entry) <= 0)
  return isSorted ? entries : [...entries].sort(compare)
}
