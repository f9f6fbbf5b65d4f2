import type { Entry } from '../model/entry.ts'
import type { Order } from '../model/order.ts'
import type { Position, Range } from '../model/position.ts'
import type { TextKeys } from './index-definition.ts'
import type { KeyCondition, List } from './layout.ts'
import { boundText, positionFrom } from './position-text.ts'
import { reversedBoundText, reversedPositionFrom } from './reversed-text.ts'

/** `#` ends every component of a sort key, so nothing in a list reaches the character after it. */
const AFTER_PREFIX = '$'

/**
 * Makes the condition that reads a list between bounds, where sort keys are the list's prefix and {@link positionText}. No key is at a bound, so
 * BETWEEN, which includes both ends, is exact.
 *
 * @example
 * ```ts run
 * const keys = { partitionKey: 'k', sortKey: 's' }
 * const list = { index: 'all', label: '42', partition: 'COMMENT/42', prefix: '', holds: {} }
 * const { expression } = textKeyCondition(keys, comments.order, list, { lower: undefined, upper: undefined }) // #k = :k
 * ```
 */
export function textKeyCondition(keys: TextKeys, order: Order, list: List, range: Range): KeyCondition {
  const { prefix, reversed = false } = list
  const textOf = reversed ? reversedBoundText : boundText
  const [low, high] = reversed ? [range.upper, range.lower] : [range.lower, range.upper]
  const lower = prefix + (low === undefined ? '' : textOf(order, low))
  const upper =
    high === undefined ? (prefix === '' ? undefined : prefix.slice(0, -1) + AFTER_PREFIX) : prefix + textOf(order, high)
  const partition = {
    expression: '#k = :k',
    names: { '#k': keys.partitionKey },
    values: { ':k': { S: list.partition } },
  }
  if (lower === '' && upper === undefined) return partition
  const names = { ...partition.names, '#s': keys.sortKey }
  if (lower === '') {
    return { expression: '#k = :k AND #s < :u', names, values: { ...partition.values, ':u': { S: upper ?? '' } } }
  }
  if (upper === undefined) {
    return { expression: '#k = :k AND #s > :l', names, values: { ...partition.values, ':l': { S: lower } } }
  }
  const values = { ...partition.values, ':l': { S: lower }, ':u': { S: upper } }
  return { expression: '#k = :k AND #s BETWEEN :l AND :u', names, values }
}

/**
 * Returns the position of an entry that {@link textKeyCondition} finds: its sort key without the list's prefix.
 *
 * @example
 * ```ts run
 * const keys = { partitionKey: 'k', sortKey: 's' }
 * const list = { index: 'all', label: '42', partition: 'COMMENT/42', prefix: '', holds: {} }
 * const { order, id } = textPosition(keys, comments.order, list, { s: { S: '2020-11-09T12:00:00.123Z#100001' } })
 * ```
 */
export function textPosition({ sortKey }: TextKeys, order: Order, { prefix, reversed }: List, entry: Entry): Position {
  const text = (entry[sortKey]?.S ?? '').slice(prefix.length)
  return reversed ? reversedPositionFrom(order, text) : positionFrom(order, text)
}
