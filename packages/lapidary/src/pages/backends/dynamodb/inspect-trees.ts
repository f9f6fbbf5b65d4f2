import type { TableClient } from '../../../table/table-client.ts'
import { comparePlaces, placeText } from '../../place.ts'
import type { ListEntry, ListsInspection } from '../../sorted-lists.ts'
import { readNames, TOMBSTONES } from './edit.ts'
import { locate } from './locate.ts'
import { keptCells, LEAF_PREFIX, type Leaf, leafFrom } from './nodes.ts'
import { fenceAfter, readLeaves, readUpper } from './read-tree.ts'

const READING = { consistent: true } as const

/** @param prefix What the partitions of all trees begin with; the group follows. */
export function inspectTrees(table: TableClient, prefix: string): ListsInspection {
  const entriesOf = (group: string, cells: readonly string[], leaves: readonly Leaf[]): readonly ListEntry[] =>
    leaves
      .flatMap(({ entries }) => entries)
      .map(({ place, cell }) => ({ group, place, cell: cells[cell] ?? '' }))
      .filter(({ cell }) => cell !== TOMBSTONES)
  return {
    groupOf: ({ PK }) => (PK.startsWith(prefix) ? PK.slice(prefix.length) : undefined),
    async *groups() {},
    async *entries(group) {
      const { names, branches } = await readUpper(table, `${prefix}${group}`, READING)
      const cells = keptCells(names)
      const fences = branches.length === 0 ? [''] : branches.map(({ fence }) => fence)
      for (const [i, fence] of fences.entries()) {
        // What lies before the first branch is out of place, and an entry all the same.
        const from = i === 0 ? '' : fence
        const { leaves } = await readLeaves(table, `${prefix}${group}`, from, fenceAfter(branches, i), READING)
        yield entriesOf(group, cells, leaves)
      }
    },
    async cellAt(group, place) {
      const partition = `${prefix}${group}`
      const fence = placeText(place)
      const found = await locate(
        table,
        partition,
        LEAF_PREFIX,
        [fence],
        (stored): Leaf => (stored === undefined ? { fence: '', entries: [], stored: undefined } : leafFrom(stored)),
      )
      const cells = keptCells(await readNames(table, partition))
      return entriesOf(group, cells, [...found.values()]).find((each) => comparePlaces(each.place, place) === 0)?.cell
    },
  }
}
