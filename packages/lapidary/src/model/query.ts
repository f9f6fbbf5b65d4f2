import type { Collection } from './collection.ts'
import { type Condition, isNever, isNothing, isWanted, matches, type Wanted } from './condition.ts'
import { type InputIssue, shown, unprocessable } from './errors.ts'
import type { Facet, Facets, FacetValue, ValueRange } from './facet.ts'
import { facetValuesOf, typedValue } from './facet-values.ts'
import { compareBytes, escapeComponent, keyProblem, unescapeComponent } from './key-text.ts'
import type { OptionNames } from './known-options.ts'
import { type Order, orderNamed } from './order.ts'
import { ownValue } from './own-value.ts'
import { parseWhere } from './parse-where.ts'
import { type Bound, higherOf, isEmptyRange, lowerOf, orderValue } from './position.ts'
import type { WhereInput } from './read-condition.ts'
import { isInRange, isRange } from './value-range.ts'

/** The end of a list that is read first: with `newest` the highest position, with `oldest` the lowest. */
export type ListOrder = 'newest' | 'oldest'

/**
 * The most items of one page.
 *
 * @example
 * ```ts run
 * const page = await lapidary.comments.list({ scope: '42', limit: MAX_LIMIT })
 * ```
 */
export const MAX_LIMIT = 100
/**
 * The number of items on a page whose query names none.
 *
 * @example
 * ```ts run
 * const { page } = await lapidary.comments.list({ scope: '42' })
 * const isDefault = page.size === DEFAULT_LIMIT
 * ```
 */
export const DEFAULT_LIMIT = 20

/** The end that is read first, by each word for it. */
const ENDS: Readonly<Record<string, ListOrder>> = {
  ...{ newest: 'newest', highest: 'newest' },
  ...{ oldest: 'oldest', lowest: 'oldest' },
}

/** A filter as it was asked for, before it is checked against the declaration. */
export interface QueryInput {
  /** One scope, or several that are merged; absent for all, where an index lists them. */
  readonly scope?: string | readonly string[] | undefined
  /** What is asked of facets by their names, and `AND`, `OR` and `NOT` of such filters. */
  readonly where?: WhereInput
  /** The name of the order; the default one when not given. */
  readonly by?: string | undefined
  /** The lowest order value, inclusive. */
  readonly from?: unknown
  /** The highest order value, exclusive. */
  readonly to?: unknown
  /** `highest` is another word for `newest`, and `lowest` for `oldest`, in an order that is no time. */
  readonly order?: ListOrder | 'highest' | 'lowest'
  readonly limit?: number
}

/** The names of a query's options. */
export const QUERY_NAMES: OptionNames<QueryInput> = {
  ...{ scope: true, where: true, by: true, from: true, to: true, order: true, limit: true },
}

/** The values that each narrowed facet may have; a facet that is absent may have any value. */
export type Selection = Readonly<Record<string, readonly FacetValue[]>>

/** The values, or the range of numbers or texts, that each narrowed facet may have. */
export type Filter = Readonly<Record<string, Wanted>>

/** The scope that stands for all scopes; no scope is empty. */
export const EVERY_SCOPE = ''

/** Returns the scopes of a query; none for all. */
export function scopesOf({ scope, alsoIn = [] }: Pick<Query, 'scope' | 'alsoIn'>): readonly string[] {
  return scope === EVERY_SCOPE ? [] : [scope, ...alsoIn]
}

