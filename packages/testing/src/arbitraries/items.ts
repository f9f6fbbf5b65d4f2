import fc from 'fast-check'
import type { AskedOfFacet, FacetValue, Item, QueryInput, ValueRange, WhereInput } from 'lapidary'
import { type CollectionCase, type FacetCase, isEach, type OrderCase } from './collections.ts'
import { placedValues } from './facet-place.ts'
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
  return fc.tuple(whole, fc.nat(255)).map(([item, left]) => withoutSome(placedValues(facets, item), left))
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
  const changes = fc.record({ ...drawnValues(facets), ...ranksOf(rank) }, { requiredKeys: [], noNullPrototype: true })
  return changes.map((change) => placedValues(facets, change))
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

/** Draws ranges that begin and end at values, empty ones and, where they may ask nothing, open ones too. */
function rangesOf(values: readonly FacetValue[], mayAskNothing: boolean): readonly fc.Arbitrary<AskedOfFacet>[] {
  return (['number', 'string'] as const).flatMap((type) => {
    const ends = values.filter((value) => typeof value === type)
    if (ends.length === 0) return []
    const end = fc.option(fc.constantFrom(...ends), { nil: undefined, freq: 3 })
    const range = fc.record({ from: end, to: end }, { noNullPrototype: true }) as fc.Arbitrary<ValueRange>
    return mayAskNothing ? [range] : [range.filter(({ from, to }) => from !== undefined || to !== undefined)]
  })
}

/** Draws the first characters of texts, none and all of them too. */
function beginningsOf(values: readonly FacetValue[]): readonly fc.Arbitrary<AskedOfFacet>[] {
  const texts = values.filter((value) => typeof value === 'string')
  if (texts.length === 0) return []
  return [
    fc
      .record({ text: fc.constantFrom(...texts), length: fc.nat(4) })
      .map(({ text, length }) => ({ startsWith: Array.from(text).slice(0, length).join('') })),
  ]
}

/** Draws what may be asked of several values: any, each, none of some, and these together. */
function heldOf(values: readonly FacetValue[]): fc.Arbitrary<AskedOfFacet> {
  const some = fc.oneof(fc.constantFrom(...values), fc.shuffledSubarray([...values], { minLength: 1 }))
  return fc
    .record({ has: some, hasEvery: some, hasNone: some }, { requiredKeys: [], noNullPrototype: true })
    .filter((held) => Object.keys(held).length > 0)
}

/** Draws what a filter may ask of one facet: a value, a set (an empty one and a complete one too), a range, a beginning. */
function askedOf({ kind, values }: FacetCase, mayAskNothing: boolean): fc.Arbitrary<AskedOfFacet> {
  const one: fc.Arbitrary<AskedOfFacet> = fc.constantFrom(...values)
  const some: fc.Arbitrary<AskedOfFacet> = kind === 'oneOf' ? one : fc.oneof(one, fc.shuffledSubarray([...values]))
  const further = isEach(kind) ? [heldOf(values)] : [...rangesOf(values, mayAskNothing), ...beginningsOf(values)]
  return fc.oneof({ weight: 3, arbitrary: some }, ...further.map((arbitrary) => ({ weight: 1, arbitrary })))
}

/**
 * Draws filters of a case: any facets, any sets (empty and complete ones too), ranges, beginnings, and `AND`, `OR` and `NOT` of such filters.
 *
 * @param levels How deep `AND`, `OR` and `NOT` are in each other.
 * @example
 * ```ts run
 * import fc from 'fast-check'
 *
 * fc.assert(fc.property(collectionCase().chain((made) => whereOf(made, 2)), (where) => typeof where === 'object'))
 * ```
 */
export function whereOf({ facets }: Pick<CollectionCase, 'facets'>, levels: number): fc.Arbitrary<WhereInput> {
  const asked = (mayAskNothing: boolean): Record<string, fc.Arbitrary<AskedOfFacet>> =>
    Object.fromEntries(Object.entries(facets).map(([name, facet]) => [name, askedOf(facet, mayAskNothing)]))
  const optional = { requiredKeys: [], noNullPrototype: true }
  const terms = fc
    .shuffledSubarray(Object.entries(asked(false)), {
      minLength: 1,
      maxLength: Math.min(2, Object.keys(facets).length),
    })
    .chain((some): fc.Arbitrary<WhereInput> => fc.record(Object.fromEntries(some), { noNullPrototype: true }))
  const combined = (
    inner: fc.Arbitrary<WhereInput>,
  ): Record<'AND' | 'OR' | 'NOT', fc.Arbitrary<WhereInput[string]>> => {
    const several = fc.array(inner, { minLength: 1, maxLength: 2 })
    return { AND: fc.oneof(inner, several), OR: several, NOT: fc.oneof(inner, several) }
  }
  const within = (level: number): fc.Arbitrary<WhereInput> => {
    if (level === 0) return terms
    const deeper = Object.entries(combined(within(level - 1))).map(([name, filters]) =>
      fc.record({ [name]: filters }, { noNullPrototype: true }),
    )
    return fc.oneof(
      terms,
      ...deeper,
      fc.tuple(terms, fc.oneof(...deeper)).map(([flat, deep]) => ({ ...flat, ...deep })),
    )
  }
  const whole = { ...asked(true), ...(levels === 0 ? {} : combined(within(levels - 1))) }
  return fc.record(whole, optional) as fc.Arbitrary<WhereInput>
}

/**
 * Draws queries of a case: any filter ({@link whereOf}), ranges that begin and end at ties, any order, both ways.
 *
 * @example
 * ```ts run
 * import fc from 'fast-check'
 *
 * fc.assert(fc.property(collectionCase().chain(queryOf), ({ scope }) => SCOPES.includes(String(scope))))
 * ```
 */
export function queryOf({ facets, orderValues, rank }: CollectionCase): fc.Arbitrary<QueryInput> {
  const where = fc.oneof(
    { weight: 3, arbitrary: whereOf({ facets }, 0) },
    { weight: 2, arbitrary: whereOf({ facets }, 2) },
  )
  const inOrder = (by: string | undefined, values: readonly (string | number)[]): fc.Arbitrary<Ordered> => {
    const bound = fc.option(fc.constantFrom(...values), { nil: undefined, freq: 2 })
    return fc.record({ by: fc.constant(by), from: bound, to: bound })
  }
  const byDefault = inOrder(undefined, orderValues)
  return fc
    .record({
      scope: fc.oneof({ weight: 8, arbitrary: fc.constant('42') }, fc.constantFrom(...SCOPES)),
      where,
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
