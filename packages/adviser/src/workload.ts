import {
  type Collection,
  type Facet,
  type FacetValue,
  type Item,
  LapidaryError,
  type ListOrder,
  parseQuery,
  type Query,
  shown,
  type WhereInput,
} from 'lapidary'
import { heldValue, isRange, itemProblem, ownValue, typedValue, valueProblem } from 'lapidary/internal'
import { evenly, valueAt } from './even-draw.ts'
import { PAGE_INDEXES, type PageIndexName } from './page-index-names.ts'

/** The mean load of a collection. Rates are per second; shares go from 0 to 1 and add up to 1. */
export interface Workload {
  readonly writesPerSecond: number
  /** Pages read per second. */
  readonly readsPerSecond: number
  /** The shares of the kinds of writes; all create when not given. */
  readonly writes?: WriteShares
  /** The queries with their shares. When not given, each facet is open in half of the queries, and one of its values is asked in the others. */
  readonly queries?: readonly QueryShare[]
  /** Whether filters that no query names need no answer, so that sparse indexes alone may be the choice. False when not given. */
  readonly queriesOnly?: boolean
  /** The sizes of scopes, and the load of each size; one scope of 1000 items, with all of the load, when not given. */
  readonly scopes?: readonly ScopeShare[]
  /** The share of items that has each value, by facet. When not given, the declared shares; else all values are alike. */
  readonly frequencies?: Readonly<Record<string, Readonly<Record<string, number>>>>
  /** Bytes of the attributes that lists show; those of the declaration when not given. */
  readonly itemBytes?: number
  /** Bytes of the attributes that only a look-up shows; 0 when not given. */
  readonly lookupBytes?: number
  /** Pages that are asked by number, which a page index may serve; none when not given. */
  readonly pages?: NumberedPages
  /** Real items: sizes and the mix of values are taken from them instead. */
  readonly items?: readonly Item[]
}

/** The load of a page index. */
export interface NumberedPages {
  /** The share of reads that ask for a page by number, anywhere in its list. */
  readonly share: number
  /** The mean number of changes of a scope that the change stream delivers at once; 1, the dearest, when not given. */
  readonly together?: number
  /** Stores that may be the choice, by their names in `PAGE_INDEX`; `dynamodb` and `page-markers` when not given. All are priced. */
  readonly stores?: readonly PageIndexName[]
}

/** Shares of the writes, by kind. */
export interface WriteShares {
  readonly create?: number
  readonly delete?: number
  /** The share of edits by edited attribute: a facet, the order, or any other. */
  readonly edit?: Readonly<Record<string, number>>
}

/** A query and its share of the reads. */
export interface QueryShare {
  readonly where?: WhereInput
  readonly limit?: number
  /** The name of its order; the default one when not given. */
  readonly by?: string
  readonly order?: ListOrder
  readonly share: number
}

/** The scopes of one size, and the load of all of them together. */
export interface ScopeShare {
  /** How many scopes there are. */
  readonly scopes: number
  /** Items in each. */
  readonly items: number
  /** The share of all reads. */
  readonly reads: number
  /** The share of all writes. */
  readonly writes: number
}

/** A workload with everything filled in and checked. */
export interface CheckedWorkload {
  readonly writesPerSecond: number
  readonly readsPerSecond: number
  readonly create: number
  readonly delete: number
  readonly edit: readonly (readonly [attribute: string, share: number])[]
  /** The queries to answer. A query that is never asked and must have an answer has a share of 0. */
  readonly queries: readonly { readonly query: Query; readonly share: number }[]
  readonly scopes: readonly ScopeShare[]
  readonly frequencies: Readonly<Record<string, readonly ValueShare[]>>
  readonly itemBytes: number
  readonly lookupBytes: number
  readonly items: readonly Item[] | undefined
  readonly pages: Required<Omit<NumberedPages, 'stores'>> & Pick<NumberedPages, 'stores'>
}

/** A value, the share of items that have it, and whether it stands for all values that are not known. */
export type ValueShare = readonly [value: FacetValue, share: number, standsForOthers?: boolean]

/** Shares may miss 1 by this much, since they are rounded. */
const ROUNDED = 0.005
/** A scope id of the usual length; that length is part of the weight of keys. */
export const SCOPE_ID = 'scope-00000001'

