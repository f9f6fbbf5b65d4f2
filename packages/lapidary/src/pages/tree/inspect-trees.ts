import { LapidaryError } from '../../model/errors.ts'
import { comparePlaces, placeText } from '../place.ts'
import type { ListEntry, ListsInspection } from '../sorted-lists.ts'
import { LEAVES, leafFrom, type Names, type StoredNode, TOMBSTONES } from './node.ts'
import type { NodeStore } from './node-store.ts'

const CONSISTENT = { consistent: true } as const
/** Leaves that are read at once. */
const AT_ONCE = 500

/** Shows every entry of the trees of a generation. */
export function inspectTrees(store: NodeStore, generation: number): ListsInspection {
  const namesOf = async (group: string): Promise<readonly string[]> => {
    const { names } = await store.top({ generation, group }, CONSISTENT)
    return keptCells(names)
  }
  const entriesOf = (group: string, cells: readonly string[], nodes: readonly StoredNode[]): readonly ListEntry[] =>
    nodes
      .flatMap((stored) => leafFrom(stored).entries)
      .map(({ place, cell }) => ({ group, place, cell: cells[cell] ?? '' }))
      .filter(({ cell }) => cell !== TOMBSTONES)
  return {
    groupOf: (key) => store.groupOf(key, generation),
    groups: () => store.groups(generation),
    async *entries(group) {
      const cells = await namesOf(group)
      let from: string | undefined = ''
      while (from !== undefined) {
        // The row of leaves has them all, those too that no branch counts.
        const { nodes } = await store.range({ generation, group }, { row: LEAVES, from, most: AT_ONCE }, CONSISTENT)
        yield entriesOf(group, cells, nodes)
        const last = nodes.at(-1)
        from = last === undefined || nodes.length < AT_ONCE ? undefined : `${last.fence}\u0000`
      }
    },
    async cellAt(group, place) {
      const fence = placeText(place)
      const found = (await store.nearest({ generation, group }, LEAVES, [fence])).get(fence)
      const cells = await namesOf(group)
      const entries = found === undefined ? [] : entriesOf(group, cells, [found])
      return entries.find((each) => comparePlaces(each.place, place) === 0)?.cell
    },
  }
}

/** @throws {LapidaryError} `unprocessable` for a tree that was given up. */
function keptCells({ cells, full }: Names): readonly string[] {
  if (full !== undefined) throw new LapidaryError('unprocessable', full)
  return cells
}
