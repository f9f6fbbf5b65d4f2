import type { StandardSchemaV1 } from '@standard-schema/spec'
import fc from 'fast-check'
import {
  anyOf,
  type Collection,
  defineCollection,
  eachOf,
  type Facet,
  type Facets,
  type FacetType,
  type FacetValue,
  hierarchy,
  type IndexDeclaration,
  type Item,
  type Order,
  type OrderType,
  oneOf,
} from 'lapidary'
import { type IdOrder, plainDecimal } from 'lapidary/internal'
import { attributeIn, type FacetPlace, originOptions } from './facet-place.ts'
import { awkwardText } from './texts.ts'

/**
 * One facet of a made-up collection. `values` are those that items have, declared only where it is closed; null is one of them where the facet
 * is optional. Items have arrays of them for an `eachOf` facet.
 */
export interface FacetCase {
  readonly kind: 'oneOf' | 'anyOf' | 'eachOf' | 'hierarchy'
  readonly closed: boolean
  readonly values: readonly FacetValue[]
  readonly frequencies: Readonly<Record<string, number>> | undefined
  /** Where items have its values; in the attribute of its name when not given. */
  readonly place?: FacetPlace | undefined
}

/** An order beside the default one. */
export interface OrderCase {
  readonly type: OrderType
  readonly optional: boolean
  /** The values that items have. */
  readonly values: readonly (string | number)[]
}

/** The indexes of a made-up collection; undefined for the default ones. */
export type IndexCases = Readonly<Record<string, IndexDeclaration>> | undefined

/** A made-up collection as plain data, so that a failing case prints as something to read. */
export interface CollectionCase {
  readonly facets: Readonly<Record<string, FacetCase>>
  readonly orderType: OrderType
  /** The order `rank`, by the attribute of that name, beside the default one. */
  readonly rank: OrderCase | undefined
  readonly idOrder: IdOrder
  /** The order values that items have: few, so that ties are many. */
  readonly orderValues: readonly (string | number)[]
  readonly indexes: IndexCases
  /** Another set of indexes for the same collection. */
  readonly otherIndexes: IndexCases
  readonly shortNames: boolean
  readonly itemBytes: number
  readonly maxSources: number
}

/** A collection whose items and facets are only known at run time. */
export type CaseCollection = Collection<Item, Facets>

/** Names of facets; some are names of members that every object inherits. */
const FACET_NAMES = [
  ...['language', 'rating', 'a', 'b', 'a.b', 'état-😀'],
  ...['constructor', 'toString', 'valueOf', 'hasOwnProperty'],
] as const
const TIMES = [
  '0000-01-01T00:00:00.000Z',
  '2019-12-31T23:59:59.999Z',
  '2020-01-01T00:00:00.000Z',
  '2020-01-01T00:00:00.001Z',
  '2020-06-01T00:00:00.000Z',
  '9999-12-31T23:59:59.999Z',
]
const NUMBERS = [-1e15, -10, -9, -1.5, -1, -1e-10, 0, 1e-10, 1, 2, 9, 10, 1.5, 1e15]
/** Decimals; a double can't tell some of them apart. */
const DECIMALS = [
  ...['-99999999999999999999999999999999999999', '-1.5', '-1.49999999999999999999999999999999999', '0', '1e-130'],
  ...[
    '0.1',
    '0.10000000000000000000000000000000000001',
    '9',
    '10',
    '12345678901234567890.123456789012345678',
    '9.9e125',
  ],
].map(plainDecimal)
/** Bytes of items: from so few that a block holds a page to so many that a block holds no item. */
const ITEM_BYTES = [1, 60, 512, 512, 3000, 5000, 100_000]

/**
 * Makes the collection that a case describes.
 *
 * @example
 * ```ts run
 * import fc from 'fast-check'
 *
 * fc.assert(fc.property(collectionCase(), (made) => collectionOf(made).name === 'THING'))
 * ```
 */
export function collectionOf(
  { facets, orderType, rank, idOrder, indexes, shortNames, itemBytes }: CollectionCase,
  declared: IndexCases = indexes,
): CaseCollection {
  const places = Object.entries(facets).map(([name, { place }]) => attributeIn(name, place))
  const attributes = ['id', 'parent', 'at', 'note', ...places, ...(rank === undefined ? [] : ['rank'])]
  return defineCollection({
    name: 'THING',
    schema: anySchema,
    id: 'id',
    scope: { name: 'PARENT', attribute: 'parent' },
    order: { attribute: 'at', type: orderType },
    ...(rank === undefined ? {} : { orders: { rank: rankOrder(rank) } }),
    numbers: {
      ...(orderType === 'decimal' ? { at: 'decimal' } : {}),
      ...(rank?.type === 'decimal' ? { rank: 'decimal' } : {}),
    },
    facets: Object.fromEntries(Object.entries(facets).map(([name, facet]) => [name, caseFacet(name, facet)])) as Facets,
    itemBytes,
    idOrder,
    ...(declared === undefined ? {} : { indexes: declared }),
    ...(shortNames ? { attributes: Object.fromEntries(attributes.map((name, i) => [name, `x${i}`])) } : {}),
  })
}

