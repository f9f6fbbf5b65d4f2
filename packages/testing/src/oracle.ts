import {
  type Bound,
  type Collection,
  DEFAULT_LIMIT,
  type Facet,
  type FacetValue,
  type HeldValues,
  type Item,
  type Position,
  type QueryInput,
  type ValueRange,
} from 'lapidary'
import { addedDecimals, orderNamed, ownValue, positionOf } from 'lapidary/internal'

/** The point at which a page of the oracle begins, and the direction in which it goes on. */
export interface OraclePoint {
  readonly direction: 'forward' | 'backward'
  readonly bound: Bound
}

/** The expected page: its items in the query's order, and whether more follow in the direction of the read. */
export interface OraclePage<I> {
  readonly items: readonly I[]
  readonly more: boolean
}

/** The truth: all items in memory, filtered, sorted and sliced. It shares the position with the library, but neither planner nor executor. */
export interface Oracle<I> {
  put(item: I): void
  delete(id: string): void
  get(id: string): I | undefined
  /** Returns all items that answer the query, in its order. */
  matching(query: QueryInput): readonly I[]
  /** Returns the page from a point on; without one, the first. */
  page(query: QueryInput, point?: OraclePoint): OraclePage<I>
}

/**
 * Makes an empty oracle of a collection.
 *
 * @example
 * ```ts run
 * const oracle = createOracle(comments)
 * oracle.put(comment)
 * const { items, more } = oracle.page({ scope: '42', where: { rating: [4, 5] }, limit: 20 })
 * ```
 */
export function createOracle<I>(collection: Collection<I>): Oracle<I> {
  const items = new Map<string, I>()
  const idOf = (item: I): string => String((item as Item)[collection.id])
  const positionsBy =
    (query: QueryInput) =>
    (item: I): Position =>
      positionOf({ ...collection, order: orderNamed(collection, query.by) }, item as Item)

  const matching = (query: QueryInput): readonly I[] => {
    const found = [...items.values()].filter((item) => isAnswer(collection, query, item as Item))
    const positionIn = positionsBy(query)
    const ascending = found.sort((a, b) => compareAscending(positionIn(a), positionIn(b)))
    return isUpward(query) ? ascending : ascending.reverse()
  }

  return {
    put: (item) => void items.set(idOf(item), item),
    delete: (id) => void items.delete(id),
    get: (id) => items.get(id),
    matching,
    page(query, point) {
      const { limit = DEFAULT_LIMIT } = query
      const all = matching(query)
      if (point === undefined) return { items: all.slice(0, limit), more: all.length > limit }
      const forward = point.direction === 'forward'
      const ascending = isUpward(query) === forward
      const positionIn = positionsBy(query)
      const rest = all.filter((item) => {
        const { id = '', order, side } = point.bound
        const comparison = compareAscending(positionIn(item), { order, id })
        const isAbove = comparison === 0 ? side === 'before' : comparison > 0
        return ascending ? isAbove : !isAbove
      })
      return {
        items: forward ? rest.slice(0, limit) : rest.slice(Math.max(0, rest.length - limit)),
        more: rest.length > limit,
      }
    },
  }
}

function isUpward({ order }: QueryInput): boolean {
  return order === 'oldest' || order === 'lowest'
}

function isAnswer(collection: Collection, query: QueryInput, item: Item): boolean {
  const scopes = [query.scope ?? []].flat()
  if (query.scope !== undefined && !scopes.includes(item[collection.scope.attribute] as string)) return false
  if (truthOf(collection, query.where ?? {}, item) !== true) return false
  const order = orderNamed(collection, query.by)
  const value = ownValue(item, order.attribute)
  // An item without the attribute is in no list of that order.
  if (query.by !== undefined && (value === undefined || value === null)) return false
  const compare = order.type === 'decimal' ? compareDecimals : compareOrder
  if (query.from !== undefined && compare(value, query.from) < 0) return false
  return query.to === undefined || compare(value, query.to) < 0
}

/**
 * Tells whether a filter holds, as SQL does: what is asked of a facet with declared values is unknown for an item that holds another, and so is
 * its opposite.
 */
