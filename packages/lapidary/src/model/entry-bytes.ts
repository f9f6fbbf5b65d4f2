import type { AttributeValue } from '@aws-sdk/client-dynamodb'

/** An item as DynamoDB holds it: attribute values under stored names. */
export type Entry = Readonly<Record<string, AttributeValue>>

/**
 * Counts the bytes of an entry as DynamoDB does: names and texts in UTF-8, numbers about a byte for two digits plus one, lists and maps three
 * bytes and one for each element (AWS Developer Guide, "Item sizes and formats").
 */
export function entryBytes(entry: Entry): number {
  let bytes = 0
  for (const name in entry) bytes += textBytes(name) + valueBytes(entry[name])
  return bytes
}

/** Above it, counting what is not ASCII by hand takes longer than the call. */
const SHORT_TEXT = 48

/** Each page counts some hundred names and values, most of them short. */
function textBytes(text: string): number {
  if (text.length > SHORT_TEXT) return Buffer.byteLength(text)
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 127) return Buffer.byteLength(text)
  return text.length
}

/** The digits of a number, and what is no sign and no point. */
function numberBytes(digits: string): number {
  let beside = 0
  for (let i = 0; i < digits.length; i++) {
    const code = digits.charCodeAt(i)
    if (code === MINUS || code === POINT) beside += 1
  }
  return Math.ceil((digits.length - beside) / 2) + 1
}

const [MINUS, POINT] = [0x2d, 0x2e]

function valueBytes(value: AttributeValue | undefined): number {
  if (value === undefined) return 0
  if (value.S !== undefined) return textBytes(value.S)
  if (value.N !== undefined) return numberBytes(value.N)
  if (value.BOOL !== undefined || value.NULL !== undefined) return 1
  if (value.B !== undefined) return value.B.byteLength
  if (value.L !== undefined) return value.L.reduce((sum, element) => sum + 1 + valueBytes(element), 3)
  if (value.M !== undefined) return 3 + Object.keys(value.M).length + entryBytes(value.M)
  if (value.SS !== undefined) return value.SS.reduce((sum, text) => sum + textBytes(text), 0)
  if (value.NS !== undefined) return value.NS.reduce((sum, digits) => sum + numberBytes(digits), 0)
  if (value.BS !== undefined) return value.BS.reduce((sum, bytes) => sum + bytes.byteLength, 0)
  return 0
}