function rankOrder({ type, optional }: OrderCase): Order {
  return optional ? { attribute: 'rank', type, optional } : { attribute: 'rank', type }
}

/** Takes any input; the library itself checks facets, order and keys. */
const anySchema: StandardSchemaV1<unknown, Item> = {
  '~standard': { version: 1, vendor: 'lapidary', validate: (value) => ({ value: value as Item }) },
}

function caseFacet(name: string, { kind, closed, values, frequencies, place }: FacetCase): Facet {
  const shares = { ...(frequencies === undefined ? {} : { frequencies }), ...originOptions(name, place) }
  const options = { optional: values.includes(null), ...shares }
  const present = values.filter((value) => value !== null)
  const type = typeof present[0] as FacetType
  if (kind === 'hierarchy') return hierarchy('/', shares)
  if (kind === 'eachOf') return closed ? eachOf(present, shares) : eachOf(type, shares)
  if (kind === 'oneOf') return closed ? oneOf(present, options) : oneOf(type, options)
  return closed ? anyOf(present, options) : anyOf(type, options)
}

/**
 * Draws collections of 1 to 4 facets with any set of indexes, one of which can always answer.
 *
 * @param options `places`: whether facets may have their values from paths and functions; true when not given.
 * @example
 * ```ts run
 * import fc from 'fast-check'
 *
 * fc.assert(fc.property(collectionCase(), ({ facets }) => Object.keys(facets).length > 0))
 * ```
 */
export function collectionCase({ places = true }: { readonly places?: boolean } = {}): fc.Arbitrary<CollectionCase> {
  return fc
    .record({
      names: fc.shuffledSubarray([...FACET_NAMES], { minLength: 1, maxLength: 4 }),
      facets: fc.array(facetCase(places), { minLength: 4, maxLength: 4 }),
      orderType: fc.constantFrom<OrderType>('time', 'time', 'number', 'decimal', 'string'),
      rank: fc.option(rankCase(), { nil: undefined, freq: 3 }),
      idOrder: fc.constantFrom<IdOrder>('escaped', 'raw'),
      shortNames: fc.boolean(),
      itemBytes: fc.constantFrom(...ITEM_BYTES),
      maxSources: fc.constantFrom(1, 2, 5, 32),
    })
    .chain(({ names, facets: made, ...rest }) => {
      const facets = withFewEach(Object.fromEntries(names.map((name, i) => [name, made[i] as FacetCase])))
      return fc.record({
        facets: fc.constant(facets),
        orderType: fc.constant(rest.orderType),
        idOrder: fc.constant(rest.idOrder),
        orderValues: orderValues(rest.orderType),
        rank: fc.constant(rest.rank),
        indexes: indexCases(facets, rest.maxSources, rest.rank !== undefined),
        otherIndexes: indexCases(facets, rest.maxSources, rest.rank !== undefined),
        shortNames: fc.constant(rest.shortNames),
        itemBytes: fc.constant(rest.itemBytes),
        maxSources: fc.constant(rest.maxSources),
      })
    })
    .map((made) => (hasReversedKeys(made) ? { ...made, idOrder: 'escaped' } : made))
}

/** Tells whether some index has keys that are twice as long, which leave raw ids no room. */
function hasReversedKeys({ indexes = {}, otherIndexes = {} }: CollectionCase): boolean {
  return [...Object.values(indexes), ...Object.values(otherIndexes)].some(({ around }) => around === 'above')
}

function facetCase(places: boolean): fc.Arbitrary<FacetCase> {
  const texts: fc.Arbitrary<FacetValue> = awkwardText(12)
  const numbers = fc.constantFrom<FacetValue>(-1, 0, 1, 1.5, 2, 3, 4, 5)
  const booleans: fc.Arbitrary<FacetValue> = fc.boolean()
  const mixed = fc.oneof(
    { weight: 4, arbitrary: texts },
    { weight: 2, arbitrary: numbers },
    { weight: 1, arbitrary: booleans },
  )
  const distinct = (value: fc.Arbitrary<FacetValue>): fc.Arbitrary<readonly FacetValue[]> =>
    fc.uniqueArray(
      value.filter((each) => each !== 'null'),
      { minLength: 1, maxLength: 5, selector: String },
    )
  // Only a closed facet may have values of several types.
  const domain = fc.oneof(
    fc.record({ closed: fc.constant(true), values: distinct(mixed) }),
    fc.record({
      closed: fc.constant(false),
      values: fc.oneof(
        { weight: 4, arbitrary: distinct(texts) },
        { weight: 2, arbitrary: distinct(numbers) },
        { weight: 1, arbitrary: distinct(booleans) },
      ),
    }),
  )
  return fc
    .record({
      kind: fc.constantFrom<FacetCase['kind']>('oneOf', 'oneOf', 'anyOf', 'anyOf', 'eachOf', 'hierarchy'),
      paths: fc.shuffledSubarray(PATHS, { minLength: 1, maxLength: 5 }),
      domain,
      optional: fc.constantFrom(false, false, true),
      place: places ? fc.constantFrom(undefined, undefined, undefined, 'path', 'function') : fc.constant(undefined),
      shares: fc.option(fc.array(fc.constantFrom(0, 0.01, 0.2, 0.5, 1), { minLength: 5, maxLength: 5 })),
    })
    .map(({ kind, paths, domain: any, optional, place, shares }): FacetCase => {
      const domain = kind === 'hierarchy' ? { closed: false, values: paths } : any
      return {
        kind,
        closed: domain.closed,
        values: optional || isEach(kind) ? [...domain.values, null] : domain.values,
        frequencies:
          shares === null
            ? undefined
            : Object.fromEntries(domain.values.map((text, i) => [String(text), shares[i] ?? 0])),
        place,
      }
    })
}

