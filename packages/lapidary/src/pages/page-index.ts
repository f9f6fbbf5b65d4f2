import { createHash } from 'node:crypto'
import type { Change } from '../derived/change.ts'
import type { CopyProjection } from '../derived/copy-projection.ts'
import { cellReader } from '../derived/counts/counted-cell.ts'
import type { Freshness } from '../derived/freshness.ts'
import type { Collection } from '../model/collection.ts'
import { createEntryCodec, type Entry, type EntryCodec } from '../model/entry.ts'
import { LapidaryError } from '../model/errors.ts'
import type { FacetValue } from '../model/facet.ts'
import { escapeComponent } from '../model/key-text.ts'
import { orderNamed } from '../model/order.ts'
import { ownValue } from '../model/own-value.ts'
import { isSamePages, type PagesDeclaration, shownPages } from '../model/page-declaration.ts'
import { isInOrder, type Position, positionOf, shortKey } from '../model/position.ts'
import { facetText, isEmptyQuery, knownSelection, type Query } from '../model/query.ts'
import { isItemKey } from '../model/stored-item.ts'
import type { RecentLists } from '../planner/estimates.ts'
import type { TableClient } from '../table/table-client.ts'
import { type Cells, cellsOf, EVERY_GROUP, namespaceOf } from './cells.ts'
import { cutAt, type Place, placeOf, positionAt } from './place.ts'
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
  /** What the lists give there, where the store knows that of finding the place. */
  readonly near?: RecentLists | undefined
}

/** Which parts of a look-up its price depends on, beside the query. */
export interface PagePriceShape extends Pick<LookUpShape, 'entry'> {
  /** Entries that are counted of a scope; undefined when they are not. */
  readonly entriesIn: (scope: string) => number | undefined
}

/** Turns ranks into positions, for the queries of a collection that need the same one. */
export interface PageIndex {
  /** What it was declared as; nothing for the one that every collection has. */
  readonly declared: PagesDeclaration
  /** The same for messages, `{ order: 'amount' }`; undefined for the one that every collection has. */
  readonly label: string | undefined
  /** What its lists are called in the store. */
  readonly namespace: string
  /** Where the item is that has `offset` others before it in the query's order, and what the lists give of the query's page there. */
  find(query: Query, offset: number): Promise<PageStart>
  /** What a look-up should take. */
  price(query: Query, shape: PagePriceShape): LookUpPrice
  /** What keeps it up to date. */
  readonly copy: CopyProjection
  /** The entries of an item that a scan saw; none for what no list has. */
  entriesOf(image: Entry): readonly ListEntry[]
  /** The position of an entry. */
  positionAt(place: Place): Position
  readonly lists: SortedLists
  /** The same lists through a table client that is paced. */
  listsThrough(table: TableClient): SortedLists
}

/** Of a store that does not say. */
const USUAL_PRICE: LookUpPrice = { rcu: 0, rounds: 2 }

/** What the page indexes of one collection are opened with. */
interface PageIndexContext extends Omit<PageStoreContext, 'namespace'> {
  /** What a store apart follows the change stream as. */
  readonly follower: string
  readonly freshness?: Freshness
}

/**
 * The page indexes of a collection in a store, that of a scope in the default order first.
 *
 * @throws {LapidaryError} `declaration_invalid` for an order that the store can't keep.
 */
export function openPageIndexes(
  store: PageStore,
  collection: Collection,
  context: PageIndexContext,
): readonly PageIndex[] {
  const inOrder = collection.pages.find(({ order }) => order !== undefined)
  if (store.appendOnly === true && inOrder !== undefined) {
    throw new LapidaryError(
      'declaration_invalid',
      `${store.name} are for lists that grow at their newest end, and ${collection.name} has pages: [${shownPages(inOrder)}]; take another store, such as segments()`,
    )
  }
  return [{}, ...collection.pages].map((declared) => openPageIndex(store, collection, declared, context))
}

/**
 * What a store apart follows the change stream as. With other page indexes it is another follower: a process that does not keep one of
 * them does not move the checkpoint by which another process keeps it.
 */
export function followerOf(store: PageStore, collections: readonly Collection[]): string {
  const further = collections.flatMap((collection) => collection.pages.map((each) => namespaceOf(collection, each)))
  if (further.length === 0) return store.name
  return `${store.name}.${createHash('sha256').update(further.sort().join('\n')).digest('hex').slice(0, 8)}`
}

