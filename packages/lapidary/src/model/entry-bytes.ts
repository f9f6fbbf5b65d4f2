import type { AttributeValue } from '@aws-sdk/client-dynamodb'

/** An item as DynamoDB holds it: attribute values under stored names. */
export type Entry = Readonly<Record<string, AttributeValue>>

/**
 * Counts the bytes of an entry as DynamoDB does: names and texts in UTF-8, numbers about a byte for two digits plus one, lists and maps three
 * bytes and one for each element (AWS Developer Guide, "Item sizes and formats").
 */
export function entryBytes(entry: Entry): number {
  let bytes = 0
  for (const name in entry) bytes += Buffer.byteLength(name) + valueBytes(entry[name])
  return bytes
}

function valueBytes(value: AttributeValue | undefined): number {
  if (value === undefined) return 0
  if (value.S !== undefined) return Buffer.byteLength(value.S)
  if (value.N !== undefined) return Math.ceil(value.N.replace(/[-.]/g, '').length / 2) + 1
  if (value.BOOL !== undefined || value.NULL !== undefined) return 1
  if (value.B !== undefined) return value.B.byteLength
  if (value.L !== undefined) return value.L.reduce((sum, element) => sum + 1 + valueBytes(element), 3)
  if (value.M !== undefined) return 3 + Object.keys(value.M).length + entryBytes(value.M)
  if (value.SS !== undefined) return value.SS.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  if (value.NS !== undefined) return value.NS.reduce((sum, digits) => sum + valueBytes({ N: digits }), 0)
  if (value.BS !== undefined) return value.BS.reduce((sum, bytes) => sum + bytes.byteLength, 0)
  return 0
}