/** @throws {LapidaryError} `bad_request` that says what is wrong and what to do. */
export function checkedWorkload(collection: Collection, given: Workload): CheckedWorkload {
  const { writesPerSecond, readsPerSecond, items } = given
  atLeastZero(writesPerSecond, 'writesPerSecond')
  atLeastZero(readsPerSecond, 'readsPerSecond')
  if (readsPerSecond === 0) {
    refuseWorkload(
      'readsPerSecond is 0, so no index is worth its price and the comparison says nothing; give the expected reads a second, if only 0.1',
    )
  }
  const { create, delete: deletes = 0, edit = {} } = given.writes ?? { create: 1 }
  const edits = Object.entries(edit)
  const creates = create ?? (given.writes === undefined || (deletes === 0 && edits.length === 0) ? 1 : 0)
  addUp('writes', [creates, deletes, ...edits.map(([, share]) => share)])
  for (const [attribute] of edits) knownAttribute(collection, attribute)
  const each = Object.keys(collection.facets).filter((name) => collection.facets[name]?.kind === 'eachOf')
  if (each.length > 0 && (items === undefined || edits.some(([attribute]) => each.includes(attribute)))) {
    refuseWorkload(
      `items have several values of ${each.join(', ')}, and only a sample says which: give some under items, and leave edits of them out`,
    )
  }
  const elsewhere = Object.entries(collection.facets).flatMap(([name, { origin }]) =>
    origin === undefined ? [] : [name],
  )
  if (elsewhere.length > 0 && items === undefined) {
    refuseWorkload(
      `values of ${elsewhere.join(', ')} come from paths or functions, and only a sample tells them: give some under items`,
    )
  }
  const itemBytes = given.itemBytes ?? collection.itemBytes
  if (!(itemBytes >= 1 && itemBytes <= 409_600))
    refuseWorkload(`itemBytes is ${itemBytes}; an item has 1 to 409600 bytes`)
  const lookupBytes = given.lookupBytes ?? 0
  atLeastZero(lookupBytes, 'lookupBytes')
  if (items?.length === 0) refuseWorkload('items is empty; give some items as they are stored, or none and their sizes')
  const frequencies = frequenciesOf(collection, given)
  const queries = checkedQueries(collection, given.queries ?? eachFacet(collection, frequencies))
  return {
    ...{ writesPerSecond, readsPerSecond, create: creates, delete: deletes, edit: edits },
    ...{ frequencies, itemBytes, lookupBytes, items, pages: checkedNumberedPages(given.pages) },
    queries: [...queries, ...wholeScopeQueries(collection, queries, given.queriesOnly === true)],
    scopes: checkedScopes(given.scopes ?? [{ scopes: 1, items: 1000, reads: 1, writes: 1 }]),
  }
}

function checkedNumberedPages({ share, together = 1, stores }: NumberedPages = { share: 0 }): CheckedWorkload['pages'] {
  if (!(share >= 0 && share <= 1))
    refuseWorkload(`pages have a share of ${shown(share)} of the reads; it goes from 0 to 1`)
  if (!(together >= 1 && Number.isFinite(together)))
    refuseWorkload(`pages have ${shown(together)} changes together; it has to be a number, 1 or more`)
  const unknown = stores?.find((store) => !PAGE_INDEXES.includes(store))
  if (unknown !== undefined)
    refuseWorkload(`${shown(unknown)} is no store of a page index; there are ${PAGE_INDEXES.join(', ')}`)
  return { share, together, ...(stores === undefined ? {} : { stores }) }
}

function checkedQueries(collection: Collection, given: readonly QueryShare[]): CheckedWorkload['queries'] {
  if (given.length === 0) refuseWorkload('queries is empty; give some with their shares, or leave it out')
  addUp(
    'queries',
    given.map(({ share }) => share),
  )
  return given.map(({ share, ...asked }, i) => {
    try {
      return { query: parseQuery(collection, { scope: SCOPE_ID, ...asked }), share }
    } catch (error) {
      if (!(error instanceof LapidaryError)) throw error
      return refuseWorkload(`query ${i + 1} of the workload: ${error.message}`)
    }
  })
}

