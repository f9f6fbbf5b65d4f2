import type { Place, RankQuestion } from 'lapidary'
import { compareEntries, type DiskEntry, type DiskListsView } from './disk-list.ts'
import type { ListNames } from './list-names.ts'
import { phaseOf } from './phase.ts'
import { entryAt, rankOfPlace } from './placed-entry.ts'
import { type AskedWindow, cellsOf, windowAsked } from './placed-lists.ts'

/** A look-up in a group of more lists tells nothing, and none looks at more entries: it stays quick. */
const MOST_LISTS = 200
const MOST_ENTRIES = 500

interface Head {
  readonly cell: string
  readonly window: AskedWindow
  readonly entry: DiskEntry
  readonly rank: number
}

/** The lists of the entries of a group from a place on, up to the last of so many entries that are asked for; undefined of too many lists. */
export function nearCells(
  lists: DiskListsView,
  names: ListNames,
  question: RankQuestion,
  place: Place,
): readonly string[] | undefined {
  const { groups, includes, ascending, near = 0 } = question
  const [group = '', ...others] = groups
  if (near === 0 || others.length > 0) return undefined
  const { generation } = phaseOf(lists, names)
  const cells = cellsOf(lists, names, generation, group)
  if (cells.length > MOST_LISTS) return undefined
  const step = ascending ? 1 : -1
  const headAt = (cell: string, window: AskedWindow, rank: number): Head[] =>
    rank >= window.low && rank < window.high ? [{ cell, window, rank, entry: window.list.at(rank) }] : []
  const heads = cells.flatMap((cell) => {
    const window = windowAsked(lists.list(names.entries(generation, group, cell)), question)
    const rank = rankOfPlace(window.list, place)
    return headAt(cell, window, ascending || entryAt(window.list, place) !== undefined ? rank : rank - 1)
  })
  const passed: string[] = []
  let told = 0
  for (let left = near; left > 0 && heads.length > 0 && passed.length < MOST_ENTRIES; ) {
    let first = 0
    for (const [i, { entry }] of heads.entries()) {
      if (step * compareEntries(entry, (heads[first] as Head).entry) < 0) first = i
    }
    const { cell, window, rank } = heads[first] as Head
    heads.splice(first, 1, ...headAt(cell, window, rank + step))
    passed.push(cell)
    if (!includes(cell)) continue
    told = passed.length
    left--
  }
  return passed.slice(0, told)
}
