import type { Change } from '../derived/change.ts'
import type { CopyProjection } from '../derived/copy-projection.ts'
import { cellReader } from '../derived/counts/counted-cell.ts'
import type { Freshness } from '../derived/freshness.ts'
import type { Collection } from '../model/collection.ts'
import { createEntryCodec, type Entry, type EntryCodec } from '../model/entry.ts'
import { LapidaryError } from '../model/errors.ts'
import { escapeComponent } from '../model/key-text.ts'
import { type Position, positionOf } from '../model/position.ts'
import type { Query } from '../model/query.ts'
import { isItemKey } from '../model/stored-item.ts'
import type { TableClient } from '../table/table-client.ts'
import { cellsOf, namespaceOf } from './cells.ts'
import { cutAt, placeOf, positionAt } from './place.ts'
import type {
  ListEntry,
  ListStep,
  LookUpPrice,
  LookUpShape,
  PageStore,
  PageStoreContext,
  RankAnswer,
  SortedLists,
} from './sorted-lists.ts'

/** Where a page begins that is asked for by its number. */
export interface PageStart extends Pick<RankAnswer, 'rcu' | 'rounds' | 'asOf'> {
  /** Items of the whole query. */
  readonly total: number
  /** The first item of the page; undefined for a page past the end. */
  readonly position: Position | undefined
}

/** Turns ranks into positions, for one collection. */
export interface PageIndex {
  /** Where the item is that has `offset` others before it in the query's order. */
  find(query: Query, offset: number): Promise<PageStart>
  /** What a look-up should take. */
  price(query: Query, shape: Pick<LookUpShape, 'entries' | 'entry'>): LookUpPrice
  /** What keeps it up to date. */
  readonly copy: CopyProjection
  /** The entry of an item that a scan saw; undefined for what no list has. */
  entryOf(image: Entry): ListEntry | undefined
  readonly lists: SortedLists
  /** The same lists through a table client that is paced. */
  listsThrough(table: TableClient): SortedLists
}

/** Of a store that does not say. */
const USUAL_PRICE: LookUpPrice = { rcu: 0, rounds: 2 }

/** The page index of a collection in a store. */
export function openPageIndex(
  store: PageStore,
  collection: Collection,
  { freshness, ...context }: Omit<PageStoreContext, 'namespace'> & { readonly freshness?: Freshness },
): PageIndex {
  const namespace = namespaceOf(collection)
  const lists = store.open({ ...context, namespace })
  const cells = cellsOf(collection)
  const { order } = collection
  const entryOf = entryReader(collection, createEntryCodec(collection))
  /** Of lists that are kept with the counts, nothing is said here: they are as old. */
  const asOf = (answer: Pick<RankAnswer, 'asOf'>): number | undefined =>
    store.apart === true ? Math.max(answer.asOf ?? 0, freshness?.caughtUpAt ?? 0) || undefined : undefined
  return {
    lists,
    listsThrough: (table) => store.open({ ...context, table, namespace }),
    entryOf,
    async find({ scope, where, from, to, order: direction }, offset) {
      const { total, place, ...took } = await lists.select({
        group: escapeComponent(scope),
        includes: cells.includes(where),
        lower: from && cutAt(order, from),
        upper: to && cutAt(order, to),
        ascending: direction === 'oldest',
        offset,
      })
      return { ...took, total, position: place && positionAt(order, place), asOf: asOf(took) }
    },
    price({ scope, from, to }, shape) {
      const bounds = [from, to].filter((bound) => bound !== undefined).length
      return lists.price?.({ group: escapeComponent(scope), bounds, ...shape }) ?? USUAL_PRICE
    },
    copy: {
      name: 'pages',
      ...(store.apart === true ? { apart: store.name } : {}),
      concerns: ({ key }) => isItemKey(collection, key),
      async apply(changes, { shardId }) {
        if (shardId === undefined) {
          // Where an item was before can't be told from what it is now.
          throw new LapidaryError('unprocessable', 'the page index is made good by lapidary rebuild page-index')
        }
        await lists.apply(
          shardId,
          changes.map((change) => {
            const { sequenceNumber, at } = change
            return { sequenceNumber, at, steps: stepsOf(change, entryOf) }
          }),
        )
      },
    },
  }
}

/** Tells where an item is; undefined for an image that no list has. */
function entryReader(collection: Collection, codec: EntryCodec): (image: Entry) => ListEntry | undefined {
  const cells = cellsOf(collection)
  const countable = cellReader(collection, codec, Object.keys(collection.facets))
  return (image) => {
    try {
      const { scope } = countable(image)
      const item = codec.plainItem(image)
      const place = placeOf(collection.order, positionOf(collection, item))
      return { group: escapeComponent(scope), cell: cells.cellOf(item), place }
    } catch {
      return undefined
    }
  }
}

/** What a change of an item does to the lists: nothing where it stays in its place. */
function stepsOf({ before, after }: Change, entryOf: PageIndex['entryOf']): readonly ListStep[] {
  const [was, is] = [before && entryOf(before), after && entryOf(after)]
  if (was !== undefined && is !== undefined && isSamePlace(was, is)) return []
  const removal = was && ({ op: 'remove', ...was } as const)
  const addition = is && ({ op: 'add', ...is } as const)
  return [removal, addition].filter((step) => step !== undefined)
}

function isSamePlace(a: ListEntry, b: ListEntry): boolean {
  const isEqual = a.place.score === b.place.score && a.place.member === b.place.member
  return isEqual && a.group === b.group && a.cell === b.cell
}
