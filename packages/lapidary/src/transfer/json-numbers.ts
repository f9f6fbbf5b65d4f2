import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { StoredValue } from '../model/attribute-value.ts'
import { decimalProblem, exactNumber, plainDecimal } from '../model/decimal.ts'

/** Numbers that a double may not hold have 16 digits or more, or an exponent. */
const LONG = /[\d.]{16}|\d[eE]/
/** Texts, lest a number is seen in one, and numbers. */
const TOKENS = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

/**
 * A value as JSON, numbers with all their digits. A set is a list there, and bytes are a text in base64: JSON has no words for them.
 */
export function jsonText(value: AttributeValue): string {
  if (value.N !== undefined) return plainDecimal(value.N)
  if (value.S !== undefined) return JSON.stringify(value.S)
  if (value.BOOL !== undefined) return String(value.BOOL)
  if (value.L !== undefined) return `[${value.L.map(jsonText).join(',')}]`
  // DynamoDB keeps no order of them, and an answer has any.
  if (value.M !== undefined) return jsonObject(Object.entries(value.M).sort(([a], [b]) => (a < b ? -1 : 1)))
  if (value.NS !== undefined) return `[${value.NS.map(plainDecimal).join(',')}]`
  if (value.SS !== undefined) return JSON.stringify(value.SS)
  if (value.B !== undefined) return JSON.stringify(Buffer.from(value.B).toString('base64'))
  if (value.BS !== undefined) return JSON.stringify(value.BS.map((bytes) => Buffer.from(bytes).toString('base64')))
  return 'null'
}

export function jsonObject(members: Iterable<readonly [name: string, value: AttributeValue]>): string {
  return `{${[...members].map(([name, value]) => `${JSON.stringify(name)}:${jsonText(value)}`).join(',')}}`
}

/**
 * What a JSON text says, with a number that no double holds by its digits, as many as there are.
 *
 * @throws {SyntaxError} For what is no JSON.
 */
export function parsedJson(text: string): unknown {
  const value: unknown = JSON.parse(text)
  if (!LONG.test(text)) return value
  const seen = JSON.stringify(value)
  let mark = '~n'
  while (seen.includes(mark)) mark += '~'
  const marked = text.replace(TOKENS, (token) => (isBeyond(token) ? JSON.stringify(mark + token) : token))
  if (marked === text) return value
  return JSON.parse(marked, (_, part: unknown) =>
    typeof part === 'string' && part.startsWith(mark)
      ? new StoredValue({ N: plainWhereHeld(part.slice(mark.length)) })
      : part,
  )
}

/** A number in one way of writing it; one that DynamoDB does not hold as it is written. */
function plainWhereHeld(token: string): string {
  return decimalProblem(token) === undefined ? plainDecimal(token) : token
}

function isBeyond(token: string): boolean {
  return !token.startsWith('"') && !isHeld(token)
}

/** Whether a double holds a number as it is written, and no other number near it. */
export function isHeld(digits: string): boolean {
  const value = exactNumber(digits)
  return value !== undefined && Math.abs(value) <= Number.MAX_SAFE_INTEGER
}

/** Whether there is a number in a value that is as it is stored. */
export function holdsStored(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return value instanceof StoredValue || Object.values(value).some(holdsStored)
}
