import fc from 'fast-check'
import type { Item } from '../../model/collection.ts'
import type { FacetValue } from '../../model/facet.ts'
import type { QueryInput } from '../../model/query.ts'
import type { CollectionCase } from './collections.ts'
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
 * Items of a case with unique ids, most of them in the first scope, with many ties in their order.
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
 * One item of a case.
 *
 * @example
 * ```ts run
 * import fc from 'fast-check'
 *
 * fc.assert(fc.property(collectionCase().chain(itemOf), ({ id }) => id !== ''))
 * ```
 */
export function itemOf({ facets, orderValues }: CollectionCase): fc.Arbitrary<Item> {
  const whole = fc.record(
    {
      id: awkwardId(),
      parent: fc.oneof({ weight: 8, arbitrary: fc.constant('42') }, fc.constantFrom(...SCOPES)),
      at: fc.constantFrom(...orderValues),
      note: awkwardText(40),
      ...valuesOf(facets),
    },
    { noNullPrototype: true },
  )
  return fc.tuple(whole, fc.nat(255)).map(([item, left]) => withoutSome(item, left))
}

/**
 * Other facet values for an item.
 *
 * @example
 * ```ts run
 * import fc from 'fast-check'
 *
 * fc.assert(fc.property(collectionCase().chain(changeOf), (change) => !('id' in change)))
 * ```
 */
export function changeOf({ facets }: CollectionCase): fc.Arbitrary<Item> {
  return fc.record(valuesOf(facets), { requiredKeys: [], noNullPrototype: true })
}

function valuesOf(facets: CollectionCase['facets']): Record<string, fc.Arbitrary<FacetValue | FacetValue[]>> {
  return Object.fromEntries(
    Object.entries(facets).map(([name, { kind, values }]) => [
      name,
      kind === 'eachOf' ? someOf(values.filter((value) => value !== null)) : fc.constantFrom(...values),
    ]),
  )
}

/** None, some, one of them twice; or nothing at all. */
function someOf(values: readonly FacetValue[]): fc.Arbitrary<FacetValue | FacetValue[]> {
  const some = fc.array(fc.constantFrom(...values), { maxLength: 5 })
  return fc.oneof({ weight: 5, arbitrary: some }, { weight: 1, arbitrary: fc.constant(null) })
}

/** An attribute that is null is as well left out. */
function withoutSome(item: Item, left: number): Item {
  const isLeft = (name: string, i: number): boolean => item[name] === null && (left >> i) % 2 === 1
  const names = Object.keys(item).filter((name, i) => !isLeft(name, i))
  return Object.fromEntries(names.map((name) => [name, item[name]]))
}

/**
 * Queries of a case: any facets, any sets (empty and complete ones too), ranges that begin and end at ties, both orders.
 *
 * @example
 * ```ts run
 * import fc from 'fast-check'
 *
 * fc.assert(fc.property(collectionCase().chain(queryOf), ({ scope }) => SCOPES.includes(String(scope))))
 * ```
 */
export function queryOf({ facets, orderValues }: CollectionCase): fc.Arbitrary<QueryInput> {
  const where = Object.fromEntries(
    Object.entries(facets).map(([name, { kind, values }]): [string, fc.Arbitrary<FacetValue | FacetValue[]>] => {
      const one = fc.constantFrom(...values)
      return [name, kind === 'oneOf' ? one : fc.oneof(one, fc.shuffledSubarray([...values]))]
    }),
  )
  const bound = fc.option(fc.constantFrom(...orderValues), { nil: undefined, freq: 2 })
  return fc
    .record({
      scope: fc.oneof({ weight: 8, arbitrary: fc.constant('42') }, fc.constantFrom(...SCOPES)),
      where: fc.record(where, { requiredKeys: [], noNullPrototype: true }),
      from: bound,
      to: bound,
      order: fc.constantFrom<'newest' | 'oldest'>('newest', 'oldest'),
      limit: fc.oneof({ weight: 3, arbitrary: fc.integer({ min: 1, max: 10 }) }, fc.integer({ min: 1, max: 100 })),
    })
    .map(({ from, to, ...query }) => ({
      ...query,
      ...(from === undefined ? {} : { from }),
      ...(to === undefined ? {} : { to }),
    }))
}
