import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import type { Entry } from '../../model/entry.ts'
import { type Amount, type Amounts, isNoAmount } from '../amount.ts'
import { sumIn } from './counted-attribute.ts'
import { SUM_PREFIX } from './counts-shape.ts'

/**
 * Returns amounts as attributes of the same names; undefined when all are 0. A decimal is stored as a text: a sum may take more than the 38 digits
 * of a number of DynamoDB.
 */
export function numbersEntry(amounts: Amounts): Entry | undefined {
  const held = Object.entries(amounts).filter(([, amount]) => !isNoAmount(amount))
  if (held.length === 0) return undefined
  const values = held.map(([name, amount]): [string, AttributeValue] => [
    name,
    typeof amount === 'string' ? { S: amount } : { N: String(amount) },
  ])
  return Object.fromEntries(values)
}

/** All numbers and sums of an item, so that counters which another version of the program keeps stay in it. */
export function numbersOf(entry: Entry): Amounts {
  const numbers = Object.entries(entry).flatMap(([name, { N }]): [string, Amount][] => {
    if (name.startsWith(SUM_PREFIX)) return [[name, sumIn(entry, name)]]
    return N === undefined ? [] : [[name, Number(N)]]
  })
  return Object.fromEntries(numbers)
}
