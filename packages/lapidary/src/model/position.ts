import { createHash } from 'node:crypto'
import type { Collection, Item, Order } from './collection.ts'
import { shown, unprocessable } from './errors.ts'
import { byteLength, escapeComponent, escapeOrdered } from './key-text.ts'

/**
 * `<order key>#<id>`: a text that sorts bytewise and is unique, so that the order of a list is total.
 *
 * It is at most 94 bytes for times and numbers, which keeps cursors short: an escaped id of more than 64 bytes gives
 * its first 40 bytes and a hash of the whole.
 */
export type Position = string

const LONGEST_ID = 64
const LONGEST_ORDER_TEXT = 256

/** The position of an item in every list that it is in. */
export function positionOf(collection: Collection, item: Item): Position {
  return `${orderKey(collection.order, item[collection.order.attribute])}#${idKey(String(item[collection.id]))}`
}

/** The sortable text of an order value. */
export function orderKey(order: Order, value: unknown): string {
  switch (order.type) {
    case 'time':
      if (typeof value === 'string' && isTime(value)) return value
      return refuse(order, value, 'must be an ISO 8601 time in UTC with milliseconds, like 2020-11-09T12:00:00.123Z')
    case 'number':
      if (typeof value === 'number' && Number.isFinite(value)) return sortableNumber(value)
      return refuse(order, value, 'must be a finite number')
    case 'string': {
      if (typeof value !== 'string') return refuse(order, value, 'must be a string')
      const key = escapeOrdered(value)
      if (byteLength(key) > LONGEST_ORDER_TEXT)
        return refuse(order, value, `must be at most ${LONGEST_ORDER_TEXT} bytes`)
      return key
    }
  }
}

/** One text for one time: the 30th of February and 24:00 are read as the day after, so they would sort wrong. */
function isTime(value: string): boolean {
  const time = new Date(value)
  return value.length === 24 && !Number.isNaN(time.getTime()) && time.toISOString() === value
}

function idKey(id: string): string {
  const escaped = escapeComponent(id)
  if (byteLength(escaped) <= LONGEST_ID) return escaped
  const hash = createHash('sha256').update(id).digest('base64url').slice(0, 22)
  return `${Buffer.from(escaped)
    .subarray(0, 40)
    .toString()
    .replace(/\uFFFD+$/, '')}~${hash}`
}

/** IEEE 754 bits as 16 hexadecimal digits, flipped so that they sort as the numbers do; -0 is 0. */
function sortableNumber(value: number): string {
  const bits = new DataView(new ArrayBuffer(8))
  bits.setFloat64(0, value === 0 ? 0 : value)
  const raw = bits.getBigUint64(0)
  const flipped = raw >> 63n === 1n ? ~raw & 0xffff_ffff_ffff_ffffn : raw | (1n << 63n)
  return flipped.toString(16).padStart(16, '0')
}

function refuse(order: Order, value: unknown, message: string): never {
  throw unprocessable('the item has no place in an order', [
    { path: order.attribute, message: `${message}, not ${shown(value)}` },
  ])
}
