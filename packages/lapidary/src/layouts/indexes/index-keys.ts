import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import type { Collection, Item } from '../../model/collection.ts'
import type { Entry } from '../../model/entry.ts'
import { LapidaryError, shown } from '../../model/errors.ts'
import { type FacetValue, facetValueOf } from '../../model/facet.ts'
import { type Around, type IndexDeclaration, indexInOrder, isIndexName } from '../../model/index-declaration.ts'
import { byteLength, compareBytes, escapeComponent } from '../../model/key-text.ts'
import { type DeclaredOrders, furtherOrders, type Order, orderNamed } from '../../model/order.ts'
import { hasPlace, isInOrder, type Position, positionOf } from '../../model/position.ts'
import { facetText } from '../../model/query.ts'
import { shownNames } from '../../model/shown-names.ts'
import { shardOf } from '../../model/spread.ts'
import { type TextIndexDefinition, textIndex } from '../index-definition.ts'
import type { KeyRule } from '../key-rule.ts'
import { positionText } from '../position-text.ts'
import { reversedPositionText } from '../reversed-text.ts'
import { aroundPrefix, PARENT_SORT_KEY } from './around.ts'

/** A declared index with everything filled in. */
export interface FacetIndex extends TextIndexDefinition {
  /** The name of the order of its lists; undefined for the default one. */
  readonly by?: string
  readonly order: Order
  readonly partition: readonly string[]
  readonly sort: readonly string[]
  readonly only: Readonly<Record<string, readonly FacetValue[]>>
  readonly around?: Around
  readonly across?: number
}

/** The collection's indexes: the declared ones, else one for each subset of the facets that is worth its writes. */
export function facetIndexes(collection: Collection): readonly FacetIndex[] {
  const declared = collection.indexes ?? defaultIndexes(Object.keys(collection.facets), collection)
  return Object.entries(declared).map(([name, index]) => facetIndex(collection, name, index))
}

/**
 * All subsets of up to three facets (8 indexes); of more, none, each alone, and all together: each index costs a write
 * unit for each item, and the planner merges or filters for the rest. Of each further order one, of whole scopes.
 */
