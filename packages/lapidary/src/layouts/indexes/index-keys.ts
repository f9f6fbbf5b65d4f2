import type { Collection, Item } from '../../model/collection.ts'
import { isDynamoDbName } from '../../model/dynamodb-name.ts'
import { LapidaryError, shown } from '../../model/errors.ts'
import { type FacetValue, listedFacets } from '../../model/facet.ts'
import { attributeOfFacet, innerParts, keySourceName } from '../../model/facet-origin.ts'
import { type Each, eachOfFacet, facetValueOf } from '../../model/facet-values.ts'
import { type Around, type IndexDeclaration, indexInOrder } from '../../model/index-declaration.ts'
import { byteLength, compareBytes, escapeComponent } from '../../model/key-text.ts'
import { type DeclaredOrders, furtherOrders, type Order, orderNamed } from '../../model/order.ts'
import { ownValue } from '../../model/own-value.ts'
import { hasPosition, isInOrder, type Position, positionOf } from '../../model/position.ts'
import { EVERY_SCOPE, facetText } from '../../model/query.ts'
import { shownNames } from '../../model/shown-names.ts'
import { shardOf } from '../../model/spread.ts'
import { type TextIndexDefinition, textIndex } from '../index-definition.ts'
import type { KeyRule } from '../key-rule.ts'
import { positionText } from '../position-text.ts'
import { reversedPositionText } from '../reversed-text.ts'
import { aroundPrefix, PARENT_SORT_KEY } from './around.ts'
import { type EntryValues, entryValuesOf, type IndexFacets } from './entry-values.ts'
import { LONGEST_PARTITION_KEY, LONGEST_SORT_KEY, requireShortKeys } from './longest-key.ts'
import { type OrderedFacet, orderedFacet } from './ordered-facet.ts'

/** A declared index with everything filled in. */
export interface FacetIndex extends TextIndexDefinition, IndexFacets {
  /** The name of the order of its lists; undefined for the default one. */
  readonly by?: string
  readonly order: Order
  readonly around?: Around
  readonly across?: number
  readonly shards?: number
  /** The facet whose attribute the lists are in the order of, if there is one. */
  readonly ordered?: OrderedFacet
}

/** Returns the collection's indexes: the declared ones, else one for each subset of the facets that is worth its writes. */
export function facetIndexes(collection: Collection): readonly FacetIndex[] {
  const declared = collection.indexes ?? defaultIndexes(Object.keys(listedFacets(collection.facets)), collection)
  return Object.entries(declared).map(([name, index]) => facetIndex(collection, name, index))
}

/**
 * Returns the default indexes. Up to three facets have all subsets (8 indexes); more have none, each alone, and all together, since each index
 * costs a write unit for each item, and the planner merges or filters for the rest. Each further order has one index, of whole scopes.
 */
export function defaultIndexes(
  facets: readonly string[],
  orders: DeclaredOrders,
): Readonly<Record<string, IndexDeclaration>> {
  const subsets = facets.length <= 3 ? allSubsets(facets) : [[], ...facets.map((facet) => [facet]), [...facets]]
  const named = Object.fromEntries(subsets.map((partition) => [indexName(partition), { partition }]))
  if (Object.keys(named).length !== subsets.length || !Object.keys(named).every(isDynamoDbName)) {
    throw new LapidaryError(
      'declaration_invalid',
      `the facets ${facets.map(shown).join(', ')} make no index names (letters, digits, _ . - and none twice); declare the indexes and name them`,
    )
  }
  const further = furtherOrders(orders).map(([order]) => [indexInOrder(indexName([]), order), { order }])
  return { ...named, ...Object.fromEntries(further) }
}

function allSubsets(facets: readonly string[]): readonly (readonly string[])[] {
  const subsets: (readonly string[])[] = [[]]
  for (const facet of facets) subsets.push(...subsets.map((subset) => [...subset, facet]))
  return subsets
}

function indexName(partition: readonly string[]): string {
  if (partition.length === 0) return 'all'
  return `by${partition.map((facet) => facet.charAt(0).toUpperCase() + facet.slice(1)).join('And')}`
}

