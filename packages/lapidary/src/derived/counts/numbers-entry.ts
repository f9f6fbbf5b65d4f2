import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import type { Entry } from '../../model/entry.ts'
import { type Amounts, isNoAmount } from '../amount.ts'

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
