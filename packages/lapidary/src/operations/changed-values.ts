import { isDeepStrictEqual } from 'node:util'
import type { Item } from '../model/collection.ts'
import { addedDecimals, decimalProblem, plainDecimal } from '../model/decimal.ts'
import type { Entry } from '../model/entry.ts'
import { type InputIssue, unprocessable } from '../model/errors.ts'
import { type Increment, isIncrement } from '../model/increment.ts'
import { nearestValue } from '../model/native-value.ts'
import { ownValue } from '../model/own-value.ts'
import type { CollectionContext } from './context.ts'
import type { FoundItem } from './preconditions.ts'

/** The new values of the attributes that a patch names. */
export interface ChangedValues {
  /** The changes, with sums in place of increments. */
  readonly changes: Item
  /** The stored entry with the exact sums: a value that reads the same as the item's is kept from it. */
  readonly stays: Entry
  /** Whether the stored item changes in digits that the item that is read does not show. */
  readonly isBeyond: boolean
}

/** @throws {LapidaryError} `unprocessable` for an increment of an attribute that is no number. */
export function changedValues(context: CollectionContext, before: FoundItem, given: Item): ChangedValues {
  const { collection, codec } = context
  const errors: InputIssue[] = []
  const sums: Record<string, Entry[string]> = {}
  let isBeyond = false
  const changes = Object.entries(given).map(([attribute, change]): readonly [string, unknown] => {
    if (!isIncrement(change)) return [attribute, change]
    const sum = incrementedSum(context, before, attribute, change)
    if ('problem' in sum) {
      errors.push({ path: attribute, message: sum.problem })
      return [attribute, undefined]
    }
    sums[codec.storedName(attribute)] = { N: sum.digits }
    isBeyond ||= change.by !== 0 && isDeepStrictEqual(sum.value, ownValue(before.item, attribute))
    return [attribute, sum.value]
  })
  if (errors.length > 0) throw unprocessable(`the change of a ${collection.name} was refused`, errors)
  const replaced = unreadableNames(context, before).filter((name) =>
    Object.keys(given).some((attribute) => codec.storedName(attribute) === name),
  )
  return {
    changes: Object.fromEntries(changes),
    stays: { ...withoutAttributes(before.found, replaced), ...sums },
    isBeyond: isBeyond || replaced.length > 0,
  }
}

/**
 * Returns the stored names of numbers that can't be read: a new value is written in their place, even the nearest number. Numbers inside a list
 * or map are left out, since a change does not say which of them it means.
 */
export function unreadableNames({ codec }: CollectionContext, { found }: FoundItem): readonly string[] {
  const names = codec.unreadable(found).map(({ attribute }) => codec.storedName(attribute))
  return names.filter((name) => ownValue(found, name)?.N !== undefined)
}

/** Returns an entry withoutAttributes some of its attributes. */
export function withoutAttributes(entry: Entry, names: readonly string[]): Entry {
  return Object.fromEntries(Object.entries(entry).filter(([name]) => !names.includes(name)))
}

type Sum = { readonly digits: string; readonly value: unknown } | { readonly problem: string }

/** Adds as DynamoDB adds, so that the sum is the same whether the item is read first or not. */
function incrementedSum(
  { collection, codec }: CollectionContext,
  before: FoundItem,
  attribute: string,
  { by }: Increment,
): Sum {
  const { numbers } = collection
  const kind = ownValue(numbers, attribute)
  const number = ownValue(before.item, attribute) ?? 0
  // A text is a number only where it is declared so.
  const isNumber = typeof number === (kind === 'bigint' ? 'bigint' : 'number') || number === 0
  const digits = ownValue(before.found, codec.storedName(attribute))?.N
  if (!isNumber && !(kind === 'decimal' && decimalProblem(String(number)) === undefined))
    return { problem: 'is no number, so nothing can be added to it' }
  const sum = addedDecimals(digits ?? String(number), String(by))
  const problem = decimalProblem(sum)
  if (problem !== undefined) return { problem: `would be ${sum}, which ${problem}` }
  if (kind === 'bigint' && plainDecimal(sum).includes('.')) return { problem: `would be ${sum}, which is not whole` }
  return { digits: sum, value: kind === undefined ? Number(sum) : nearestValue({ N: sum }, kind) }
}
