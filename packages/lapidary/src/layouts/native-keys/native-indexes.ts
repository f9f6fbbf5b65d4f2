import type { Collection, IndexDeclaration } from '../../model/collection.ts'
import { LapidaryError } from '../../model/errors.ts'
import type { Facet } from '../../model/facet.ts'
import type { IndexDefinition, KeyAttribute } from '../index-definition.ts'
import { defaultIndexes, projection } from '../indexes/index-keys.ts'

/** Attributes that every item of a collection has with the same text, and no other item of the table has together. */
export type Kind = Readonly<Record<string, string>>

/** An index whose keys are items' own attributes. */
export interface NativeIndex extends IndexDefinition {
  /** The facets as they were declared; in the keys they stand in the same order, where there is room. */
  readonly partition: readonly string[]
  readonly sort: readonly string[]
  readonly only: Readonly<Record<string, never>>
}

/** DynamoDB's cap on the attributes of a partition key, and of a sort key. */
const MOST_ATTRIBUTES = 4

/** The declared indexes, else the same access patterns as the indexes layout has, of the facets that can be keys. */
export function nativeIndexes(collection: Collection, kind: Kind): readonly NativeIndex[] {
  const keyed = Object.entries(collection.facets).flatMap(([name, facet]) =>
    keyType(facet) === undefined ? [] : [name],
  )
  const all = collection.indexes ?? fitting(defaultIndexes(keyed), kind)
  return Object.entries(all).map(([name, index]) => nativeIndex(collection, kind, name, index))
}

/** Of the indexes that were not asked for, one that has more facets than there is room for is left out. */
function fitting(
  indexes: Readonly<Record<string, IndexDeclaration>>,
  kind: Kind,
): Readonly<Record<string, IndexDeclaration>> {
  return Object.fromEntries(
    Object.entries(indexes).filter(([, { partition = [] }]) => partition.length <= roomForFacets(kind)),
  )
}

/** Beside the kind and the scope before them, and the order and the id behind them. */
function roomForFacets(kind: Kind): number {
  return roomInPartition(kind) + MOST_ATTRIBUTES - 2
}

function roomInPartition(kind: Kind): number {
  return MOST_ATTRIBUTES - 1 - Object.keys(kind).length
}

function nativeIndex(collection: Collection, kind: Kind, name: string, declared: IndexDeclaration): NativeIndex {
  const { partition = [], sort = [], only = {} } = declared
  if (Object.keys(only).length > 0) {
    invalid(`index ${name} is only for some values of ${Object.keys(only).join(', ')}, and native keys hold every item
      that has their attributes; declare it without only, or take the indexes layout`)
  }
  const facets = [...partition, ...sort]
  const room = roomForFacets(kind)
  if (facets.length > room) {
    invalid(`index ${name} has ${facets.length} facets, and beside ${[...Object.keys(kind), 'scope'].join(', ')}, order and id
      there is room for ${room} in ${MOST_ATTRIBUTES} + ${MOST_ATTRIBUTES} key attributes; declare it with fewer facets`)
  }
  const stored = (attribute: string): string => collection.attributes?.[attribute]?.name ?? attribute
  const facetKey = (facet: string): KeyAttribute => {
    const type = keyType(collection.facets[facet] as Facet)
    if (type !== undefined) return { name: stored(facet), type }
    return invalid(`index ${name} is on ${facet}, which can be no key: a key holds numbers alone or texts alone, and no
      boolean nor empty text; leave it out of the index, so that it is filtered after the read`)
  }
  const text = (attribute: string): KeyAttribute => ({ name: attribute, type: 'S' })
  const order: KeyAttribute = {
    name: stored(collection.order.attribute),
    type: collection.order.type === 'number' ? 'N' : 'S',
  }
  // What the partition has no room for begins the sort key: each facet is compared with = either way.
  const cut = Math.max(Math.min(partition.length, roomInPartition(kind)), facets.length - (MOST_ATTRIBUTES - 2))
  const keys = {
    partition: [
      ...Object.keys(kind).map(text),
      text(stored(collection.scope.attribute)),
      ...facets.slice(0, cut).map(facetKey),
    ],
    sort: [...facets.slice(cut).map(facetKey), order, text(stored(collection.id))],
  }
  const names = new Set([...keys.partition, ...keys.sort].map((attribute) => attribute.name))
  const include = projection(collection)?.filter((attribute) => !names.has(attribute))
  return Object.freeze({ name, keys, include, partition, sort, only: {} })
}

/** What a key attribute of a facet holds; undefined where it can be no key. */
function keyType({ values, type }: Facet): KeyAttribute['type'] | undefined {
  const types = new Set(values?.map((value) => typeof value) ?? [type])
  if (types.size !== 1 || values?.includes('')) return undefined
  return types.has('string') ? 'S' : types.has('number') ? 'N' : undefined
}

function invalid(message: string): never {
  throw new LapidaryError('declaration_invalid', message.replace(/\s+/g, ' '))
}
