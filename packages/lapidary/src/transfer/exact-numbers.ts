import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { StoredValue } from '../model/attribute-value.ts'
import type { Collection, Item } from '../model/collection.ts'
import { decimalProblem, plainDecimal } from '../model/decimal.ts'
import { type InputIssue, shown, unprocessable } from '../model/errors.ts'
import { nearestValue } from '../model/native-value.ts'
import { ownValue } from '../model/own-value.ts'
import { attributeValue } from '../model/written-entry.ts'
import { holdsStored, isHeld, parsedJson } from './json-numbers.ts'

/** What is read of a value of a file, and what is stored of it where that has digits which reading loses. */
interface ReadValue {
  readonly value: unknown
  readonly stored?: AttributeValue
}

/**
 * Reads a value of JSON as it is read once it is stored.
 *
 * @throws {LapidaryError} `unprocessable` for a number that DynamoDB does not hold.
 */
export function asRead({ numbers }: Collection, attribute: string, given: unknown): ReadValue {
  const kind = ownValue(numbers, attribute)
  const isLong = holdsStored(given)
  if (given === undefined || (kind === undefined && !isLong)) return { value: given }
  const problem = problemIn(given)
  if (problem !== undefined) throw unprocessable(REFUSED, [{ path: attribute, message: problem }])
  const stored = attributeValue(attribute, given)
  const value = nearestValue(stored, kind)
  return isLong && (kind ?? 'number') === 'number' ? { value, stored } : { value }
}

const REFUSED = 'the record was refused'

function problemIn(given: unknown): string | undefined {
  if (given instanceof StoredValue) return given.value.N === undefined ? undefined : problemOf(given.value.N)
  if (typeof given !== 'object' || given === null) return undefined
  for (const part of Object.values(given)) {
    const problem = problemIn(part)
    if (problem !== undefined) return problem
  }
  return undefined
}

function problemOf(digits: string): string | undefined {
  const problem = decimalProblem(digits)
  return problem === undefined ? undefined : `${shown(digits)} ${problem}, and DynamoDB does not hold it`
}

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i

/**
 * The numbers of a CSV row with digits that the item's own numbers do not have, to be stored as the file has them. What a schema makes of a text
 * otherwise, such as a rounded price, is stored as the schema says.
 *
 * @throws {LapidaryError} `unprocessable` for digits that would be lost, or that the item could not be read with.
 */
export function digitsOfTexts(
  collection: Collection,
  texts: Readonly<Record<string, string | undefined>>,
  item: Item,
): readonly (readonly [attribute: string, stored: AttributeValue])[] {
  const errors: InputIssue[] = []
  const stored = Object.entries(texts).flatMap(([attribute, text]): (readonly [string, AttributeValue])[] => {
    const digits = text?.trim() ?? ''
    const value = ownValue(item, attribute)
    if (typeof value === 'object') {
      const { stored: kept } = asRead(collection, attribute, jsonIn(digits))
      return kept === undefined ? [] : [[attribute, kept]]
    }
    if (typeof value !== 'number' || !NUMBER.test(digits) || value !== Number(digits) || isHeld(digits)) return []
    const message = problemOf(digits) ?? lossOf(attribute, digits, value, ownValue(collection.numbers, attribute))
    if (message !== undefined) errors.push({ path: attribute, message })
    return message === undefined ? [[attribute, { N: plainDecimal(digits) }]] : []
  })
  if (errors.length > 0) throw unprocessable(REFUSED, errors)
  return stored
}

/** A number that is not declared reads as the nearest one, and keeps its digits in the table. */
function lossOf(attribute: string, digits: string, value: number, kind: string | undefined): string | undefined {
  if (kind === undefined && Math.abs(value) <= Number.MAX_SAFE_INTEGER) return undefined
  return `${digits} has more digits than a number of JavaScript; declare numbers: { ${attribute}: 'decimal' }, which the schema takes as a text`
}

/** A list or an object, of which CSV has no form of its own. */
export function jsonIn(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined
  try {
    return parsedJson(text)
  } catch {
    return undefined
  }
}
