import type { CopyFilling } from '../derived/copy-projection.ts'
import { SortedRows } from '../derived/sorted-rows.ts'
import type { Entry } from '../model/entry.ts'
import { placeFrom, placeText } from './place.ts'
import type { ListEntry, SortedLists } from './sorted-lists.ts'

/** Entries that are added together: a store writes each of its nodes about once, since they come in order. */
const ADDED_TOGETHER = 5_000
/** Neither a group nor the text of a score has it. */
const SEPARATOR = '\u0000'

/**
 * Begins to fill lists with the entries of items. A scan gives them in no order, so they are sorted by group and place before they are added.
 *
 * @param asked The lists that this process answers by, which are to know at once that they were filled.
 */
export async function fillLists(
  lists: Pick<SortedLists, 'fill' | 'full'>,
  entriesOf: (image: Entry) => readonly ListEntry[],
  asked: Pick<SortedLists, 'forget'>,
): Promise<CopyFilling> {
  const filling = await lists.fill()
  const rows = new SortedRows()
  return {
    isGivenUp: filling.isGivenUp,
    take(item) {
      const listed = entriesOf(item)
      for (const { group, place, cell } of listed) rows.add(`${group}${SEPARATOR}${placeText(place)}`, cell)
      return listed.length > 0
    },
    async flush(least = 0) {
      if (least > 0) return rows.settle()
      for await (const sorted of rows.inOrder(ADDED_TOGETHER)) await filling.add(sorted.map(entryFrom))
    },
    async finish() {
      await filling.finish()
      asked.forget?.()
    },
    full: async () => lists.full?.(),
    close: () => rows[Symbol.asyncDispose](),
  }
}

function entryFrom([key, cell]: readonly [key: string, cell: string]): ListEntry {
  const end = key.indexOf(SEPARATOR)
  return { group: key.slice(0, end), place: placeFrom(key.slice(end + 1)), cell }
}