type Truth = boolean | undefined

type Where = NonNullable<QueryInput['where']>

function truthOf(collection: Collection, where: Where, item: Item): Truth {
  const filters = (given: unknown): readonly Truth[] =>
    [given].flat().map((filter) => truthOf(collection, filter as Where, item))
  const parts = Object.entries(where).flatMap(([name, asked]): readonly Truth[] => {
    if (asked === undefined) return []
    if (name === 'AND') return [every(filters(asked))]
    if (name === 'OR') return [opposite(every(filters(asked).map(opposite)))]
    if (name === 'NOT') return filters(asked).map(opposite)
    return [
      holds(collection.facets[name] as Facet, asked, heldOf(collection.facets[name] as Facet, item, name) ?? null),
    ]
  })
  return every(parts)
}

/** Returns what an item holds of a facet, read as plainly as can be: it shares nothing with the library. */
function heldOf({ origin }: Facet, item: Item, name: string): unknown {
  if (origin === undefined) return ownValue(item, name)
  if ('of' in origin) return (origin.of as (item: Item) => unknown)(item)
  let held: unknown = item
  for (const part of origin.path.split('.')) {
    held = typeof held === 'object' && held !== null ? new Map(Object.entries(held)).get(part) : undefined
  }
  return held
}

function every(parts: readonly Truth[]): Truth {
  return parts.includes(false) ? false : parts.includes(undefined) ? undefined : true
}

function opposite(truth: Truth): Truth {
  return truth === undefined ? undefined : !truth
}

function holds(facet: Facet, asked: unknown, held: unknown): Truth {
  const { kind, values } = facet
  // A range without ends asks nothing.
  const isAsked = typeof asked !== 'object' || asked === null || Array.isArray(asked)
  if (!isAsked && Object.values(asked).every((end) => end === undefined)) return true
  if (kind !== 'eachOf' && values !== undefined && !values.includes(held as FacetValue)) return undefined
  if (typeof asked !== 'object' || asked === null) return isAmong([asked], held, facet)
  if (Array.isArray(asked)) return isAmong(asked, held, facet)
  if ('startsWith' in asked) return typeof held === 'string' && held.startsWith(String(asked.startsWith))
  const { has, hasEvery = [], hasNone = [] } = asked as HeldValues
  if (has !== undefined && !isAmong([has].flat(), held, facet)) return false
  if (![hasEvery].flat().every((value) => isAmong([value], held, facet))) return false
  if (isAmong([hasNone].flat(), held, facet)) return false
  return isBetween(asked as ValueRange, held)
}

function isBetween({ from, to }: ValueRange, value: unknown): boolean {
  if (from === undefined && to === undefined) return true
  if (typeof value !== typeof (from ?? to)) return false
  return (from === undefined || compareOrder(value, from) >= 0) && (to === undefined || compareOrder(value, to) < 0)
}

function isAmong(wanted: readonly unknown[], value: unknown, facet: Facet | undefined): boolean {
  if (facet?.kind !== 'eachOf') return wanted.includes(value)
  const { separator } = facet
  if (value === null || (Array.isArray(value) && value.length === 0)) return wanted.includes(null)
  if (separator === undefined) return (value as readonly unknown[]).some((each) => wanted.includes(each))
  return wanted.some((branch) => branch !== null && `${value}${separator}`.startsWith(`${branch}${separator}`))
}

function compareAscending(a: Position, b: Position): number {
  return compareOrder(a.order, b.order) || Buffer.compare(Buffer.from(a.id), Buffer.from(b.id))
}

/** Compares by the sign of the difference. */
function compareDecimals(a: unknown, b: unknown): number {
  const minus = String(b).startsWith('-') ? String(b).slice(1) : `-${String(b)}`
  const difference = addedDecimals(String(a), minus)
  return difference === '0' ? 0 : difference.startsWith('-') ? -1 : 1
}

/** Compares numbers as numbers, and texts by their UTF-8 bytes, which for times is by time. */
function compareOrder(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  return Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b)))
}