/** A checked filter in canonical form: equal questions are equal objects, whatever layout answers them. */
export interface Query {
  /** {@link EVERY_SCOPE} for all. */
  readonly scope: string
  /** Further scopes, whose items are merged with those of the first. */
  readonly alsoIn?: readonly string[]
  /**
   * The facets that lists are chosen by: those of which some values are named. Values are sorted, without repeats. A range of a closed `anyOf`
   * facet becomes the values in it, and a range of the order's attribute becomes `from` and `to`.
   */
  readonly where: Filter
  /**
   * Facets of which all declared values were named, with those values. As a rule items have no other value, so lists are not chosen by them, and
   * items are checked after they are read: an item may still hold a value that was taken out of the declaration.
   */
  readonly whole?: Selection
  /** Ranges of closed facets as they were asked: the values in them change with the declaration, and cursors go by the range. */
  readonly ranges?: Readonly<Record<string, ValueRange>>
  /** What items have to meet beside `where`: what is asked by `OR`, `NOT` and `hasEvery`, in so far as `where` can't say it. */
  readonly also?: Condition
  /** The name of the order; undefined for the default order. */
  readonly by?: string
  /** The bound below every item of the lowest order value. */
  readonly from: Bound | undefined
  /** The bound below every item of the first order value that is too high. */
  readonly to: Bound | undefined
  readonly order: ListOrder
  readonly limit: number
  /** Whether a function of the caller also judges items after they are read. */
  readonly having?: true
}

/**
 * Checks a filter against the declaration and brings it into canonical form.
 *
 * @throws {LapidaryError} `unprocessable`, with each wrong value named.
 * @example
 * ```ts run
 * const { where } = parseQuery(comments, { scope: '42', where: { rating: [5, 4, 4] } }) // { rating: [4, 5] }
 * ```
 */
export function parseQuery(collection: Collection, input: QueryInput): Query {
  const errors: InputIssue[] = []
  const by = selectedOrder(collection, input.by, errors)
  const inOrder = orderNamed(collection, by)
  const { where, whole, ranges, ofOrder, also } = parseWhere(collection.facets, input.where ?? {}, inOrder, errors)
  const from = [input.from, ofOrder?.from].map((value) => bound(inOrder, 'from', value, errors)).reduce(higherOf)
  const to = [input.to, ofOrder?.to].map((value) => bound(inOrder, 'to', value, errors)).reduce(lowerOf)
  const [scope = EVERY_SCOPE, ...others] = selectedScopes(collection, input.scope, errors)
  const limit = input.limit ?? DEFAULT_LIMIT
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
    errors.push({ path: 'limit', message: `must be a whole number from 1 to ${MAX_LIMIT}, not ${shown(input.limit)}` })
  }
  const { order: end = 'newest' } = input
  const order = Object.hasOwn(ENDS, end) ? (ENDS[end] as ListOrder) : 'newest'
  if (!Object.hasOwn(ENDS, end)) {
    errors.push({ path: 'order', message: `must be newest or oldest (highest or lowest), not ${shown(end)}` })
  }
  if (errors.length > 0) throw unprocessable('the query was refused', errors)
  const alsoIn = others.length === 0 ? {} : { alsoIn: Object.freeze(others) }
  const query = {
    scope,
    ...alsoIn,
    where: Object.freeze(where),
    ...(by === undefined ? {} : { by }),
    from,
    to,
    order,
    limit,
  }
  return Object.freeze({
    ...query,
    ...(Object.keys(whole).length === 0 ? {} : { whole: Object.freeze(whole) }),
    ...(Object.keys(ranges).length === 0 ? {} : { ranges: Object.freeze(ranges) }),
    ...(also === undefined ? {} : { also }),
  })
}

/** Returns all that a query asks of facets, those included of which it names all declared values. */
export function askedOf({ where, whole }: Pick<Query, 'where' | 'whole'>): Filter {
  return whole === undefined ? where : { ...where, ...whole }
}

/** Tells whether a filter lets an item through. */
export function selects(where: Filter, item: Readonly<Record<string, unknown>>, facets: Facets = {}): boolean {
  return Object.entries(where).every(([name, wanted]) =>
    facetValuesOf(item, name, ownValue(facets, name)).some((value) => isWanted(wanted, value)),
  )
}

/** Tells whether an item answers all that a query asks of its facets. */
export function answers(
  { facets }: Pick<Collection, 'facets'>,
  query: Pick<Query, 'where' | 'whole' | 'also'>,
  item: Readonly<Record<string, unknown>>,
): boolean {
  return selects(askedOf(query), item, facets) && (query.also === undefined || meets(facets, query.also, item))
}

