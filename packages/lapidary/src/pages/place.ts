import { boundText, numberFrom, positionFrom, positionText, sortableNumber } from '../layouts/position-text.ts'
import { compareBytes } from '../model/key-text.ts'
import type { Order } from '../model/order.ts'
import { type Bound, HIGHEST, type Position } from '../model/position.ts'

/**
 * Where an entry stands in a sorted list: by a number and, among equals, by the bytes of a text. That is what a sorted set
 * of Redis is ordered by, and every other store can be.
 */
export interface Place {
  readonly score: number
  readonly member: string
}

/** Less than 0 where `a` comes first. */
export function comparePlaces(a: Place, b: Place): number {
  return a.score - b.score || compareBytes(a.member, b.member)
}

const SCORE_DIGITS = 16

/** A place as a text that sorts bytewise as places do: 16 digits of the score, then the member. */
export function placeText({ score, member }: Place): string {
  return `${sortableNumber(score)}${member}`
}

/** The place that {@link placeText} was given. */
export function placeFrom(text: string): Place {
  return { score: numberFrom(text.slice(0, SCORE_DIGITS)), member: text.slice(SCORE_DIGITS) }
}

/** The place of a position. Times are milliseconds since 1970, numbers themselves; texts and decimals are in the member. */
export function placeOf(order: Order, position: Position): Place {
  if (isInMember(order)) return { score: 0, member: positionText(order, position) }
  return { score: scoreOf(order, position.order), member: position.id }
}

/** The position that {@link placeOf} was given. */
export function positionAt(order: Order, { score, member }: Place): Position {
  if (isInMember(order)) return positionFrom(order, member)
  return { order: order.type === 'time' ? new Date(score).toISOString() : score, id: member }
}

/** The place before which is exactly what is below a bound; no entry is there, so nothing is inclusive or exclusive. */
export function cutAt(order: Order, bound: Bound): Place {
  if (isInMember(order)) return { score: 0, member: boundText(order, bound) }
  const score = scoreOf(order, bound.order)
  if (bound.id === undefined) return { score, member: bound.side === 'before' ? '' : HIGHEST }
  // No id key is between another and itself with a NUL, which none holds.
  return { score, member: bound.side === 'before' ? bound.id : `${bound.id}\u0000` }
}

/** Of a decimal a score would hold 15 digits. */
function isInMember({ type }: Order): boolean {
  return type === 'string' || type === 'decimal'
}

function scoreOf({ type }: Order, value: Position['order']): number {
  return type === 'time' ? Date.parse(String(value)) : Number(value)
}
