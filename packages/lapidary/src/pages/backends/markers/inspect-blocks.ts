import { LapidaryError } from '../../../model/errors.ts'
import type { TableClient } from '../../../table/table-client.ts'
import { comparePlaces, type Place } from '../../place.ts'
import type { ListsInspection } from '../../sorted-lists.ts'
import { readNames } from '../dynamodb/nodes.ts'
import { type Block, firstOf, isSameBlock, readNewest } from './blocks.ts'

const ENTRIES_AT_ONCE = 1_000
const MOST_TRIES = 20

/**
 * Every entry of the blocks, some at a time.
 *
 * @param prefix What the partitions of all groups begin with; the group follows.
 */
export function inspectBlocks(table: TableClient, prefix: string, every: number): ListsInspection {
  /** The newest blocks from before a number, newest first. */
  const blocksBefore = async (group: string, before: number | undefined, most: number): Promise<readonly Block[]> => {
    const from = { consistent: true, ...(before === undefined ? {} : { before }) }
    return (await readNewest(table, `${prefix}${group}`, most, from)).blocks
  }
  const newestOf = async (group: string): Promise<Block | undefined> => (await blocksBefore(group, undefined, 1))[0]

  /** The last block that does not begin behind a place. */
  async function blockAt(group: string, place: Place, newest: Block): Promise<Block | undefined> {
    let found: Block | undefined
    for (let low = 0, high = newest.number; low <= high; ) {
      const middle = (low + high) >>> 1
      // One that was deleted by hand may be missing; the one before it tells as well.
      const [block] = await blocksBefore(group, middle + 1, 1)
      if (block === undefined || block.number < low) low = middle + 1
      else if (comparePlaces(firstOf(block), place) > 0) high = block.number - 1
      else {
        found = block
        low = middle + 1
      }
    }
    return found
  }

  return {
    groupOf: ({ PK }) => (PK.startsWith(prefix) ? PK.slice(prefix.length) : undefined),
    async *groups() {},
    async *entries(group) {
      const most = Math.max(1, Math.floor(ENTRIES_AT_ONCE / every))
      for (let before: number | undefined; before !== 0; ) {
        const blocks = await blocksBefore(group, before, most)
        // Names come before the blocks that have them.
        const { cells } = await readNames(table, `${prefix}${group}`)
        yield blocks.flatMap(({ entries }) =>
          entries.map(({ place, cell }) => ({ group, place, cell: cells[cell] ?? '' })),
        )
        before = blocks.at(-1)?.number ?? 0
      }
    },
    async cellAt(group, place) {
      for (let tries = 1; tries <= MOST_TRIES; tries++) {
        const newest = await newestOf(group)
        if (newest === undefined) return undefined
        const block = await blockAt(group, place, newest)
        const entry = block?.entries.find((each) => comparePlaces(each.place, place) === 0)
        // Blocks are full, so what moves an entry to another one changes the newest too.
        if (entry === undefined && !isSameBlock(newest, await newestOf(group))) continue
        return entry && ((await readNames(table, `${prefix}${group}`)).cells[entry.cell] ?? '')
      }
      throw new LapidaryError('unavailable', 'the page markers change too fast to be compared; try again')
    },
  }
}