/** Tells whether an item meets a condition. */
export function meets(facets: Facets, condition: Condition, item: Readonly<Record<string, unknown>>): boolean {
  return matches(condition, (name) => facetValuesOf(item, name, ownValue(facets, name)))
}

/**
 * Replaces the ranges of a filter by the known values in them; without known values it leaves the ranges out.
 *
 * @example
 * ```ts run
 * const { where } = parseQuery(comments, { scope: '42', where: { rating: { from: 4 } } })
 * const { rating } = knownSelection(where) // [4, 5]
 * ```
 */
export function knownSelection(
  where: Filter,
  known: (facet: string) => readonly FacetValue[] | undefined = () => undefined,
): Selection {
  return Object.fromEntries(
    Object.entries(where).flatMap(([name, wanted]) => {
      const values = isRange(wanted) ? known(name)?.filter((value) => isInRange(wanted, value)) : wanted
      return values === undefined ? [] : [[name, values]]
    }),
  )
}

/** A text that no escaped text equals: those have two digits behind each `%`. */
const NO_VALUE = '%~'

/** Returns the text of a facet's value inside a key. */
export function facetText(value: FacetValue): string {
  return value === null ? NO_VALUE : escapeComponent(String(value))
}

/** Returns the value of a text made by {@link facetText}. */
export function facetFromText(facet: Facet, text: string): FacetValue {
  return text === NO_VALUE ? null : (typedValue(facet, unescapeComponent(text)) as FacetValue)
}

/** Tells whether a query asks for all items that its filter selects: it has no range, and an order that no item may be missing from. */
export function isWhole(collection: Collection, { by, from, to }: Query): boolean {
  return from === undefined && to === undefined && orderNamed(collection, by).optional !== true
}

/** Tells whether a query can have no answer: some facet has an empty set of values, or the range is empty. */
export function isEmptyQuery(query: Query): boolean {
  return (
    Object.values(query.where).some(isNothing) ||
    (query.also !== undefined && isNever(query.also)) ||
    isEmptyRange({ lower: query.from, upper: query.to })
  )
}

/** Tells whether a query may name no scope, since an index lists all of them together. */
export function listsAllScopes({ indexes }: Pick<Collection, 'indexes'>): boolean {
  return Object.values(indexes ?? {}).some(({ across }) => across !== undefined)
}

/** The most scopes of one query: each is a list or more. */
const MOST_SCOPES = 32

function selectedScopes(collection: Collection, given: QueryInput['scope'], errors: InputIssue[]): readonly string[] {
  const path = collection.scope.attribute
  if (given === undefined && listsAllScopes(collection)) return []
  if (given === undefined) {
    errors.push({ path, message: 'is missing: the query names no scope (on the command line --scope)' })
    return []
  }
  const scopes = [...new Set([given].flat())]
  if (scopes.length === 0 || scopes.length > MOST_SCOPES)
    errors.push({ path, message: `takes 1 to ${MOST_SCOPES} scopes, not ${scopes.length}` })
  for (const scope of scopes) {
    const problem = keyProblem(scope)
    if (problem !== undefined) errors.push({ path, message: problem })
  }
  return scopes.sort(compareBytes)
}

/** Returns the name of the order; undefined for the default one, whatever its name. */
function selectedOrder(collection: Collection, by: unknown, errors: InputIssue[]): string | undefined {
  const { order, orders } = collection
  if (by === undefined) return undefined
  if (typeof by === 'string' && Object.hasOwn(orders, by)) return orders[by] === order ? undefined : by
  errors.push({ path: 'by', message: `is no order, ${shown(by)}; the orders are ${Object.keys(orders).join(', ')}` })
  return undefined
}

function bound(order: Order, path: 'from' | 'to', value: unknown, errors: InputIssue[]): Bound | undefined {
  if (value === undefined) return undefined
  try {
    return Object.freeze({ order: orderValue(order, value), id: undefined, side: 'before' })
  } catch {
    errors.push({
      path,
      message: `must be a value of ${order.attribute} (${order.type}), not ${shown(value)}`,
    })
    return undefined
  }
}
