import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { exactNumber, plainDecimal } from './decimal.ts'
import { LapidaryError } from './errors.ts'

/**
 * The kind of number that an attribute is read and written as. `number`: JavaScript numbers, and an error for a number that they do not hold
 * exactly. `bigint`: whole numbers of up to 38 digits. `decimal`: texts with all their digits.
 */
export type NumberKind = 'number' | 'bigint' | 'decimal'

/** A number that can't be read as its attribute's numbers are. */
export class UnreadableNumber extends Error {
  readonly digits: string

  constructor(digits: string) {
    super(`the number ${digits} can't be read`)
    this.digits = digits
  }
}

/**
 * Converts a stored value to a JavaScript value.
 *
 * @param kind The kind that numbers are read as. When not given, a fraction is read as the nearest number, and a whole number beyond 2^53 as a
 * bigint.
 * @throws {UnreadableNumber} For a number that can't be read as this kind.
 */
export function toNativeValue(value: AttributeValue, kind?: NumberKind): unknown {
  return converted(value, (digits) => numberOf(digits, kind))
}

/** Converts as {@link toNativeValue} does, and reads a number of another kind as the nearest one. It never fails for a number. */
export function nearestValue(value: AttributeValue, kind?: NumberKind): unknown {
  return converted(value, (digits) => {
    try {
      return numberOf(digits, kind)
    } catch (error) {
      if (!(error instanceof UnreadableNumber)) throw error
      return kind === 'bigint' ? BigInt(plainDecimal(digits).replace(/\..*/, '')) : Number(digits)
    }
  })
}

/** Returns a number in a value that can't be read as its attribute's numbers are; undefined where there is none. */
export function unreadableIn(value: AttributeValue, kind?: NumberKind): string | undefined {
  try {
    // Most attributes are texts.
    if (value.S === undefined) toNativeValue(value, kind)
    return undefined
  } catch (error) {
    if (error instanceof UnreadableNumber) return error.digits
    throw error
  }
}

function converted(value: AttributeValue, number: (digits: string) => number | bigint | string): unknown {
  if (value.S !== undefined) return value.S
  if (value.N !== undefined) return number(value.N)
  if (value.BOOL !== undefined) return value.BOOL
  if (value.M !== undefined) {
    // `fromEntries` makes `__proto__` an attribute like any other; an assignment would not.
    return Object.fromEntries(Object.entries(value.M).map(([name, element]) => [name, converted(element, number)]))
  }
  if (value.L !== undefined) return value.L.map((element) => converted(element, number))
  if (value.NULL !== undefined) return null
  if (value.B !== undefined) return value.B
  if (value.SS !== undefined) return new Set(value.SS)
  if (value.NS !== undefined) return new Set(value.NS.map(number))
  if (value.BS !== undefined) return new Set(value.BS)
  throw new LapidaryError('table_mismatch', `an attribute has no type that DynamoDB knows: ${Object.keys(value)}`)
}

function numberOf(digits: string, kind: NumberKind | undefined): number | bigint | string {
  if (kind === 'decimal') return plainDecimal(digits)
  if (kind === 'number') return exactNumber(digits) ?? unreadable(digits)
  const value = Number(digits)
  if (kind === undefined && Math.abs(value) <= Number.MAX_SAFE_INTEGER) return value
  const plain = plainDecimal(digits)
  return plain.includes('.') ? unreadable(digits) : BigInt(plain)
}

function unreadable(digits: string): never {
  throw new UnreadableNumber(digits)
}