/** Paths that are in branches of each other, or only look so. */
const PATHS = ['a', 'a/b', 'a/b/c', 'a/bc', 'ab', '#~/%*', 'a/ ', 'é/😀/%~']

/** Tells whether items may have several values of it. */
export function isEach(kind: FacetCase['kind']): boolean {
  return kind === 'eachOf' || kind === 'hierarchy'
}

/** The most `eachOf` facets in one index: with more, an item would be in too many lists. */
const MOST_EACH_OF = 2

function withFewEach(facets: Readonly<Record<string, FacetCase>>): Readonly<Record<string, FacetCase>> {
  const each = Object.keys(facets).filter((name) => isEach((facets[name] as FacetCase).kind))
  const others = each
    .slice(MOST_EACH_OF)
    .map((name) => [name, { ...(facets[name] as FacetCase), kind: 'anyOf' as const }])
  return { ...facets, ...Object.fromEntries(others) }
}

function orderValues(type: OrderType): fc.Arbitrary<readonly (string | number)[]> {
  if (type === 'time') return fc.shuffledSubarray(TIMES, { minLength: 1, maxLength: 4 })
  if (type === 'number') return fc.shuffledSubarray(NUMBERS, { minLength: 1, maxLength: 4 })
  if (type === 'decimal') return fc.shuffledSubarray(DECIMALS, { minLength: 1, maxLength: 4 })
  return fc.uniqueArray(awkwardText(12), { minLength: 1, maxLength: 4 })
}

function rankCase(): fc.Arbitrary<OrderCase> {
  return fc
    .record({
      type: fc.constantFrom<OrderType>('time', 'number', 'number', 'decimal', 'string'),
      optional: fc.boolean(),
    })
    .chain(({ type, optional }) =>
      fc.record({ type: fc.constant(type), optional: fc.constant(optional), values: orderValues(type) }),
    )
}

function indexCases(
  facets: Readonly<Record<string, FacetCase>>,
  maxSources: number,
  isRanked: boolean,
): fc.Arbitrary<IndexCases> {
  const names = Object.keys(facets)
  const any = fc
    .record({
      keyed: fc.shuffledSubarray(names),
      cut: fc.nat(4),
      sparse: fc.option(fc.constantFrom(...names), { freq: 3 }),
      holds: fc.nat(31),
      byRank: fc.boolean(),
      shards: fc.option(fc.constantFrom(2, 3), { freq: 6 }),
    })
    .map(({ keyed, cut, sparse, holds, byRank, shards }): IndexDeclaration => {
      const inOrder = isRanked && byRank ? { order: 'rank' } : {}
      const spread = shards === null ? {} : { shards }
      const index = { partition: keyed.slice(0, cut), sort: keyed.slice(cut), ...inOrder, ...spread }
      if (sparse === null) return index
      const { values } = facets[sparse] as FacetCase
      const only = values.filter((_, i) => ((holds + 1) >> i) % 2 === 1)
      return { ...index, only: { [sparse]: only.length === 0 ? values : only } }
    })
  const closed = names.filter((name) => facets[name]?.closed)
  const sorted = fc.shuffledSubarray(closed).map((sort): IndexDeclaration => {
    const sources = sort.reduce((product, name) => product * (facets[name]?.values.length ?? 1), 1)
    return { partition: [], sort: sources <= maxSources ? sort : [] }
  })
  const around = fc.constantFrom<IndexDeclaration>({ around: 'below' }, { around: 'above' })
  const answering = fc.oneof({ weight: 3, arbitrary: sorted }, { weight: 1, arbitrary: around })
  const others = fc.oneof({ weight: 5, arbitrary: any }, { weight: 1, arbitrary: around })
  const ranked = isRanked ? sorted.map((index) => [{ ...index, order: 'rank' }]) : fc.constant([])
  const declared = fc
    .tuple(answering, fc.array(others, { maxLength: 4 }), ranked)
    .map(([first, rest, ofRank]) =>
      Object.fromEntries([first, ...rest, ...ofRank].map((index, i) => [`index${i}`, index])),
    )
  // The default indexes are named by the facets, so they need plain names.
  if (!names.every((name) => /^[a-z.]+$/.test(name))) return declared
  return fc.oneof({ weight: 1, arbitrary: fc.constant(undefined) }, { weight: 3, arbitrary: declared })
}