function facetIndex(collection: Collection, name: string, declared: IndexDeclaration): FacetIndex {
  const { partition = [], sort = [], around, across, shards } = declared
  const only = Object.fromEntries(Object.entries(declared.only ?? {}).map(([facet, values]) => [facet, values ?? []]))
  // Escaped, so that an index on `a.b` and one on `a` and `b`, or a sparse one, never share a key.
  const stored = (attribute: string): string => collection.attributes?.[attribute]?.name ?? attribute
  const short = (name: string): string =>
    escapeComponent(keySourceName(name, ownValue(collection.facets, name), stored)).replaceAll('@', '%40')
  const order = orderNamed(collection, declared.order)
  if (sort.length > 0) requireShortKeys(collection, { name, sort, order })
  const by = order === collection.order ? undefined : declared.order
  const isApart = Object.keys(only).length > 0 || declared.scan === true || around !== undefined
  const apart = isApart ? `@${name}` : ''
  const each = eachOfFacets(collection, [...partition, ...sort, ...Object.keys(only)])
  const hasEach = Object.keys(each).length > 0
  if (hasEach) requireFewValues(collection, name, declared, each)
  // The partition key names the several-valued facets of the sort key too, since the entry of one value has no key of an index without that facet.
  const sortedEach = sort.filter((facet) => Object.hasOwn(each, facet))
  const sorted = sortedEach.map((facet) => `~~${short(facet)}`)
  // The first value of an item in a sparse index may differ from the item's first value.
  const isSortedApart = around !== undefined || sortedEach.some((facet) => Object.hasOwn(only, facet))
  const definition = textIndex({
    name,
    partitionKey: ['k', ...spreadName(declared), ...partition.map(short), ...sorted].join('.') + apart,
    sortKey:
      ['s', ...(by === undefined ? [] : [`~${short(order.attribute)}`]), ...sort.map(short)].join('.') +
      (isSortedApart ? apart : ''),
    // DynamoDB always projects index keys, so only the attributes that lists show have to be named.
    include: shownNames(collection),
  })
  const where = { ...(around && { around }), ...(across && { across }), ...(shards && { shards }) }
  const ofOrder = by === undefined ? { order } : { by, order }
  const ordered = around === undefined ? orderedFacet(collection, order) : undefined
  const ofValues = { ...(hasEach && { each }), ...(ordered && { ordered }) }
  return Object.freeze({ ...definition, ...ofOrder, partition, sort, only, ...where, ...ofValues })
}

function eachOfFacets({ facets }: Collection, names: readonly string[]): Readonly<Record<string, Each>> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const each = eachOfFacet(facets[name])
      return each === undefined ? [] : [[name, { separator: each.separator }] as const]
    }),
  )
}

/** The most facets of several values in one index: with three, an item of twenty values each would be in it eight thousand times. */
const MOST_EACH_OF = 2

function requireFewValues(
  { name: collection }: Collection,
  name: string,
  { partition = [], sort = [], scan }: IndexDeclaration,
  each: Readonly<Record<string, Each>>,
): void {
  const keyed = [...partition, ...sort].filter((facet) => Object.hasOwn(each, facet))
  if (scan === true && keyed.length > 0) {
    throw new LapidaryError(
      'declaration_invalid',
      `${collection}: index ${name} is for scans, which read each item once, and would hold an item once for each value of ${keyed.join(', ')}; leave that out`,
    )
  }
  if (keyed.length > MOST_EACH_OF) {
    throw new LapidaryError(
      'declaration_invalid',
      `${collection}: index ${name} is on ${keyed.join(', ')}: an item has several values of each, and would be in it once for each combination. One index takes at most ${MOST_EACH_OF} such facets; declare several indexes with fewer, and the others are filtered after the read`,
    )
  }
}

/** Returns the part of a key's name that says over how many partitions an index is spread: no short name of a facet has a `~`. */
function spreadName({ across, shards }: Pick<IndexDeclaration, 'across' | 'shards'>): readonly string[] {
  if (across !== undefined) return [`~${across}`]
  return shards === undefined ? [] : [`~s${shards}`]
}

