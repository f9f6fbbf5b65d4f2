import type { Position } from '../../model/position.ts'
import type { Bounds, KeyCondition, List } from '../layout.ts'
import type { FacetIndex } from './index-keys.ts'

/** `#` ends every component of a sort key, so nothing in a list reaches the character after it. */
const AFTER_PREFIX = '$'

/**
 * The condition that reads a list between bounds. DynamoDB takes one condition on the sort key, and BETWEEN includes
 * both ends, so an item at an exclusive bound may come through; the reader drops it.
 */
export function keyCondition(index: FacetIndex, list: List, bounds: Bounds): KeyCondition {
  const lower = bounds.lower === undefined ? list.prefix : list.prefix + bounds.lower.position
  const upper = bounds.upper === undefined ? afterPrefix(list.prefix) : list.prefix + bounds.upper.position
  const names = { '#k': index.partitionKey, '#s': index.sortKey }
  const partition = { ':k': list.partition }
  if (lower !== '' && upper !== undefined) {
    const values = { ...partition, ':l': lower, ':u': upper }
    return { expression: '#k = :k AND #s BETWEEN :l AND :u', names, values, inclusive: true }
  }
  if (upper !== undefined) {
    const comparison = bounds.upper?.inclusive === true ? '<=' : '<'
    return {
      expression: `#k = :k AND #s ${comparison} :u`,
      names,
      values: { ...partition, ':u': upper },
      inclusive: false,
    }
  }
  if (lower !== '') {
    const comparison = bounds.lower?.inclusive === false ? '>' : '>='
    return {
      expression: `#k = :k AND #s ${comparison} :l`,
      names,
      values: { ...partition, ':l': lower },
      inclusive: false,
    }
  }
  return { expression: '#k = :k', names: { '#k': index.partitionKey }, values: partition, inclusive: false }
}

function afterPrefix(prefix: string): string | undefined {
  return prefix === '' ? undefined : prefix.slice(0, -1) + AFTER_PREFIX
}

/** The position of an entry: its sort key without the list's prefix. */
export function entryPosition(
  index: FacetIndex,
  list: List,
  keyText: (attribute: string) => string | undefined,
): Position {
  return (keyText(index.sortKey) ?? '').slice(list.prefix.length)
}
