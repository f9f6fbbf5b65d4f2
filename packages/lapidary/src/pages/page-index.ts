import type { CopyProjection, CopyState } from '../derived/copy-projection.ts'
import type { Freshness } from '../derived/freshness.ts'
import type { DerivedStates } from '../derived/register/derived-states.ts'
import type { Collection } from '../model/collection.ts'
import type { Entry } from '../model/entry.ts'
import { LapidaryError } from '../model/errors.ts'
import { orderNamed } from '../model/order.ts'
import { ownValue } from '../model/own-value.ts'
import { isSamePages, type PagesDeclaration, shownPages } from '../model/page-declaration.ts'
import type { Position } from '../model/position.ts'
import { askedOf, isEmptyQuery, knownSelection, type Query } from '../model/query.ts'
import type { RecentLists } from '../planner/estimates.ts'
import { type Cells, cellsOf } from './cells.ts'
import { groupText, keeperOf, type OpeningContext, PAGES, pagesOf, pagesShape } from './keep-pages.ts'
import { cutAt, type Place, positionAt } from './place.ts'
import type { ListEntry, LookUpPrice, LookUpShape, PageStore, RankAnswer, SortedLists } from './sorted-lists.ts'

/** Where a page begins that is asked for by its number. */
export interface PageStart extends Pick<RankAnswer, 'rcu' | 'rounds' | 'requests' | 'asOf'> {
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
  /** Whether its lists hold every item, and are kept; `uncounted` while no process has ever followed the change stream. */
  state(): Promise<CopyState>
  /** Where the item is that has `offset` others before it in the query's order, and what the lists give of the query's page there. */
  find(query: Query, offset: number): Promise<PageStart>
  /** What a look-up should take. */
  price(query: Query, shape: PagePriceShape): LookUpPrice
  /** What keeps it up to date, compares it with the items, and makes it. */
  readonly projection: CopyProjection
  /** The entries of an item that a scan saw; none for what no list has. */
  entriesOf(image: Entry): readonly ListEntry[]
  /** The position of an entry. */
  positionAt(place: Place): Position
  readonly lists: SortedLists
}

/** Of a store that does not say. */
const USUAL_PRICE: LookUpPrice = { rcu: 0, rounds: 2 }

/** What the page indexes of one collection are opened with. */
interface PageIndexContext extends OpeningContext {
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

function openPageIndex(
  store: PageStore,
  collection: Collection,
  declared: PagesDeclaration,
  { freshness, follower, derivedStates, ...context }: PageIndexContext,
): PageIndex {
  const shape = pagesShape(store, collection, declared)
  const { namespace, lists, entriesOf, keeping } = keeperOf(store, shape, { ...context, own: [collection] })
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
  const index: PageIndex = {
    declared,
    label: isSamePages(declared, {}) ? undefined : shownPages(declared),
    namespace,
    async state() {
      const unknown = store.apart === true ? undefined : derivedStates?.unknown(shape)
      const [reason, state] = await Promise.all([unknown, lists.state()])
      return state === 'ready' ? (reason ?? state) : state
    },
    lists,
    entriesOf,
    positionAt: (place) => positionAt(order, place),
    async find(query, offset) {
      const { from, to, order: direction } = query
      const groups = eachScope(query).map((scope) => groupIn(scope, query))
      const { total, place, near, ...took } = await lists.select({
        groups,
        includes: isEmptyQuery(query) ? () => false : cells.includes(askedOf(query), query.also),
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
    projection: {
      ...keeping,
      ...(store.apart === true ? { apart: follower } : {}),
      async inspect() {
        const { PageInspection } = await import('./page-inspection.ts')
        return new PageInspection(collection, context.table, { ...index, projection: PAGES, rebuiltAs: 'page-index' })
      },
    },
  }
  return index
}

/**
 * What lists give where a page begins, by the entries of the page index there. Undefined for a list of which not all entries are among them:
 * a part of a spread one, and of an index by a facet's values one that has others too.
 */
function nearLists(cells: Cells, { facet }: PagesDeclaration, query: Query, near: readonly string[]): RecentLists {
  const passing = near.filter(cells.includes(askedOf(query), query.also))
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
