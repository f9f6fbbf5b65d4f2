import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import type { Collection } from '../../model/collection.ts'
import { isWanted } from '../../model/condition.ts'
import { exactNumber, sortableDecimal } from '../../model/decimal.ts'
import type { Entry } from '../../model/entry.ts'
import { type InputIssue, LapidaryError, shown, unprocessable } from '../../model/errors.ts'
import { byteLength } from '../../model/key-text.ts'
import { type Order, orderAttributes } from '../../model/order.ts'
import { ownValue } from '../../model/own-value.ts'
import { idKeyIn, idOfRawKey, type OrderValue, type Position } from '../../model/position.ts'
import type { Query } from '../../model/query.ts'
import { primaryKey } from '../../model/stored-item.ts'
import { keyAttributes, type TextIndexDefinition, textIndex } from '../index-definition.ts'
import { accessPath, inOrderOf, type ListValues, pathsOfIndexes } from '../indexes/access-paths.ts'
import type { CollectionLayout, Layout, List, RefusedPath } from '../layout.ts'
import { requireOneValue } from '../one-value.ts'
import { type Fixed, nativeConditions, type PositionKeys } from './native-conditions.ts'
import { type NativeIndex, type NativeIndexOptions, nativeIndexes } from './native-indexes.ts'
import { attributeOf, DECIMAL_VALUES, PLAIN_VALUES } from './neighbours.ts'

/**
 * Makes the layout whose lists are partitions of secondary indexes over the items' own attributes (multi-attribute keys): an index needs nothing
 * written into the items. It needs an engine that can query such indexes: AWS, or DynamoDB Local from 3.3; the embedded engine can't.
 *
 * @example
 * ```ts run
 * const { indexes } = tableFor({ tableName: 'comments', collections: { comments }, layout: nativeKeys() })
 * ```
 */
export function nativeKeys(): Layout {
  return NATIVE_KEYS
}

const NATIVE_KEYS: Layout = Object.freeze<Layout>({
  name: 'native-keys',
  capabilities: Object.freeze({
    declaredIndexes: true,
    openFacets: Object.freeze(['oneOf', 'anyOf'] as const),
    orders: 'several',
    optionalFacets: true,
    eachOfFacets: false,
  }),
  of: (collection) => nativeLayout(collection, { kind: { [KIND]: collection.name }, ...OWN }),
})

/** Options for the library's own items, which it writes whole. */
const OWN: Omit<NativeOptions, 'kind'> = { complete: true, projection: 'shown' }

/** An attribute that tells the items of collections apart that share an index. No attribute of an item can have this name. */
const KIND = 'k.~'
/** An index for leaderboards, which sort by a text that the library makes. */
const CARRIER: TextIndexDefinition = textIndex({
  ...{ name: 'leaderboards', partitionKey: 'k.~leaders', sortKey: 's.~leaders', include: undefined },
})
/** DynamoDB's caps on a key, in bytes. */
const LONGEST = { partition: 2048, sort: 1024 } as const

/** Options of native keys for one collection. */
export type NativeOptions = NativeIndexOptions

interface NativeList extends List {
  readonly fixed: readonly Fixed[]
}

/** @throws {LapidaryError} `declaration_invalid` for an attribute that can be no key. */
export function nativeLayout(collection: Collection, options: NativeOptions): CollectionLayout {
  requireOneValue(collection, 'native keys')
  const { kind, complete } = options
  const declared = nativeIndexes(collection, options)
  const carrier = collection.leaderboards.length > 0 ? CARRIER : undefined
  const stored = (attribute: string): string => collection.attributes?.[attribute]?.name ?? attribute
  const keysOf = (order: Order): PositionKeys => ({
    order: stored(order.attribute),
    orderValues: order.type === 'decimal' ? DECIMAL_VALUES : PLAIN_VALUES,
    id: stored(collection.id),
    // An id that is its own key sorts like it, and other ids are not stored.
    idOf: collection.idOrder === 'raw' ? idOfRawKey : (key) => key,
  })
  const byIndex = new Map(declared.map(({ name, order }) => [name, keysOf(order)]))
  const keysIn = ({ index }: List): PositionKeys => byIndex.get(index ?? '') as PositionKeys
  const ofKind = Object.entries(kind).map(([name, S]): Fixed => ({ name, value: { S } }))
  const listIn =
    (index: NativeIndex) =>
    ({ scope, partition, sort }: ListValues): Pick<NativeList, 'partition' | 'prefix' | 'fixed'> => {
      const facets = [...index.partition, ...index.sort]
      const values = [...partition, ...sort].map(
        (value, i): Fixed => ({ name: stored(facets[i] ?? ''), value: attributeOf(value as OrderValue) }),
      )
      const inScope: Fixed = { name: stored(collection.scope.attribute), value: { S: scope } }
      return { partition: '', prefix: '', fixed: [...ofKind, inScope, ...values] }
    }
  return Object.freeze<CollectionLayout>({
    indexes: carrier === undefined ? declared : [...declared, carrier],
    carrier,
    entries: 'one',
    entriesOf(item, entry) {
      const { PK, SK } = primaryKey(collection, String(item[collection.id]))
      const whole = { PK: { S: PK }, SK: { S: SK }, ...entry, ...Object.fromEntries(ofKind.map(named)) }
      requireKeys(collection, declared, whole)
      return [whole]
    },
    accessPaths(query, known, maxSources) {
      const values = complete ? known : () => undefined
      return pathsOfIndexes(
        inOrderOf(declared, query),
        maxSources,
        (index) => refusedNativeIndex(index, query) ?? accessPath(index, query, values, maxSources, listIn(index)),
      )
    },
    keyConditions: (list, range) => nativeConditions((list as NativeList).fixed, keysIn(list), range),
    positionOf: (list, entry) => positionIn(collection, keysIn(list), entry),
  })
}