/**
 * Returns a query for a whole scope in each order: an index that lists a whole scope can list any part of it. An order that no query names needs
 * an index all the same.
 */
function wholeScopeQueries(
  collection: Collection,
  asked: CheckedWorkload['queries'],
  queriesOnly: boolean,
): CheckedWorkload['queries'] {
  return Object.keys(collection.orders)
    .map((by) => parseQuery(collection, { scope: SCOPE_ID, by }))
    .filter(({ by }) => !queriesOnly || (by !== undefined && !asked.some(({ query }) => query.by === by)))
    .map((query) => ({ query, share: 0 }))
}

/** The most default queries that are all made; of more, as many are drawn. */
const MOST_QUERIES = 64

/**
 * Makes the default queries: each facet is open, or one of its values by how many items have it. They are every combination, or as many as are
 * drawn evenly.
 */
function eachFacet(collection: Collection, frequencies: CheckedWorkload['frequencies']): readonly QueryShare[] {
  const choices = Object.keys(collection.facets).map((facet) => {
    const values = (ownValue(frequencies, facet) ?? []).filter(([, share]) => share > 0)
    const asked = values.map(([value, share]) => [{ [facet]: value }, share / 2] as const)
    return [[{}, 0.5] as const, ...asked]
  })
  const combinations = choices.reduce((product, of) => product * of.length, 1)
  if (combinations > MOST_QUERIES) {
    return Array.from({ length: MOST_QUERIES }, (_, i) => ({
      where: Object.assign({}, ...choices.map((of, facet) => valueAt(of, evenly(i, facet)))),
      share: 1 / MOST_QUERIES,
    }))
  }
  return choices.reduce<readonly (QueryShare & { readonly where: object })[]>(
    (queries, of) =>
      queries.flatMap(({ where, share }) =>
        of.map(([narrowed, part]) => ({ where: { ...where, ...narrowed }, share: share * part })),
      ),
    [{ where: {}, share: 1 }],
  )
}

function checkedScopes(scopes: readonly ScopeShare[]): readonly ScopeShare[] {
  if (scopes.length === 0) refuseWorkload('scopes is empty; give some with their shares, or leave it out')
  for (const [i, scope] of scopes.entries()) {
    for (const name of ['scopes', 'items'] as const) {
      if (!(scope[name] > 0))
        refuseWorkload(`scopes ${i + 1} has ${shown(scope[name])} as ${name}; it has to be more than 0`)
    }
  }
  for (const name of ['reads', 'writes'] as const) {
    addUp(
      `scopes (${name})`,
      scopes.map((scope) => scope[name]),
    )
  }
  return scopes
}

function frequenciesOf(collection: Collection, workload: Workload): CheckedWorkload['frequencies'] {
  const { frequencies: given = {}, items } = workload
  for (const name of Object.keys(given)) knownFacet(collection, name)
  return Object.fromEntries(
    Object.entries(collection.facets).map(([name, facet]) => {
      if (items !== undefined) return [name, sharesOfItems(name, facet, items)]
      const shares = Object.hasOwn(given, name) ? given[name] : undefined
      return [
        name,
        shares === undefined
          ? declaredShares(facet, askedValues(workload, name, facet))
          : givenShares(name, facet, shares),
      ]
    }),
  )
}

function givenShares(name: string, facet: Facet, shares: Readonly<Record<string, number>>): readonly ValueShare[] {
  addUp(`frequencies of ${name}`, Object.values(shares))
  return Object.entries(shares).map(([text, share]) => {
    const value = typedValue(facet, text)
    const problem = valueProblem(facet, value)
    if (problem !== undefined) refuseWorkload(`the frequencies of ${name} name a value that ${problem}`)
    return [value as FacetValue, share]
  })
}

function sharesOfItems(name: string, facet: Facet, items: readonly Item[]): readonly ValueShare[] {
  const counts = new Map<FacetValue, number>()
  for (const item of items) {
    const held = heldValue(item, name, facet)
    const problem = itemProblem(facet, held)
    if (problem !== undefined) refuseWorkload(`an item has a ${name} that ${problem}`)
    counts.set(held as FacetValue, (counts.get(held as FacetValue) ?? 0) + 1)
  }
  return [...counts].map(([value, count]) => [value, count / items.length])
}

