import type { Collection } from '../../model/collection.ts'
import { type Facet, listedFacets } from '../../model/facet.ts'
import type { IndexDeclaration } from '../../model/index-declaration.ts'
import { invalidDeclaration } from '../../model/invalid-declaration.ts'
import { type Order, orderNamed } from '../../model/order.ts'
import { shownNames } from '../../model/shown-names.ts'
import type { IndexDefinition, KeyAttribute } from '../index-definition.ts'
import { defaultIndexes } from '../indexes/index-keys.ts'
import { type OrderedFacet, orderedFacet } from '../indexes/ordered-facet.ts'
import { ownAttributeType } from './own-attributes.ts'

/** Attributes that every item of a collection has with the same text, and no other item of the table has together. */
export type Kind = Readonly<Record<string, string>>

/** The way in which a collection's items are written, which decides what their indexes can be. */
export interface NativeIndexOptions {
  readonly kind: Kind
  /**
   * Whether every item has a value that the declaration knows for every facet that is not optional, as where the library writes them. Otherwise
   * a list of a facet's known values may lack items, so an index answers only queries that name its facets.
   */
  readonly complete: boolean
  /** Whether indexes hold whole items, or what lists show. */
  readonly projection: 'all' | 'shown'
}

/** An index whose keys are items' own attributes. */
export interface NativeIndex extends IndexDefinition {
  /** The name of the order of its lists; undefined for the default one. */
  readonly by?: string
  readonly order: Order
  /** The facets as they were declared; the keys hold them in the same order, as far as there is room. */
  readonly partition: readonly string[]
  readonly sort: readonly string[]
  readonly only: Readonly<Record<string, never>>
  /** The facet whose attribute the lists are in the order of, if there is one. */
  readonly ordered?: OrderedFacet
}

/** DynamoDB's cap on the attributes of a partition key, and of a sort key. */
const MOST_ATTRIBUTES = 4

/** Returns the declared indexes, else those for the access patterns of the indexes layout, on the facets that can be keys. */
export function nativeIndexes(collection: Collection, options: NativeIndexOptions): readonly NativeIndex[] {
  const keyed = Object.entries(listedFacets(collection.facets)).flatMap(([name, facet]) =>
    keyType(facet, options) !== undefined ? [name] : [],
  )
  const all = collection.indexes ?? fitting(defaultIndexes(keyed, collection), options.kind)
  return Object.entries(all).map(([name, index]) => nativeIndex(collection, options, name, index))
}

/** Leaves out a default index that has more facets than there is room for. */
function fitting(
  indexes: Readonly<Record<string, IndexDeclaration>>,
  kind: Kind,
): Readonly<Record<string, IndexDeclaration>> {
  return Object.fromEntries(
    Object.entries(indexes).filter(([, { partition = [] }]) => partition.length <= roomForFacets(kind)),
  )
}

/** Returns the room for facets, beside the kind and the scope before them, and the order and the id behind them. */
function roomForFacets(kind: Kind): number {
  return roomInPartition(kind) + MOST_ATTRIBUTES - 2
}

function roomInPartition(kind: Kind): number {
  return MOST_ATTRIBUTES - 1 - Object.keys(kind).length
}

function nativeIndex(
  collection: Collection,
  options: NativeIndexOptions,
  name: string,
  declared: IndexDeclaration,
): NativeIndex {
  const { kind } = options
  const { partition = [], sort = [], order: by, ...others } = declared
  const [other] = Object.keys(others)
  if (other !== undefined) {
    invalidDeclaration(
      `index ${name} says ${other}, and an index on native keys holds every item that has its attributes and nothing else; declare it without, or take the layout indexes()`,
    )
  }
  const facets = [...partition, ...sort]
  const room = roomForFacets(kind)
  if (facets.length > room) {
    invalidDeclaration(
      `index ${name} has ${facets.length} facets, and beside ${[...Object.keys(kind), 'scope'].join(', ')}, order and id there is room for ${room} in ${MOST_ATTRIBUTES} + ${MOST_ATTRIBUTES} key attributes; declare it with fewer facets`,
    )
  }
  const stored = (attribute: string): string => collection.attributes?.[attribute]?.name ?? attribute
  const facetKey = (facet: string): KeyAttribute => {
    const type = keyType(collection.facets[facet] as Facet, options)
    if (type !== undefined) return { name: stored(facet), type }
    return invalidDeclaration(
      `index ${name} is on ${facet}, which can be no key: a key is an attribute that holds numbers alone or texts alone, and no boolean, empty text or null, nothing inside of a map and nothing computed; leave it out of the index, so that it is filtered after the read`,
    )
  }
  const text = (attribute: string): KeyAttribute => ({ name: attribute, type: 'S' })
  const order = orderNamed(collection, by)
  const orderKey: KeyAttribute = { name: stored(order.attribute), type: holdsNumbers(order) ? 'N' : 'S' }
  // Facets that the partition has no room for begin the sort key: each is compared with = either way.
  const cut = Math.max(Math.min(partition.length, roomInPartition(kind)), facets.length - (MOST_ATTRIBUTES - 2))
  const keys = {
    partition: [
      ...Object.keys(kind).map(text),
      text(stored(collection.scope.attribute)),
      ...facets.slice(0, cut).map(facetKey),
    ],
    sort: [...facets.slice(cut).map(facetKey), orderKey, text(stored(collection.id))],
  }
  if (options.complete) for (const key of [...keys.partition, ...keys.sort]) requireOwnType(name, key)
  const names = new Set([...keys.partition, ...keys.sort].map((attribute) => attribute.name))
  const shown = options.projection === 'all' ? undefined : shownNames(collection)
  const include = shown?.filter((attribute) => !names.has(attribute))
  const inOrder = by === undefined || order === collection.order ? {} : { by }
  const ordered = orderedFacet(collection, order)
  return Object.freeze({
    ...{ name, keys, include, ...inOrder, order, partition, sort, only: {} },
    ...(ordered && { ordered }),
  })
}

function holdsNumbers({ type }: Order): boolean {
  return type === 'number' || type === 'decimal'
}

/**
 * Returns the type of a facet's key attribute; undefined where it can be no key. DynamoDB refuses null in a key, and the library writes null
 * where an optional facet is null; another program leaves the attribute out.
 */
function keyType(
  { values, type, optional, origin }: Facet,
  { complete }: NativeIndexOptions,
): KeyAttribute['type'] | undefined {
  // A key is an attribute of the item itself.
  if (origin !== undefined) return undefined
  const present = values?.filter((value) => value !== null)
  const types = new Set(present?.map((value) => typeof value) ?? [type])
  if (types.size !== 1 || present?.includes('') || (optional && complete)) return undefined
  return types.has('string') ? 'S' : types.has('number') ? 'N' : undefined
}

/** Refuses a key attribute that the library's own items have with another type: DynamoDB would refuse every write of such an item. */
function requireOwnType(index: string, { name, type }: KeyAttribute): void {
  const own = ownAttributeType(name)
  if (own === undefined || own === type) return
  invalidDeclaration(
    `index ${index} has the key attribute ${name} with ${type === 'N' ? 'numbers' : 'texts'}, and items of the library's own have another type under that name, which DynamoDB then refuses; store it under another name: attributes: { …, ${name}: 'its_${name}' }`,
  )
}
