import { escapeOrdered } from '../../model/key-text.ts'
import type { Order } from '../../model/order.ts'
import { type OrderValue, shortKey } from '../../model/position.ts'

/** The order of boards: by {@link countText}, so that ascending order is most first and, among equals, by scope. */
export const BOARD_ORDER: Order = Object.freeze({ attribute: 'count', type: 'string' })

const MOST = 999_999_999_999
const DIGITS = 12

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
