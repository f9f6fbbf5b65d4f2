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

/** What a patch makes of the attributes that it names. */
export interface ChangedValues {
  /** The changes, with the sums of what is added. */
  readonly changes: Item
  /** What is stored and stays, where the item has a value that reads the same; with the sums, exact. */
  readonly stays: Entry
  /** Whether something changes of which an item that is read shows nothing. */
  readonly isBeyond: boolean
}

/** @throws {LapidaryError} `unprocessable` where something is added to what is no number. */
export function changedValues(context: CollectionContext, before: FoundItem, given: Item): ChangedValues {
  const { collection, codec } = context
  const errors: InputIssue[] = []
  const sums: Record<string, Entry[string]> = {}
  let isBeyond = false
  const changes = Object.entries(given).map(([attribute, change]): readonly [string, unknown] => {
    if (!isIncrement(change)) return [attribute, change]
    const sum = sumOf(context, before, attribute, change)
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
    stays: { ...without(before.found, replaced), ...sums },
    isBeyond: isBeyond || replaced.length > 0,
  }
}

/**
 * The stored names of numbers that can't be read: what replaces one is written, even if it is the nearest that can. Inside a list or map
 * nothing tells which of them a change means.
 */
export function unreadableNames({ codec }: CollectionContext, { found }: FoundItem): readonly string[] {
  const names = codec.unreadable(found).map(({ attribute }) => codec.storedName(attribute))
  return names.filter((name) => ownValue(found, name)?.N !== undefined)
}

/** An entry without some of its attributes. */
export function without(entry: Entry, names: readonly string[]): Entry {
  return Object.fromEntries(Object.entries(entry).filter(([name]) => !names.includes(name)))
}

type Sum = { readonly digits: string; readonly value: unknown } | { readonly problem: string }

/** As DynamoDB adds, so that it makes no difference whether the item is read for it. */
function sumOf({ collection, codec }: CollectionContext, before: FoundItem, attribute: string, { by }: Increment): Sum {
  const { numbers } = collection
  const kind = ownValue(numbers, attribute)
  const number = ownValue(before.item, attribute) ?? 0
  // A text may be a number only where it is declared so.
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
