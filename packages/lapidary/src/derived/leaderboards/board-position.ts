import { decimalFrom, dividedDecimal, negatedDecimal, sortableDecimal } from '../../model/decimal.ts'
import { escapeOrdered } from '../../model/key-text.ts'
import type { Ranking } from '../../model/leaderboard.ts'
import type { Order } from '../../model/order.ts'
import { type OrderValue, shortKey } from '../../model/position.ts'

/** The order of boards: by {@link placeText}, so that ascending order is the highest first and, among equals, by scope. */
export const BOARD_ORDER: Order = Object.freeze({ attribute: 'count', type: 'string' })

const MOST = 999_999_999_999
const DIGITS = 12
/** Sorts before every digit, so that of two values the one that has more digits comes as it should. */
const AFTER_VALUE = '-'

/** What a scope has of the items that count on a board. */
export interface Tallied {
  readonly count: number
  /** The sum of the numbers of these items; 0 where none are summed. */
  readonly sum: string
}

/** A place on a board. */
export interface Place {
  readonly count: number
  /** The sum or the average by which the board ranks; undefined where it ranks by the count. */
  readonly value: string | undefined
}

/** Returns the text of a scope's place, by which places sort; undefined of a scope that has none. */
export function placeText(
  by: Pick<Ranking, 'of' | 'atLeast'> | undefined,
  { count, sum }: Tallied,
): string | undefined {
  if (count < (by?.atLeast ?? 1)) return undefined
  if (by === undefined) return countText(count)
  const value = by.of === 'sum' ? sum : dividedDecimal(sum, count)
  return `${sortableDecimal(negatedDecimal(value))}${AFTER_VALUE}${countText(count)}`
}

/** Returns the place that {@link placeText} made a text of. */
export function placeFrom(text: OrderValue): Place {
  const [value, count] = String(text).split(AFTER_VALUE)
  if (count === undefined) return { count: countFrom(text), value: undefined }
  return { count: countFrom(count), value: negatedDecimal(decimalFrom(value ?? '')) }
}

/** A count up to a trillion, inverted. */
export function countText(count: number): string {
  return String(MOST - count).padStart(DIGITS, '0')
}

/** The count that {@link countText} was given. */
export function countFrom(text: OrderValue): number {
  return MOST - Number(text)
}

/** A scope as a board's positions hold it: in the order of scopes, and of a long one the beginning and a hash of the whole. */
export function scopeIdKey(scope: string): string {
  return shortKey(scope, escapeOrdered(scope), { longest: 256, kept: 200 })
}
