import { comparePlaces, type Place, placeText } from '../place.ts'
import type { ListEntry, ListsInspection } from '../sorted-lists.ts'
import { type TryingAgain, untilMade } from '../tree/apply.ts'
import type { NodeStore, TreeName } from '../tree/node-store.ts'
import { BLOCKS, unpackBlock } from './block.ts'
import { rowsOf } from './fold-block.ts'
import { loadBlock } from './load-block.ts'
import { after } from './read-blocks.ts'

const CONSISTENT = { consistent: true } as const

/** Shows every entry of the columns of a generation. */
export function inspectColumns(
  store: NodeStore,
  generation: number,
  facets: number,
  trying: TryingAgain,
): ListsInspection {
  /** The entries of the first block that begins at a fence or behind it, or of the one that it falls in. */
  async function blockAt(
    tree: TreeName,
    at: { readonly from: string } | { readonly within: string },
  ): Promise<{ readonly fence: string; readonly entries: readonly ListEntry[] } | undefined> {
    let found: { readonly fence: string; readonly entries: readonly ListEntry[] } | undefined
    await untilMade(trying, async () => {
      const stored =
        'from' in at
          ? (await store.range(tree, { row: BLOCKS, from: at.from, most: 1 }, CONSISTENT)).nodes[0]
          : (await store.nearest(tree, BLOCKS, [at.within])).get(at.within)
      if (stored !== undefined) {
        const rows = rowsOf(await loadBlock(store, tree, unpackBlock(stored), facets))
        found = { fence: stored.fence, entries: rows.map((row) => ({ group: tree.group, ...row })) }
      }
      return 'made'
    })
    return found
  }
  return {
    groupOf: (key) => store.groupOf(key, generation),
    groups: () => store.groups(generation),
    async *entries(group) {
      for (let from = ''; ; ) {
        const block = await blockAt({ generation, group }, { from })
        if (block === undefined) return
        yield block.entries
        from = after(block.fence)
      }
    },
    async cellAt(group: string, place: Place) {
      const block = await blockAt({ generation, group }, { within: placeText(place) })
      return block?.entries.find((each) => comparePlaces(each.place, place) === 0)?.cell
    },
  }
}
