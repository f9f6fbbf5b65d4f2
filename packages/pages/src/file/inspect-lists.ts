import type { ListEntry, ListsInspection, Place } from 'lapidary'
import type { ByteString } from './byte-string.ts'
import type { DiskListsView } from './disk-list.ts'
import type { ListNames } from './list-names.ts'
import type { ListPiece } from './lists-reader.ts'
import { entryAt, placeOfEntry, rankOfPlace } from './placed-entry.ts'
import { cellsOf } from './placed-lists.ts'

/** How the lists of a store are read while they may change; files and S3 have each a way of their own. */
export interface ListsSource {
  /** Undefined where nothing was written yet. */
  ask<T>(ask: (lists: DiskListsView) => T): Promise<T | undefined>
  /** As `ask`, of lists that have everything which was written before, by any process. */
  askLatest<T>(ask: (lists: DiskListsView) => T): Promise<T | undefined>
  /** A piece of the names of all lists. */
  names(limit: number, from: number): Promise<ListPiece>
}

const ENTRIES_AT_ONCE = 1_000
const NAMES_AT_ONCE = 1_000

/** Yields the names of all lists, some at a time so that others have their turns. */
export async function* allNames(source: Pick<ListsSource, 'names'>): AsyncGenerator<readonly ByteString[], undefined> {
  for (let from: number | undefined = 0; from !== undefined; ) {
    const { items, next }: ListPiece = await source.names(NAMES_AT_ONCE, from)
    yield items
    from = next
  }
}

/** Every entry of the lists of one generation, some at a time. */
export function inspectLists(source: ListsSource, names: ListNames, generation: number): ListsInspection {
  const pageOf = async (group: string, cell: string, after: Place | undefined): Promise<readonly ListEntry[]> => {
    const places = await source.ask((lists) => {
      const list = lists.list(names.entries(generation, group, cell))
      // A place, and not a rank, finds the next page: changes meanwhile move nothing.
      const start = after === undefined ? 0 : rankOfPlace(list, { ...after, member: `${after.member}\u0000` })
      return list.slice(start, ENTRIES_AT_ONCE).map(placeOfEntry)
    })
    return (places ?? []).map((place) => ({ group, cell, place }))
  }
  return {
    groupOf: () => undefined,
    async *groups() {
      for await (const lists of allNames(source)) yield* lists.flatMap((list) => names.groupOf(list, generation) ?? [])
    },
    async *entries(group) {
      for (const cell of (await source.ask((lists) => cellsOf(lists, names, generation, group))) ?? []) {
        for (let page = await pageOf(group, cell, undefined); page.length > 0; ) {
          yield page
          page = page.length < ENTRIES_AT_ONCE ? [] : await pageOf(group, cell, page.at(-1)?.place)
        }
      }
    },
    cellAt: (group, place, first) =>
      source.askLatest((lists) => {
        const cells = cellsOf(lists, names, generation, group)
        const has = (cell: string): boolean =>
          entryAt(lists.list(names.entries(generation, group, cell)), place) !== undefined
        return [...cells.filter((cell) => cell === first), ...cells].find(has)
      }),
  }
}