/** The share of a value that only queries name, and the value that stands for all others. */
const OPEN_SHARE = 0.25
const OTHERS: Readonly<Record<string, FacetValue>> = { string: '~', number: 0.5, boolean: false }

/** Returns the shares of a facet's values. An open facet has the values that are declared or asked, and one that stands for all others. */
function declaredShares(
  { values, type, frequencies = {} }: Facet,
  asked: readonly FacetValue[],
): readonly ValueShare[] {
  const known = values ?? [
    ...Object.keys(frequencies).map((text) =>
      type === 'number' ? Number(text) : type === 'boolean' ? text === 'true' : text,
    ),
    ...asked.filter((value) => !Object.hasOwn(frequencies, String(value))),
  ]
  const named = known.filter((value) => Object.hasOwn(frequencies, String(value)))
  const unnamed = known.filter((value) => !named.includes(value))
  const left = Math.max(0, 1 - named.reduce<number>((sum, value) => sum + (frequencies[String(value)] ?? 0), 0))
  const each = Math.min(left / unnamed.length, values === undefined ? OPEN_SHARE : 1)
  const other = values === undefined ? left - (unnamed.length === 0 ? 0 : each * unnamed.length) : 0
  return normalized([
    ...named.map((value): ValueShare => [value, frequencies[String(value)] ?? 0]),
    ...unnamed.map((value): ValueShare => [value, each]),
    ...(other > ROUNDED ? [[OTHERS[type ?? 'string'] ?? '~', other, true] as const] : []),
  ])
}

/** Returns the values of a facet that queries name. */
function askedValues({ queries = [] }: Workload, name: string, facet: Facet): readonly FacetValue[] {
  // A range names no value; the query's own check refuses a wrong one.
  const named = (where: WhereInput): readonly FacetValue[] =>
    Object.entries(where).flatMap(([asked, wanted]): readonly FacetValue[] => {
      if (['AND', 'OR', 'NOT'].includes(asked))
        return [wanted as WhereInput | readonly WhereInput[]].flat().flatMap(named)
      return asked !== name || wanted === undefined || isRange(wanted) ? [] : ([wanted].flat() as FacetValue[])
    })
  const given = queries.flatMap(({ where }) => (where === undefined ? [] : named(where)))
  return [...new Set(given.map((value) => typedValue(facet, value) as FacetValue))]
}

function normalized(shares: readonly ValueShare[]): readonly ValueShare[] {
  const sum = shares.reduce((total, [, share]) => total + share, 0)
  return shares.map(([value, share, ...others]) => [value, share / sum, ...others])
}

function knownFacet(collection: Collection, name: string): void {
  if (Object.hasOwn(collection.facets, name)) return
  refuseWorkload(
    `${shown(name)} is not a facet of ${collection.name}; the facets are ${Object.keys(collection.facets).join(', ')}`,
  )
}

function knownAttribute({ name, id, scope, attributes }: Collection, attribute: string): void {
  if (attribute === id || attribute === scope.attribute)
    refuseWorkload(`the ${attribute} of a ${name} is never edited; delete it and create another`)
  if (attributes !== undefined && !Object.hasOwn(attributes, attribute))
    refuseWorkload(
      `writes edit ${shown(attribute)}, which is no attribute of ${name}; there are ${Object.keys(attributes).join(', ')}`,
    )
}

function addUp(what: string, shares: readonly number[]): void {
  for (const share of shares) {
    if (!(share >= 0 && share <= 1))
      refuseWorkload(`the ${what} have a share of ${shown(share)}; shares go from 0 to 1`)
  }
  const sum = shares.reduce((total, share) => total + share, 0)
  if (Math.abs(sum - 1) <= ROUNDED) return
  refuseWorkload(`the shares of the ${what} add up to ${Number(sum.toFixed(4))}; they have to add up to 1`)
}

function atLeastZero(value: number, name: string): void {
  if (!(typeof value === 'number' && value >= 0 && Number.isFinite(value)))
    refuseWorkload(`${name} is ${shown(value)}; it has to be a number, 0 or more`)
}

function refuseWorkload(message: string): never {
  throw new LapidaryError('bad_request', message)
}