export function defaultIndexes(
  facets: readonly string[],
  orders: DeclaredOrders,
): Readonly<Record<string, IndexDeclaration>> {
  const subsets = facets.length <= 3 ? allSubsets(facets) : [[], ...facets.map((facet) => [facet]), [...facets]]
  const named = Object.fromEntries(subsets.map((partition) => [indexName(partition), { partition }]))
  if (Object.keys(named).length !== subsets.length || !Object.keys(named).every(isIndexName)) {
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
  const { partition = [], sort = [], around, across } = declared
  const only = Object.fromEntries(Object.entries(declared.only ?? {}).map(([facet, values]) => [facet, values ?? []]))
  // Escaped: an index on `a.b` and one on `a` and `b`, or a sparse one, never share a key.
  const short = (facet: string): string =>
    escapeComponent(collection.attributes?.[facet]?.name ?? facet).replaceAll('@', '%40')
  const order = orderNamed(collection, declared.order)
  const by = order === collection.order ? undefined : declared.order
  const isApart = Object.keys(only).length > 0 || declared.scan === true || around !== undefined
  const apart = isApart ? `@${name}` : ''
  const definition = textIndex({
    name,
    partitionKey: ['k', ...(across === undefined ? [] : [`~${across}`]), ...partition.map(short)].join('.') + apart,
    sortKey:
      ['s', ...(by === undefined ? [] : [`~${short(order.attribute)}`]), ...sort.map(short)].join('.') +
      (around === undefined ? '' : apart),
    // Index keys are always projected, so only the attributes that lists show have to be named.
    include: shownNames(collection),
  })
  const where = { ...(around === undefined ? {} : { around }), ...(across === undefined ? {} : { across }) }
  return Object.freeze({ ...definition, ...(by === undefined ? {} : { by }), order, partition, sort, only, ...where })
}

/** How a key names a scope, or one of the partitions of all: no escaped scope has a `~`. */
export function placeText({ scope, shard }: { readonly scope: string; readonly shard: number | undefined }): string {
  return shard === undefined ? escapeComponent(scope) : `~${shard}`
}

/** The index key attributes of an item; indexes with the same facets in the same place share them. */
export function indexKeys(
  collection: Pick<Collection, 'name' | 'id' | 'scope'> & Partial<Pick<Collection, 'idOrder'>>,
  indexes: readonly Omit<FacetIndex, 'name' | 'keys' | 'include'>[],
  item: Item,
): Record<string, string> {
  const positions = new Map<Order, Position>()
  const keys: Record<string, string> = {}
  for (const index of indexes) {
    const { order, by } = index
    if (!isInOrder(order, item) || (by !== undefined && !hasPlace(order, item))) continue
    const position = positions.get(order) ?? positionOf({ ...collection, order }, item)
    positions.set(order, position)
    if (!Object.entries(index.only).every(([facet, values]) => values.includes(facetValueOf(item, facet)))) continue
    const value = (facet: string): FacetValue => facetValueOf(item, facet)
    const { name, attribute } = partitionOf(collection, index)
    const { across } = index
    const shard = across === undefined ? undefined : shardOf(String(item[collection.id]), across)
    const place = placeText({ scope: String(item[attribute]), shard })
    keys[index.partitionKey] = partitionKey({ name }, place, index.partition.map(value))
    keys[index.sortKey] = fittingKey(sortKeyOf(order, index, position, index.sort.map(value)), index)
  }
  return keys
}

/** DynamoDB's cap on a sort key, in bytes. */
const LONGEST_SORT_KEY = 1024

/** @throws {LapidaryError} `unprocessable` for a key that DynamoDB would refuse: of a raw id, which has any length. */
function fittingKey(key: string, { sortKey }: Pick<FacetIndex, 'sortKey'>): string {
  const bytes = byteLength(key)
  if (bytes <= LONGEST_SORT_KEY) return key
  throw new LapidaryError(
    'unprocessable',
    `the key ${sortKey} would have ${bytes} bytes, and DynamoDB takes ${LONGEST_SORT_KEY}; shorten the id, or leave out idOrder: 'raw'`,
  )
}

/** What the partitions of an index are called, and by which attribute. */
function partitionOf(
  { name, id, scope }: Pick<Collection, 'name' | 'id' | 'scope'>,
  { around }: Pick<FacetIndex, 'around'>,
): Collection['scope'] {
  if (around === 'parent') return { name, attribute: id }
  return around === undefined ? { name, attribute: scope.attribute } : scope
}

function sortKeyOf(
  order: Order,
  { around }: Pick<FacetIndex, 'around'>,
  position: Position,
  values: readonly FacetValue[],
): string {
  if (around === undefined) return sortPrefix(values) + positionText(order, position)
  if (around === 'parent') return PARENT_SORT_KEY
  return aroundPrefix(around) + (around === 'below' ? positionText : reversedPositionText)(order, position)
}

/** The rules of the indexes, under stored names. */
export function keyRulesOf(collection: Collection, declared: readonly FacetIndex[]): readonly KeyRule[] {
  const stored = (attribute: string): string => collection.attributes?.[attribute]?.name ?? attribute
  const { id, idOrder, facets } = collection
  const optional = Object.keys(facets).filter((facet) => facets[facet]?.optional)
  return declared.map((declaration) => {
    const { name: index, partitionKey, sortKey, order, partition, sort, only, around, across } = declaration
    const { name, attribute } = partitionOf(collection, declaration)
    return Object.freeze({
      ...{ index, partitionKey, sortKey, collection: name, id: stored(id), scope: stored(attribute) },
      ...(around === undefined ? {} : { around }),
      ...(across === undefined ? {} : { across }),
      order: { ...order, attribute: stored(order.attribute) },
      ...(idOrder === 'raw' ? { idOrder } : {}),
      partition: partition.map(stored),
      sort: sort.map(stored),
      ...optionalOf([...partition, ...sort].filter((facet) => optional.includes(facet)).map(stored)),
      only: Object.fromEntries(
        Object.entries(only).map(([facet, values]) => [
          stored(facet),
          [...values].sort((a, b) => compareBytes(String(a), String(b))),
        ]),
      ),
    })
  })
}

/**
 * The keys that a rule gives an entry: none outside of a sparse index's condition; undefined where the entry lacks what they are
 * made of.
 */
export function keysByRule(rule: KeyRule, entry: Entry): Readonly<Record<string, string>> | undefined {
  const values = Object.keys(rule.only)
  const needed = [rule.id, rule.scope, rule.order.attribute, ...rule.partition, ...rule.sort]
  const item: Record<string, unknown> = {}
  for (const name of [...needed, ...values]) item[name] = scalarOf(entry[name])
  if (!values.every((name) => rule.only[name]?.includes(facetValueOf(item, name)))) return {}
  if (!isInOrder(rule.order, item)) return {}
  const isThere = (name: string): boolean =>
    (item[name] ?? undefined) !== undefined || rule.optional?.includes(name) === true
  if (!needed.every(isThere)) return undefined
  const { collection: name, id, scope, idOrder } = rule
  try {
    return indexKeys({ name, id, scope: { name, attribute: scope }, ...(idOrder && { idOrder }) }, [rule], item)
  } catch (error) {
    if (error instanceof LapidaryError && error.code === 'unprocessable') return undefined
    throw error
  }
}

/** Left out where there is none, so that the rules of tables without optional facets are as they were. */
function optionalOf(optional: readonly string[]): Pick<KeyRule, 'optional'> {
  return optional.length === 0 ? {} : { optional }
}

function scalarOf(value: AttributeValue | undefined): FacetValue | undefined {
  if (value?.N !== undefined) return Number(value.N)
  return value?.S ?? value?.BOOL
}

/**
 * `COMMENT/42/en/5`: with the collection's name, so that two collections under one parent share an index and no list.
 *
 * @param place As {@link placeText} gives it.
 */
export function partitionKey(
  collection: Pick<Collection, 'name'>,
  place: string,
  values: readonly FacetValue[],
): string {
  return [collection.name, place, ...values.map(facetText)].join('/')
}

/** `CANCELLED#`, once for each facet; escaped values hold no `#`, so no prefix reaches into another. */
export function sortPrefix(values: readonly FacetValue[]): string {
  return values.map((value) => `${facetText(value)}#`).join('')
}
