import fc from 'fast-check'
import type { FacetValue, Item, NumberRange, QueryInput } from 'lapidary'
import { type CollectionCase, isEach, type OrderCase } from './collections.ts'
import { awkwardId, awkwardText } from './texts.ts'

/**
 * Scopes that a careless key would let reach into each other.
 *
 * @example
 * ```ts run
 * const empty = await Promise.all(SCOPES.slice(1).map((scope) => lapidary.comments.list({ scope })))
 * ```
 */
export const SCOPES: readonly string[] = ['42', '42/en', '4']

/**
 * Draws items of a case with unique ids, most of them in the first scope, with many ties in their order.
 *
 * @example
 * ```ts run
 * import fc from 'fast-check'
 *
 * fc.assert(fc.property(collectionCase().chain((made) => itemsOf(made, 10)), (items) => items.length <= 10))
 * ```
 */
export function itemsOf(facets: CollectionCase, most = 40): fc.Arbitrary<readonly Item[]> {
  return fc.uniqueArray(itemOf(facets), { maxLength: most, selector: ({ id }) => id, size: 'max' })
}

/**
 * Draws one item of a case.
 *
 * @example
 * ```ts run
 * import fc from 'fast-check'
 *
 * fc.assert(fc.property(collectionCase().chain(itemOf), ({ id }) => id !== ''))
 * ```
 */
export function itemOf({ facets, orderValues, rank }: CollectionCase): fc.Arbitrary<Item> {
  const whole = fc.record(
    {
      id: awkwardId(),
      parent: fc.oneof({ weight: 8, arbitrary: fc.constant('42') }, fc.constantFrom(...SCOPES)),
      at: fc.constantFrom(...orderValues),
      note: awkwardText(40),
      ...drawnValues(facets),
      ...ranksOf(rank),
    },
    { noNullPrototype: true },
  )
  return fc.tuple(whole, fc.nat(255)).map(([item, left]) => withoutSome(item, left))
}

/**
 * Draws other facet values for an item, and another rank; undefined removes one.
 *
 * @example
 * ```ts run
 * import fc from 'fast-check'
 *
 * fc.assert(fc.property(collectionCase().chain(changeOf), (change) => !('id' in change)))
 * ```
 */
export function changeOf({ facets, rank }: CollectionCase): fc.Arbitrary<Item> {
  return fc.record({ ...drawnValues(facets), ...ranksOf(rank) }, { requiredKeys: [], noNullPrototype: true })
}

function drawnValues(facets: CollectionCase['facets']): Record<string, fc.Arbitrary<FacetValue | FacetValue[]>> {
  return Object.fromEntries(
    Object.entries(facets).map(([name, { kind, values }]) => [
      name,
      kind === 'eachOf' ? someOf(values.filter((value) => value !== null)) : fc.constantFrom(...values),
    ]),
  )
}

/** Draws none, some, or one of them twice; or no array at all. */
function someOf(values: readonly FacetValue[]): fc.Arbitrary<FacetValue | FacetValue[]> {
  const some = fc.array(fc.constantFrom(...values), { maxLength: 5 })
  return fc.oneof({ weight: 5, arbitrary: some }, { weight: 1, arbitrary: fc.constant(null) })
}

function ranksOf(rank: OrderCase | undefined): Record<string, fc.Arbitrary<string | number | undefined>> {
  if (rank === undefined) return {}
  const value = fc.constantFrom(...rank.values)
  return { rank: rank.optional ? fc.option(value, { nil: undefined }) : value }
}

interface Ordered {
  readonly by: string | undefined
  readonly from: string | number | undefined
  readonly to: string | number | undefined
}

/** Leaves out some attributes that are null, which means the same. */
function withoutSome(item: Item, left: number): Item {
  const isLeft = (name: string, i: number): boolean =>
    item[name] === undefined || (item[name] === null && (left >> i) % 2 === 1)
  const names = Object.keys(item).filter((name, i) => !isLeft(name, i))
  return Object.fromEntries(names.map((name) => [name, item[name]]))
}

/** Draws ranges that begin and end at values, empty and open ones too; there are none where values are no numbers. */
function rangesOf(values: readonly FacetValue[]): readonly fc.Arbitrary<NumberRange>[] {
  const numbers = values.filter((value) => typeof value === 'number')
  if (numbers.length === 0) return []
  const end = fc.option(fc.constantFrom(...numbers), { nil: undefined, freq: 3 })
  return [fc.record({ from: end, to: end }, { noNullPrototype: true })]
}

/**
 * Draws queries of a case: any facets, any sets (empty and complete ones too), ranges that begin and end at ties, any order, both ways.
 *
 * @example
 * ```ts run
 * import fc from 'fast-check'
 *
 * fc.assert(fc.property(collectionCase().chain(queryOf), ({ scope }) => SCOPES.includes(String(scope))))
 * ```
 */
export function queryOf({ facets, orderValues, rank }: CollectionCase): fc.Arbitrary<QueryInput> {
  const where = Object.fromEntries(
    Object.entries(facets).map(([name, facet]): [string, fc.Arbitrary<FacetValue | FacetValue[] | NumberRange>] => {
      const { kind, values } = facet
      const one = fc.constantFrom(...values)
      const some = kind === 'oneOf' ? one : fc.oneof(one, fc.shuffledSubarray([...values]))
      return [name, isEach(kind) ? some : fc.oneof(some, ...rangesOf(values))]
    }),
  )
  const inOrder = (by: string | undefined, values: readonly (string | number)[]): fc.Arbitrary<Ordered> => {
    const bound = fc.option(fc.constantFrom(...values), { nil: undefined, freq: 2 })
    return fc.record({ by: fc.constant(by), from: bound, to: bound })
  }
  const byDefault = inOrder(undefined, orderValues)
  return fc
    .record({
      scope: fc.oneof({ weight: 8, arbitrary: fc.constant('42') }, fc.constantFrom(...SCOPES)),
      where: fc.record(where, { requiredKeys: [], noNullPrototype: true }),
      ordered: rank === undefined ? byDefault : fc.oneof(byDefault, inOrder('rank', rank.values)),
      order: fc.constantFrom<'newest' | 'oldest'>('newest', 'oldest'),
      limit: fc.oneof({ weight: 3, arbitrary: fc.integer({ min: 1, max: 10 }) }, fc.integer({ min: 1, max: 100 })),
    })
    .map(({ ordered: { by, from, to }, ...query }) => ({
      ...query,
      ...(by === undefined ? {} : { by }),
      ...(from === undefined ? {} : { from }),
      ...(to === undefined ? {} : { to }),
    }))
}
