import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import type { Bound, OrderValue, Range } from '../../model/position.ts'
import type { KeyCondition } from '../layout.ts'
import { compareKeyValues, type End, type KeyValues, PLAIN_VALUES } from './neighbours.ts'

/** A key attribute that every entry of a list has with the same value. */
export interface Fixed {
  readonly name: string
  readonly value: AttributeValue
}

/** The attributes of an index that place an entry in its lists, and the form of ids in them. */
export interface PositionKeys {
  readonly order: string
  readonly orderValues: KeyValues
  readonly id: string
  /** Returns the attribute's id for the id of a bound, or a text that sorts like it among ids. */
  readonly idOf: (key: string) => string
}

/**
 * Returns the conditions that together read a list between bounds, ascending. A bound at an item is among those of the same order value, which
 * takes a condition of its own: `order = :o AND id > :id`, then `order > :o`.
 */
export function nativeConditions(fixed: readonly Fixed[], keys: PositionKeys, range: Range): readonly KeyCondition[] {
  const { lower, upper } = range
  const idEnd = (bound: Bound, inclusive: Bound['side']): End | undefined =>
    bound.id === undefined ? undefined : { value: keys.idOf(bound.id), inclusive: bound.side === inclusive }
  const tied = (order: OrderValue, from: End | undefined, to: End | undefined): readonly KeyCondition[] =>
    conditionOf([...fixed, { name: keys.order, value: keys.orderValues.attributeOf(order) }], keys.id, from, to)
  const lowerId = lower && idEnd(lower, 'before')
  const upperId = upper && idEnd(upper, 'after')
  if (lowerId && upperId && lower?.order === upper?.order) return tied(lower?.order ?? '', lowerId, upperId)
  return [
    ...(lower && lowerId ? tied(lower.order, lowerId, undefined) : []),
    ...conditionOf(
      fixed,
      keys.order,
      lower && orderEnd(lower, 'before'),
      upper && orderEnd(upper, 'after'),
      keys.orderValues,
    ),
    ...(upper && upperId ? tied(upper.order, undefined, upperId) : []),
  ]
}

/** Returns the end among order values: the items of a bound's own order value are read apart where it has an id. */
function orderEnd({ order, id, side }: Bound, inclusive: Bound['side']): End {
  return { value: order, inclusive: id === undefined && side === inclusive }
}

/** Returns the condition; undefined where nothing can lie between the ends. No key holds the empty text. */
export function conditionOf(
  fixed: readonly Fixed[],
  name: string,
  from: End | undefined,
  to: End | undefined,
  values: KeyValues = PLAIN_VALUES,
): readonly KeyCondition[] {
  const lower = from && values.expressible(from, 'lower')
  const upper = to && values.expressible(to, 'upper')
  const compared = (operator?: Operator, ...operands: readonly OrderValue[]): KeyCondition =>
    comparison(fixed, name, operator, operands.map(values.attributeOf))
  if (lower === 'outside' || upper === 'outside' || fixed.some(({ value }) => value.S === '')) return []
  if (lower === undefined) {
    if (upper === undefined) return [compared()]
    return [compared(upper.inclusive ? '<=' : '<', upper.value)]
  }
  if (upper === undefined) return [compared(lower.inclusive ? '>=' : '>', lower.value)]
  const least = lower.inclusive ? lower.value : values.nextAbove(lower.value)
  const most = upper.inclusive ? upper.value : values.nextBelow(upper.value)
  return compareKeyValues(least, most) > 0 ? [] : [compared('BETWEEN', least, most)]
}

type Operator = '<' | '<=' | '>' | '>=' | 'BETWEEN'

function comparison(
  fixed: readonly Fixed[],
  name: string,
  operator: Operator | undefined,
  operands: readonly AttributeValue[],
): KeyCondition {
  const names: Record<string, string> = {}
  const values: Record<string, AttributeValue> = {}
  const clauses = fixed.map((attribute, i) => {
    names[`#k${i}`] = attribute.name
    values[`:k${i}`] = attribute.value
    return `#k${i} = :k${i}`
  })
  if (operator !== undefined) {
    names['#s'] = name
    const given = operands.map((operand, i) => {
      values[`:s${i}`] = operand
      return `:s${i}`
    })
    clauses.push(`#s ${operator} ${given.join(' AND ')}`)
  }
  return { expression: clauses.join(' AND '), names, values }
}
