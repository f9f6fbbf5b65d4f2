import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import type { AttributeCodec } from './attribute-codec.ts'
import { toNativeValue } from './attribute-value.ts'
import type { Collection } from './collection.ts'
import { type Entry, entryBytes } from './entry-bytes.ts'
import { LapidaryError, shown } from './errors.ts'
import { orderAttributes } from './order.ts'
import { PACKED_FOR_LISTS, PACKED_FOR_LOOKUP, PACKED_NAMES } from './reserved-names.ts'

/** Puts the attributes that a codec packs into bytes, and takes them out. */
export interface PackedAttributes {
  /** The entry with what can be packed in bytes. */
  pack(entry: Entry): Record<string, AttributeValue>
  /** What an entry holds packed, by stored name; nothing of an entry without. */
  unpack(entry: Entry): Readonly<Record<string, unknown>>
}

/** Of a collection without a codec nothing is packed, and what an entry holds packed is an error. */
export function packedAttributes(collection: Collection): PackedAttributes {
  const { codec } = collection
  return {
    pack: codec === undefined ? (entry) => ({ ...entry }) : packing(collection, codec),
    unpack(entry) {
      const parts = PACKED_NAMES.flatMap((name) => entry[name]?.B ?? [])
      return parts.length === 0 ? {} : Object.assign({}, ...parts.map((bytes) => unpacked(collection, entry, bytes)))
    },
  }
}

function packing(collection: Collection, codec: AttributeCodec): PackedAttributes['pack'] {
  const { attributes } = collection
  const storedName = (attribute: string): string => attributes?.[attribute]?.name ?? attribute
  const plain = new Set(plainAttributes(collection).map(storedName))
  const forLookup = new Set(
    Object.values(attributes ?? {}).flatMap(({ name, shownIn }) => (shownIn === 'lookup' ? [name] : [])),
  )
  return (entry) => {
    const packable = Object.keys(entry).filter((name) => !plain.has(name) && isPackable(entry[name]))
    const packed = (blob: string, names: readonly string[]): Entry => {
      const before = Object.fromEntries(names.map((name) => [name, entry[name] as AttributeValue]))
      const bytes = names.length === 0 ? undefined : codec.pack(natives(before))
      const after: Entry | undefined = bytes && { [blob]: { B: bytes } }
      return after === undefined || entryBytes(after) >= entryBytes(before) ? before : after
    }
    return {
      ...Object.fromEntries(Object.entries(entry).filter(([name]) => !packable.includes(name))),
      ...packed(
        PACKED_FOR_LISTS,
        packable.filter((name) => !forLookup.has(name)),
      ),
      ...packed(
        PACKED_FOR_LOOKUP,
        packable.filter((name) => forLookup.has(name)),
      ),
    }
  }
}

/** Attributes that keys, counts, filters and conditions are made of, or that are being renamed. */
function plainAttributes({
  id,
  scope,
  orders,
  facets,
  version,
  expires,
  attributes,
  codec,
}: Collection): readonly string[] {
  const renamed = Object.entries(attributes ?? {}).flatMap(([name, { also }]) =>
    also === undefined ? [] : [name, also],
  )
  const kept = [
    id,
    scope.attribute,
    ...orderAttributes({ orders }),
    ...Object.keys(facets),
    ...(codec?.plain ?? []),
    ...renamed,
  ]
  return [...kept, version, expires].filter((name) => name !== undefined)
}

function unpacked(collection: Collection, entry: Entry, bytes: Uint8Array): Readonly<Record<string, unknown>> {
  const { codec, name, id, attributes } = collection
  const of = `${name} ${shown(entry[attributes?.[id]?.name ?? id]?.S ?? entry.PK?.S)}`
  if (codec === undefined) {
    throw new LapidaryError(
      'table_mismatch',
      `attributes of ${of} were stored by a codec, and the collection declares none; declare the codec that the table is written with`,
    )
  }
  try {
    return codec.unpack(bytes)
  } catch (error) {
    if (!(error instanceof LapidaryError)) throw error
    throw new LapidaryError(error.code, `${of} can't be read: ${error.message}`, { ...error, cause: error })
  }
}

/** Texts, numbers that JavaScript holds exactly, booleans, null, bytes, and lists and maps of them; sets stay as they are. */
function isPackable(value: AttributeValue | undefined): boolean {
  if (value === undefined) return false
  if (value.N !== undefined) return isExact(value.N)
  if (value.L !== undefined) return value.L.every(isPackable)
  if (value.M !== undefined) return !Object.hasOwn(value.M, '__proto__') && Object.values(value.M).every(isPackable)
  return value.S !== undefined || value.BOOL !== undefined || value.NULL !== undefined || value.B !== undefined
}

function isExact(digits: string): boolean {
  const value = Number(digits)
  return Number.isFinite(value) && String(value) === digits && Math.abs(value) <= Number.MAX_SAFE_INTEGER
}

function natives(entry: Entry): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(entry).map(([name, value]) => [name, toNativeValue(value)]))
}