function openPageIndex(
  store: PageStore,
  collection: Collection,
  declared: PagesDeclaration,
  { freshness, follower, ...context }: PageIndexContext,
): PageIndex {
  const namespace = namespaceOf(collection, declared)
  const lists = store.open({ ...context, namespace })
  const cells = cellsOf(collection)
  const order = orderNamed(collection, declared.order)
  const entriesOf = entriesReader(collection, declared, createEntryCodec(collection))
  const groupIn = (scope: string, { where }: Query): string =>
    groupText(
      declared,
      scope,
      declared.facet === undefined ? undefined : ownValue(knownSelection(where), declared.facet)?.[0],
    )
  /** Of lists that are kept with the counts, nothing is said here: they are as old. */
  const asOf = (answer: Pick<RankAnswer, 'asOf'>): number | undefined =>
    store.apart === true ? Math.max(answer.asOf ?? 0, freshness?.caughtUpAt ?? 0) || undefined : undefined
  return {
    declared,
    label: isSamePages(declared, {}) ? undefined : shownPages(declared),
    namespace,
    lists,
    listsThrough: (table) => store.open({ ...context, table, namespace }),
    entriesOf,
    positionAt: (place) => positionAt(order, place),
    async find(query, offset) {
      const { where, from, to, order: direction } = query
      const groups = eachScope(query).map((scope) => groupIn(scope, query))
      const { total, place, near, ...took } = await lists.select({
        groups,
        includes: isEmptyQuery(query) ? () => false : cells.includes(where),
        lower: from && cutAt(order, from),
        upper: to && cutAt(order, to),
        ascending: direction === 'oldest',
        offset,
        // The page, and the item after it, which tells that there is a next one.
        ...(groups.length > 1 ? {} : { near: query.limit + 1 }),
      })
      const recent = near && nearLists(cells, declared, query, near)
      return { ...took, total, position: place && positionAt(order, place), near: recent, asOf: asOf(took) }
    },
    price(query, { entriesIn, entry }) {
      const bounds = [query.from, query.to].filter((bound) => bound !== undefined).length
      const scopes = eachScope(query)
      const each = scopes.map((scope) => {
        const group = { group: groupIn(scope, query), among: scopes.length, entries: entriesIn(scope) }
        return lists.price?.({ ...group, bounds, entry }) ?? USUAL_PRICE
      })
      return {
        rcu: each.reduce((sum, { rcu }) => sum + rcu, 0),
        rounds: Math.max(...each.map(({ rounds }) => rounds)),
      }
    },
    copy: {
      name: 'pages',
      ...(store.apart === true ? { apart: follower } : {}),
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
            return { sequenceNumber, at, steps: stepsOf(change, entriesOf) }
          }),
        )
      },
    },
  }
}

/**
 * What lists give where a page begins, by the entries of the page index there. Undefined for a list of which not all entries are among them:
 * a part of a spread one, and of an index by a facet's values one that has others too.
 */
function nearLists(
  cells: Cells,
  { facet }: PagesDeclaration,
  { where, limit }: Query,
  near: readonly string[],
): RecentLists {
  const passing = near.filter(cells.includes(where))
  // What follows the last item of a page but one is left to chance: whose the last is makes no difference.
  const ahead = passing.slice(0, limit - 1)
  return ({ holds, part }) => {
    if (part !== undefined || (facet !== undefined && !Object.hasOwn(holds, facet))) return undefined
    const isHeld = cells.includes(holds)
    const given = passing.filter(isHeld).length
    return { given, passed: given, read: near.filter(isHeld).length, ahead: ahead.filter(isHeld).length }
  }
}

/** The scopes of a query, or what stands for all. */
function eachScope({ scope, alsoIn = [] }: Query): readonly string[] {
  return [scope, ...alsoIn]
}

/** A value is as short as an id, so that the key of a group has room for it. */
const VALUE_BYTES = { longest: 64, kept: 40 } as const

function groupText({ facet, across }: PagesDeclaration, scope: string, value: FacetValue | undefined): string {
  const group = across === true ? EVERY_GROUP : escapeComponent(scope)
  if (facet === undefined || value === undefined) return group
  return `${group}/${shortKey(String(value), facetText(value), VALUE_BYTES)}`
}

/** Tells where an item is: once for each value of the facet, nowhere for an image that no list has. */
function entriesReader(
  collection: Collection,
  declared: PagesDeclaration,
  codec: EntryCodec,
): (image: Entry) => readonly ListEntry[] {
  const cells = cellsOf(collection)
  const countable = cellReader(collection, codec, Object.keys(collection.facets))
  const placed = { ...collection, order: orderNamed(collection, declared.order) }
  return (image) => {
    try {
      const { scope, values } = countable(image)
      const item = codec.plainItem(image)
      if (!isInOrder(placed.order, item)) return []
      const entry = { cell: cells.cellOf(item), place: placeOf(placed.order, positionOf(placed, item)) }
      const listed = declared.facet === undefined ? [undefined] : values(declared.facet)
      return listed.map((value) => ({ group: groupText(declared, scope, value), ...entry }))
    } catch {
      return []
    }
  }
}

/** What a change of an item does to the lists: nothing where it stays in its place. */
function stepsOf({ before, after }: Change, entriesOf: PageIndex['entriesOf']): readonly ListStep[] {
  const [was, is] = [before, after].map((image) => (image === undefined ? [] : entriesOf(image))) as [
    readonly ListEntry[],
    readonly ListEntry[],
  ]
  const gone = was.filter((entry) => !is.some((other) => isSamePlace(entry, other)))
  const come = is.filter((entry) => !was.some((other) => isSamePlace(entry, other)))
  return [
    ...gone.map((entry) => ({ op: 'remove', ...entry }) as const),
    ...come.map((entry) => ({ op: 'add', ...entry }) as const),
  ]
}

function isSamePlace(a: ListEntry, b: ListEntry): boolean {
  const isEqual = a.place.score === b.place.score && a.place.member === b.place.member
  return isEqual && a.group === b.group && a.cell === b.cell
}
