import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { LapidaryError } from './errors.ts'

/**
 * What DynamoDB holds as a value: a number that JavaScript does not hold exactly as a bigint.
 *
 * @throws {LapidaryError} `table_mismatch` for a number beyond 2^53 that is not written out as a whole one. Fractions come as the nearest number.
 */
export function toNativeValue(value: AttributeValue): unknown {
  if (value.S !== undefined) return value.S
  if (value.N !== undefined) return numberOf(value.N)
  if (value.BOOL !== undefined) return value.BOOL
  if (value.M !== undefined) {
    // Unlike an assignment this makes `__proto__` an attribute like any.
    return Object.fromEntries(Object.entries(value.M).map(([name, element]) => [name, toNativeValue(element)]))
  }
  if (value.L !== undefined) return value.L.map(toNativeValue)
  if (value.NULL !== undefined) return null
  if (value.B !== undefined) return value.B
  if (value.SS !== undefined) return new Set(value.SS)
  if (value.NS !== undefined) return new Set(value.NS.map(numberOf))
  if (value.BS !== undefined) return new Set(value.BS)
  throw new LapidaryError('table_mismatch', `an attribute has no type that DynamoDB knows: ${Object.keys(value)}`)
}

function numberOf(digits: string): number | bigint {
  const value = Number(digits)
  if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) return value
  if (/^-?\d+$/.test(digits)) return BigInt(digits)
  throw new LapidaryError('table_mismatch', `the number ${digits} is stored, which neither a number nor a bigint holds`)
}
