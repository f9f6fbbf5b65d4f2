import { createHash } from 'node:crypto'
import type { Order } from '../../model/collection.ts'
import { byteLength, escapeOrdered } from '../../model/key-text.ts'
import { HIGHEST, type OrderValue } from '../../model/position.ts'

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

const LONGEST = 256
const KEPT = 200

/** A scope as a board's positions hold it: in the order of scopes, and of a long one the beginning and a hash of the whole. */
export function scopeIdKey(scope: string): string {
  const escaped = escapeOrdered(scope).replaceAll(HIGHEST, '%M')
  if (byteLength(escaped) <= LONGEST) return escaped
  const hash = createHash('sha256').update(scope).digest('base64url').slice(0, 22)
  const kept = Buffer.from(escaped)
    .subarray(0, KEPT)
    .toString()
    .replace(/\uFFFD+$/, '')
  return `${kept}~${hash}`
}