/** Names a scope, a shard of it, or one of the partitions of all scopes in a key: no escaped scope has a `~`. */
export function scopeText({ scope, shard }: { readonly scope: string; readonly shard: number | undefined }): string {
  const text = scope === EVERY_SCOPE ? '' : escapeComponent(scope)
  return shard === undefined ? text : `${text}~${shard}`
}

/** The part of an index that its keys are made by, from a declaration or from a rule under stored names. */
export type KeyedIndex = Omit<FacetIndex, 'name' | 'keys' | 'include' | 'ordered'>
type KeyedCollection = Pick<Collection, 'name' | 'id' | 'scope'> & Partial<Pick<Collection, 'idOrder'>>

/** Returns the index key attributes of an item itself; indexes with the same facets in the same keys share them. */
export function indexKeys(
  collection: KeyedCollection,
  indexes: readonly KeyedIndex[],
  item: Item,
): Record<string, string> {
  const keys: Record<string, string> = {}
  const positionIn = positionsOf(collection, item)
  for (const index of indexes) {
    const [first] = entryValuesOf(index, item)
    if (first !== undefined) Object.assign(keys, keysAt(collection, index, item, first, positionIn))
  }
  return keys
}

/** Returns the positions of an item by order, and makes each once. */
function positionsOf(collection: KeyedCollection, item: Item): (order: Order) => Position {
  const known = new Map<Order, Position>()
  return (order) => {
    const position = known.get(order) ?? positionOf({ ...collection, order }, item)
    known.set(order, position)
    return position
  }
}

/** Returns the keys of an index for one of an item's entries in it; empty where it is not in the order of its lists. */
export function keysAt(
  collection: KeyedCollection,
  index: KeyedIndex,
  item: Item,
  values: EntryValues,
  positionIn: (order: Order) => Position = positionsOf(collection, item),
): Record<string, string> {
  const { by, order, across, shards = across } = index
  if (!isInOrder(order, item) || (by !== undefined && !hasPosition(order, item))) return {}
  const position = positionIn(order)
  const value = (facet: string): FacetValue =>
    Object.hasOwn(values, facet) ? (values[facet] as FacetValue) : facetValueOf(item, facet)
  const { name, attribute } = partitionNaming(collection, index)
  const shard = shards === undefined ? undefined : shardOf(String(item[collection.id]), shards)
  const scope = scopeText({ scope: across === undefined ? String(item[attribute]) : EVERY_SCOPE, shard })
  const partition = partitionKey({ name }, scope, index.partition.map(value))
  const sort = indexSortKey(order, index, position, index.sort.map(value))
  if (byteLength(partition) > LONGEST_PARTITION_KEY)
    keyTooLong(index.partitionKey, partition, LONGEST_PARTITION_KEY, [...index.partition, attribute])
  if (byteLength(sort) > LONGEST_SORT_KEY)
    keyTooLong(index.sortKey, sort, LONGEST_SORT_KEY, [...index.sort, order.attribute, collection.id])
  return { [index.partitionKey]: partition, [index.sortKey]: sort }
}

/**
 * Refuses a key that DynamoDB would refuse: one of several values that are each short enough, or of a raw id.
 *
 * @throws {LapidaryError} `unprocessable`.
 */
function keyTooLong(name: string, key: string, most: number, parts: readonly string[]): never {
  throw new LapidaryError(
    'unprocessable',
    `the key ${name}, ${shown(key)}, would have ${byteLength(key)} bytes, and DynamoDB takes ${most}; shorten ${parts.join(' or ')}`,
  )
}

/** Returns the prefix of an index's partitions, and the attribute that names the scope. */
function partitionNaming(
  { name, id, scope }: Pick<Collection, 'name' | 'id' | 'scope'>,
  { around }: Pick<FacetIndex, 'around'>,
): Collection['scope'] {
  if (around === 'parent') return { name, attribute: id }
  return around === undefined ? { name, attribute: scope.attribute } : scope
}

