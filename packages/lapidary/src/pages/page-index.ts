import { createHash } from 'node:crypto'
import type { Change } from '../derived/change.ts'
import type { CopyProjection } from '../derived/copy-projection.ts'
import { cellReader } from '../derived/counts/counted-cell.ts'
import type { Freshness } from '../derived/freshness.ts'
import type { DerivedStates } from '../derived/register/derived-states.ts'
import { declarationOf, type PlainDeclaration, plainDeclaration } from '../derived/register/plain-declaration.ts'
import { type Shape, shapeId, shapeOf } from '../derived/register/shape.ts'
import type { Collection } from '../model/collection.ts'
import type { Entry } from '../model/entry.ts'
import { createEntryReader } from '../model/entry-reader.ts'
import { LapidaryError } from '../model/errors.ts'
import type { FacetValue } from '../model/facet.ts'
import { escapeComponent } from '../model/key-text.ts'
import { orderNamed } from '../model/order.ts'
import { ownValue } from '../model/own-value.ts'
import { isSamePages, type PagesDeclaration, shownPages } from '../model/page-declaration.ts'
import { isInOrder, type Position, positionOf, shortKey } from '../model/position.ts'
import { askedOf, facetText, isEmptyQuery, knownSelection, type Query } from '../model/query.ts'
import { isItemKey } from '../model/stored-item.ts'
import type { UnknownReason } from '../model/unknown-reason.ts'
import type { RecentLists } from '../planner/estimates.ts'
import type { TableClient } from '../table/table-client.ts'
import { type Cells, cellsOf, EVERY_GROUP, namespaceOf } from './cells.ts'
import { cutAt, type Place, placeOf, positionAt } from './place.ts'
import type {
  ListEntry,
  ListStep,
  ListsState,
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
  /** What it is made by. */
  readonly shape: Shape
  /** Whether it is in the table, so that the runner that counts keeps it too. */
  readonly isInTable: boolean
  /** Whether its lists hold every item, and are kept; `uncounted` while no process has ever followed the change stream. */
  state(): Promise<ListsState | UnknownReason>
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

/** Whether a page index holds every item that is counted, be it behind. */
export function isBuilt(state: ListsState | UnknownReason): state is 'ready' | 'gap' | 'uncounted' {
  return state === 'ready' || state === 'gap' || state === 'uncounted'
}

/** Of a store that does not say. */
const USUAL_PRICE: LookUpPrice = { rcu: 0, rounds: 2 }

/** What the page indexes of one collection are opened with. */
interface PageIndexContext extends Omit<PageStoreContext, 'namespace'> {
  readonly derivedStates?: Pick<DerivedStates, 'unknown'>
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
  return pagesOf(collection).map((declared) => openPageIndex(store, collection, declared, context))
}

/**
 * What a store apart follows the change stream as. With other page indexes it is another follower: a process that does not keep one of
 * them does not move the checkpoint by which another process keeps it.
 */
export function followerOf(store: PageStore, collections: readonly Collection[]): string {
  const all = collections.flatMap((collection) =>
    pagesOf(collection).map((each) => pagesShape(store, collection, each)),
  )
  const ids = all.map(shapeId).sort()
  return `${store.name}.${createHash('sha256').update(ids.join('\n')).digest('hex').slice(0, 8)}`
}

/** What is numbered of a collection: each scope in the default order, and what is declared beside it. */
function pagesOf({ pages }: Collection): readonly PagesDeclaration[] {
  return [{}, ...pages]
}

/** What the projections of page indexes are called. */
export const PAGES = 'pages'

/** What a page index is made by, as plain data. */
interface PagesMade {
  readonly store: string
  readonly settings?: unknown
  readonly declaration: PlainDeclaration
  readonly declared: Omit<PagesDeclaration, 'order'>
  /** What its lists are called in the store, but for the digest. */
  readonly named: string
}

function pagesShape(store: PageStore, collection: Collection, declared: PagesDeclaration): Shape {
  const { facet, across } = declared
  const placed = { id: collection.id, idOrder: collection.idOrder, order: orderNamed(collection, declared.order) }
  const made: PagesMade = {
    store: store.name,
    ...(store.settings === undefined ? {} : { settings: store.settings }),
    // Cells are made of facets in the order of their names.
    declaration: plainDeclaration(collection, Object.keys(collection.facets).sort(), placed),
    declared: { ...(facet === undefined ? {} : { facet }), ...(across === undefined ? {} : { across }) },
    named: namespaceOf(collection, declared),
  }
  return shapeOf({ collection: collection.name, name: PAGES }, made)
}

/** What keeps a page index that another declaration has; undefined where its store can't be opened here. */
export async function copyOfPages(
  shape: Shape,
  context: Omit<PageStoreContext, 'namespace'>,
): Promise<CopyProjection | undefined> {
  if (shape.name !== PAGES) return undefined
  const { store, settings } = shape.made as PagesMade
  const { storeInTable } = await import('./store-in-table.ts')
  const opened = storeInTable(store, settings)
  if (opened === undefined) return undefined
  const keeper = keeperOf(opened, shape, context)
  return copyOf(keeper, shape, undefined)
}

/** The lists of a shape, and where items are in them. */
interface PagesKeeper {
  readonly namespace: string
  readonly lists: SortedLists
  readonly entriesOf: (image: Entry) => readonly ListEntry[]
}

function keeperOf(store: PageStore, shape: Shape, context: Omit<PageStoreContext, 'namespace'>): PagesKeeper {
  const { declaration, declared, named } = shape.made as PagesMade
  const namespace = `${named}.${shape.digest}`
  const lists = store.open({ table: context.table, clock: context.clock, namespace })
  return { namespace, lists, entriesOf: entriesReader(declarationOf(declaration), declared) }
}

function copyOf(
  { lists, entriesOf }: Pick<PagesKeeper, 'lists' | 'entriesOf'>,
  { collection }: Pick<Shape, 'collection'>,
  apart: string | undefined,
): CopyProjection {
  return {
    name: PAGES,
    ...(apart === undefined ? {} : { apart }),
    concerns: ({ key }) => isItemKey({ name: collection }, key),
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
  }
}

function openPageIndex(
  store: PageStore,
  collection: Collection,
  declared: PagesDeclaration,
  { freshness, follower, derivedStates, ...context }: PageIndexContext,
): PageIndex {
  const shape = pagesShape(store, collection, declared)
  const keeper = keeperOf(store, shape, context)
  const { namespace, lists, entriesOf } = keeper
  const cells = cellsOf(collection)
  const order = orderNamed(collection, declared.order)
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
    shape,
    isInTable: store.apart !== true,
    async state() {
      const unknown = store.apart === true ? undefined : derivedStates?.unknown(shape)
      const [reason, state] = await Promise.all([unknown, lists.state()])
      return state === 'ready' ? (reason ?? state) : state
    },
    lists,
    listsThrough: (table) => store.open({ ...context, table, namespace }),
    entriesOf,
    positionAt: (place) => positionAt(order, place),
    async find(query, offset) {
      const { from, to, order: direction } = query
      const groups = eachScope(query).map((scope) => groupIn(scope, query))
      const { total, place, near, ...took } = await lists.select({
        groups,
        includes: isEmptyQuery(query) ? () => false : cells.includes(askedOf(query)),
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
    copy: copyOf(keeper, shape, store.apart === true ? follower : undefined),
  }
}

/**
 * What lists give where a page begins, by the entries of the page index there. Undefined for a list of which not all entries are among them:
 * a part of a spread one, and of an index by a facet's values one that has others too.
 */
function nearLists(cells: Cells, { facet }: PagesDeclaration, query: Query, near: readonly string[]): RecentLists {
  const passing = near.filter(cells.includes(askedOf(query)))
  // What follows the last item of a page but one is left to chance: whose the last is makes no difference.
  const ahead = passing.slice(0, query.limit - 1)
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
  declared: PagesMade['declared'],
): (image: Entry) => readonly ListEntry[] {
  const cells = cellsOf(collection)
  const reader = createEntryReader(collection)
  const countable = cellReader(collection, reader, Object.keys(collection.facets))
  return (image) => {
    try {
      const { scope, values } = countable(image)
      const item = reader.plainItem(image)
      if (!isInOrder(collection.order, item)) return []
      const entry = { cell: cells.cellOf(item), place: placeOf(collection.order, positionOf(collection, item)) }
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