function named({ name, value }: Fixed): readonly [string, AttributeValue] {
  return [name, value]
}

/** Refuses a query for items without a value: such an item may have the empty text or no attribute, and is then in no index on that facet. */
function refusedNativeIndex({ name, partition, sort }: NativeIndex, { where }: Query): RefusedPath | undefined {
  const facet = [...partition, ...sort].find(
    (facet) => Object.hasOwn(where, facet) && (isWanted(where[facet] ?? [], '') || isWanted(where[facet] ?? [], null)),
  )
  if (facet === undefined) return undefined
  return { index: name, refusal: { kind: 'key', facet, without: 'empty' } }
}

function positionIn(collection: Collection, { order, orderValues, id }: PositionKeys, entry: Entry): Position {
  const value = entry[order]
  const number = value?.N === undefined ? undefined : exactNumber(value.N)
  const text = entry[id]?.S ?? ''
  const key = idKeyIn(collection, text)
  if (collection.idOrder === 'escaped' && key !== text) {
    throw new LapidaryError(
      'table_mismatch',
      `the id ${shown(text)} does not sort as ${collection.name} declares; declare idOrder: 'raw'`,
    )
  }
  if (value?.N !== undefined && orderValues === DECIMAL_VALUES) return { order: sortableDecimal(value.N), id: key }
  if (value?.N !== undefined && number === undefined) {
    throw new LapidaryError(
      'table_mismatch',
      `${order} of ${collection.name} ${shown(text)} is ${value.N}, of which JavaScript has only a number near it, so no cursor could point at it; declare the order with type: 'decimal'`,
    )
  }
  return { order: number ?? value?.S ?? '', id: key }
}

/**
 * Refuses an entry with a key that DynamoDB would refuse, or would sort otherwise than positions do.
 *
 * @throws {LapidaryError} `unprocessable`.
 */
function requireKeys(collection: Collection, indexes: readonly NativeIndex[], entry: Entry): void {
  const errors: InputIssue[] = []
  const id = entry[collection.attributes?.[collection.id]?.name ?? collection.id]?.S ?? ''
  if (idKeyIn(collection, id) !== id && collection.idOrder === 'escaped') {
    const message = `is no id for native keys, ${shown(id)}: at most 64 bytes without spaces and # / ~ . %; declare idOrder: 'raw' for any id`
    errors.push({ path: collection.id, message })
  }
  const keyed = new Set(indexes.flatMap(keyAttributes).map(({ name }) => name))
  for (const path of [...orderAttributes(collection), ...Object.keys(collection.facets)]) {
    const name = collection.attributes?.[path]?.name ?? path
    if (keyed.has(name) && ownValue(entry, name)?.S === '')
      errors.push({ path, message: 'is the empty text, which no key holds' })
    if (keyed.has(name) && ownValue(entry, name)?.NULL)
      errors.push({ path, message: 'is null, which no key holds; leave it out' })
  }
  for (const [role, most] of Object.entries(LONGEST) as [keyof typeof LONGEST, number][]) {
    for (const { name, keys } of indexes) {
      const bytes = keys[role].reduce((sum, key) => sum + byteLength(ownValue(entry, key.name)?.S ?? ''), 0)
      if (bytes > most)
        errors.push({ path: name, message: `has a ${role} key of ${bytes} bytes; DynamoDB takes ${most} of an index` })
    }
  }
  if (errors.length > 0) throw unprocessable(`the ${collection.name} was refused`, errors)
}
