import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { exactNumber, plainDecimal } from './decimal.ts'
import { LapidaryError } from './errors.ts'

/**
 * How the numbers of an attribute are read and written. `number`: as numbers of JavaScript, and none that these hold only nearly. `bigint`: whole
 * ones, of up to 38 digits. `decimal`: as texts with all their digits.
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
 * A value as JavaScript has it.
 *
 * @param kind How numbers are read. When not given: as numbers, of fractions the nearest, and whole ones beyond 2^53 as bigints.
 * @throws {UnreadableNumber} For a number that can't be read so.
 */
export function toNativeValue(value: AttributeValue, kind?: NumberKind): unknown {
  return converted(value, (digits) => numberOf(digits, kind))
}

/** The same, with what can't be read so as the number nearest to it. It never fails for a number. */
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

/** A number in a value that can't be read as its attribute's numbers are; undefined where there is none. */
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
    // Unlike an assignment this makes `__proto__` an attribute like any.
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
