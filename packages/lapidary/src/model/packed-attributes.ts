import type { Collection } from './collection.ts'
import type { Entry } from './entry-bytes.ts'
import { LapidaryError, shown } from './errors.ts'
import { PACKED_NAMES } from './reserved-names.ts'

/**
 * Unpacks the attributes that a codec packed, by stored name; empty for an entry without packed attributes.
 *
 * @throws {LapidaryError} `table_mismatch` for a packed entry of a collection that declares no codec.
 */
export function unpackedAttributes(collection: Collection, entry: Entry): Readonly<Record<string, unknown>> {
  const parts = PACKED_NAMES.flatMap((name) => entry[name]?.B ?? [])
  return parts.length === 0 ? {} : Object.assign({}, ...parts.map((bytes) => unpacked(collection, entry, bytes)))
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