function indexSortKey(
  order: Order,
  { around }: Pick<FacetIndex, 'around'>,
  position: Position,
  values: readonly FacetValue[],
): string {
  if (around === undefined) return sortPrefix(values) + positionText(order, position)
  if (around === 'parent') return PARENT_SORT_KEY
  return aroundPrefix(around) + (around === 'below' ? positionText : reversedPositionText)(order, position)
}

/** Returns the rules of the indexes, under stored names. */
export function keyRulesOf(collection: Collection, declared: readonly FacetIndex[]): readonly KeyRule[] {
  const stored = (attribute: string): string => collection.attributes?.[attribute]?.name ?? attribute
  const { id, idOrder, facets } = collection
  const source = (name: string): string => keySourceName(name, ownValue(facets, name), stored)
  const optional = Object.keys(facets).filter((facet) => facets[facet]?.optional)
  return declared.map((declaration) => {
    const {
      name: index,
      partitionKey,
      sortKey,
      order,
      partition,
      sort,
      only,
      around,
      across,
      shards,
      each,
    } = declaration
    const { name, attribute } = partitionNaming(collection, declaration)
    return Object.freeze({
      ...{ index, partitionKey, sortKey, collection: name, id: stored(id), scope: stored(attribute) },
      ...(around === undefined ? {} : { around }),
      ...(across === undefined ? {} : { across }),
      ...(shards === undefined ? {} : { shards }),
      ...(each === undefined
        ? {}
        : { each: Object.fromEntries(Object.entries(each).map(([facet, how]) => [source(facet), how])) }),
      order: { ...order, attribute: stored(order.attribute) },
      ...(idOrder === 'raw' ? { idOrder } : {}),
      partition: partition.map(source),
      sort: sort.map(source),
      ...originsOf(collection, [...partition, ...sort, ...Object.keys(only)], source, stored),
      ...optionalOf([...partition, ...sort].filter((facet) => optional.includes(facet)).map(source)),
      only: Object.fromEntries(
        Object.entries(only).map(([facet, values]) => [
          source(facet),
          [...values].sort((a, b) => compareBytes(String(a), String(b))),
        ]),
      ),
    })
  })
}

/** Returns the paths and the functions of facets, where there are some, so that other rules stay as they were. */
function originsOf(
  { facets }: Collection,
  names: readonly string[],
  source: (name: string) => string,
  stored: (attribute: string) => string,
): Pick<KeyRule, 'paths' | 'computed'> {
  const paths: Record<string, readonly string[]> = {}
  const computed: Record<string, { readonly facet: string; readonly version: number }> = {}
  for (const name of names) {
    const facet = ownValue(facets, name)
    const origin = facet?.origin
    if (origin === undefined) continue
    if ('of' in origin) computed[source(name)] = { facet: name, version: origin.version }
    else paths[source(name)] = [stored(attributeOfFacet(name, facet) as string), ...innerParts(origin)]
  }
  return {
    ...(Object.keys(paths).length === 0 ? {} : { paths }),
    ...(Object.keys(computed).length === 0 ? {} : { computed }),
  }
}

/** Leaves the list out where it is empty, so that the rules of tables without optional facets stay as they were. */
function optionalOf(optional: readonly string[]): Pick<KeyRule, 'optional'> {
  return optional.length === 0 ? {} : { optional }
}

/**
 * Returns a partition key, `COMMENT/42/en/5`. It begins with the collection's name, so that two collections under one parent share an index and
 * no list.
 *
 * @param scope A scope as {@link scopeText} writes it.
 */
export function partitionKey(
  collection: Pick<Collection, 'name'>,
  scope: string,
  values: readonly FacetValue[],
): string {
  return [collection.name, scope, ...values.map(facetText)].join('/')
}

/** Returns the prefix of a sort key, `CANCELLED#`, with one part for each facet; escaped values hold no `#`, so no prefix reaches into another. */
export function sortPrefix(values: readonly FacetValue[]): string {
  return values.map((value) => `${facetText(value)}#`).join('')
}
