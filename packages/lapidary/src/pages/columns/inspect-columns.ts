import { compareBytes } from '../../model/key-text.ts'
import { comparePlaces, type Place, placeText } from '../place.ts'
import type { ListEntry, ListsInspection } from '../sorted-lists.ts'
import { type TryingAgain, untilMade } from '../tree/apply.ts'
import type { NodeStore, TreeName } from '../tree/node-store.ts'
import { BLOCKS, requireReach, unpackBlock } from './block.ts'
import { rowsOf } from './fold-block.ts'
import { loadBlock } from './load-block.ts'

/** Shows every entry of the columns of a generation. */
export function inspectColumns(
  store: NodeStore,
  generation: number,
  facets: number,
  trying: TryingAgain,
): ListsInspection {
  /** The entries of the block that a fence falls in, and where it ends. */
  async function blockAt(
    tree: TreeName,
    fence: string,
  ): Promise<{ readonly next: string | undefined; readonly entries: readonly ListEntry[] }> {
    let found: Awaited<ReturnType<typeof blockAt>> = { next: undefined, entries: [] }
    await untilMade(trying, async () => {
      const stored = (await store.nearest(tree, BLOCKS, [fence])).get(fence)
      if (stored === undefined) return 'made'
      const block = unpackBlock(stored)
      requireReach(block, fence)
      const rows = rowsOf(await loadBlock(store, tree, block, facets))
      found = { next: block.next, entries: rows.map((row) => ({ group: tree.group, ...row })) }
      return 'made'
    })
    return found
  }
  return {
    groupOf: (key) => store.groupOf(key, generation),
    groups: () => store.groups(generation),
    async *entries(group) {
      for (let from: string | undefined = ''; from !== undefined; ) {
        const begin: string = from
        const { next, entries } = await blockAt({ generation, group }, begin)
        // Of a block that took over the range of one that was removed meanwhile, a part was shown.
        yield entries.filter(({ place }) => compareBytes(placeText(place), begin) >= 0)
        from = next
      }
    },
    async cellAt(group: string, place: Place) {
      const { entries } = await blockAt({ generation, group }, placeText(place))
      return entries.find((each) => comparePlaces(each.place, place) === 0)?.cell
    },
  }
}
