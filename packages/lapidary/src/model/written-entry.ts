import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import type { AttributeCodec } from './attribute-codec.ts'
import { toAttributeValue } from './attribute-value.ts'
import type { Collection, Item } from './collection.ts'
import { type Entry, entryBytes } from './entry-bytes.ts'
import { unprocessable } from './errors.ts'
import { facetAttributes } from './facet-origin.ts'
import { LARGEST_NUMBER, SMALLEST_NUMBER } from './facet-values.ts'
import { keptValue } from './kept-value.ts'
import { type NumberKind, toNativeValue } from './native-value.ts'
import { orderAttributes } from './order.ts'
import { ownValue } from './own-value.ts'
import { PACKED_FOR_LISTS, PACKED_FOR_LOOKUP } from './reserved-names.ts'
import { statisticsAttributes } from './statistics-attributes.ts'

/**
 * Makes the entry that stores an item: under stored names, and packedEntry where the collection has a codec.
 *
 * @param stays The stored entry. A value that reads the same as the item's is kept, with digits that no double has.
 */
export function writtenEntry(collection: Collection, item: Item, stays: Entry = {}): Record<string, AttributeValue> {
  const { attributes, numbers, codec } = collection
  const before = new Map(Object.entries(stays))
  const entry: Record<string, AttributeValue> = {}
  for (const [attribute, value] of Object.entries(item)) {
    if (value === undefined) continue
    const kind = ownValue(numbers, attribute)
    const declared =
      attributes !== undefined && Object.hasOwn(attributes, attribute) ? attributes[attribute] : undefined
    const { name, also } = declared ?? { name: attribute }
    const stored = attributeValue(attribute, keptValue(value, before.get(name), kind), kind)
    entry[name] = stored
    if (also !== undefined) entry[also] = stored
  }
  return codec === undefined ? entry : packedEntry(collection, codec, entry)
}

/** @throws {LapidaryError} `unprocessable` for a value that DynamoDB can't hold, or can't hold exactly. */
export function attributeValue(attribute: string, value: unknown, kind?: NumberKind): AttributeValue {
  if (
    typeof value === 'number' &&
    value !== 0 &&
    !(Math.abs(value) >= SMALLEST_NUMBER && Math.abs(value) <= LARGEST_NUMBER)
  ) {
    throw unprocessable('the item was refused', [
      {
        path: attribute,
        message: `must be 0 or a number from ${SMALLEST_NUMBER} to ${LARGEST_NUMBER} either side of it, not ${value}`,
      },
    ])
  }
  try {
    return toAttributeValue(value, kind === 'decimal' ? 'decimal' : 'text')
  } catch (error) {
    const message = `can't be stored: ${error instanceof Error ? error.message : String(error)}`
    throw unprocessable('the item was refused', [{ path: attribute, message }])
  }
}

/** Moves what can be packedEntry into bytes. */
function packedEntry(collection: Collection, codec: AttributeCodec, entry: Entry): Record<string, AttributeValue> {
  const { attributes } = collection
  const storedName = (attribute: string): string =>
    attributes !== undefined && Object.hasOwn(attributes, attribute)
      ? (attributes[attribute]?.name ?? attribute)
      : attribute
  const plain = new Set(plainAttributes(collection).map(storedName))
  const forLookup = new Set(
    Object.values(attributes ?? {}).flatMap(({ name, shownIn }) => (shownIn === 'lookup' ? [name] : [])),
  )
  const packable = Object.keys(entry).filter((name) => !plain.has(name) && isPackableValue(entry[name]))
  const inBytes = (blob: string, names: readonly string[]): Entry => {
    const before = Object.fromEntries(names.map((name) => [name, entry[name] as AttributeValue]))
    const bytes = names.length === 0 ? undefined : codec.pack(natives(before))
    const after: Entry | undefined = bytes && { [blob]: { B: bytes } }
    return after === undefined || entryBytes(after) >= entryBytes(before) ? before : after
  }
  return {
    ...Object.fromEntries(Object.entries(entry).filter(([name]) => !packable.includes(name))),
    ...inBytes(
      PACKED_FOR_LISTS,
      packable.filter((name) => !forLookup.has(name)),
    ),
    ...inBytes(
      PACKED_FOR_LOOKUP,
      packable.filter((name) => forLookup.has(name)),
    ),
  }
}

/** Returns the attributes that stay unpacked: keys, counts, filters and conditions are made of them, or they are being renamed. */
function plainAttributes({
  id,
  scope,
  orders,
  facets,
  version,
  expires,
  attributes,
  codec,
  ...counting
}: Collection): readonly string[] {
  const renamed = Object.entries(attributes ?? {}).flatMap(([name, { also }]) =>
    also === undefined ? [] : [name, also],
  )
  const kept = [
    id,
    scope.attribute,
    ...orderAttributes({ orders }),
    ...facetAttributes(facets),
    ...statisticsAttributes(counting),
    ...(codec?.plain ?? []),
    ...renamed,
  ]
  return [...kept, version, expires].filter((name) => name !== undefined)
}

/**
 * Tells whether a codec can pack a value: texts, numbers that JavaScript holds exactly, booleans, null, bytes, and lists and maps of them. Sets
 * stay as they are.
 */
function isPackableValue(value: AttributeValue | undefined): boolean {
  if (value === undefined) return false
  if (value.N !== undefined) return isExact(value.N)
  if (value.L !== undefined) return value.L.every(isPackableValue)
  if (value.M !== undefined)
    return !Object.hasOwn(value.M, '__proto__') && Object.values(value.M).every(isPackableValue)
  return value.S !== undefined || value.BOOL !== undefined || value.NULL !== undefined || value.B !== undefined
}

function isExact(digits: string): boolean {
  const value = Number(digits)
  return Number.isFinite(value) && String(value) === digits && Math.abs(value) <= Number.MAX_SAFE_INTEGER
}

function natives(entry: Entry): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(entry).map(([name, value]) => [name, toNativeValue(value)]))
}
