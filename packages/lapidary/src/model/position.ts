import { createHash } from 'node:crypto'
import type { Collection, Item } from './collection.ts'
import { decimalProblem, sortableDecimal } from './decimal.ts'
import { shown, unprocessable } from './errors.ts'
import { byteLength, compareBytes, escapeComponent, escapeOrdered, unescapeComponent } from './key-text.ts'
import type { Order } from './order.ts'
import { ownValue } from './own-value.ts'

/**
 * A value of the order attribute: a number or a text. A time is the text of its ISO 8601 form; a decimal is a text that sorts as numbers do
 * ({@link sortableDecimal}).
 */
export type OrderValue = string | number

/**
 * An item's order value and, among equals, its id: they place it in every list that it is in. The order is total, and the same in every layout,
 * so a cursor outlives a change of layout.
 *
 * `id` is not the id itself but {@link idKey}: at most 64 bytes, so that cursors stay short. With `idOrder: 'raw'` it is {@link rawIdKey}.
 */
export interface Position {
  readonly order: OrderValue
  readonly id: string
}

/**
 * A point between positions: just before or just after `order` and `id`; without an id, before or after all items of that order value. No item
 * is at a bound, so no bound is inclusive or exclusive.
 */
export interface Bound {
  readonly order: OrderValue
  readonly id: string | undefined
  readonly side: 'before' | 'after'
}

/** Two bounds and all between them; an undefined bound is an end of the list. */
export interface Range {
  readonly lower: Bound | undefined
  readonly upper: Bound | undefined
}

const LONGEST_ID = 64
const LONGEST_ORDER_TEXT = 256
/** The highest code point, which no id key holds: it ends the bound just before a key. */
export const HIGHEST = '\u{10FFFF}'

/**
 * Returns the position of an item in every list that it is in.
 *
 * @throws {LapidaryError} `unprocessable` where its order value is not valid.
 * @example
 * ```ts run
 * const { order, id } = positionOf(comments, comment)
 * ```
 */
export function positionOf(collection: Positioned, item: Item): Position {
  return {
    order: orderValue(collection.order, ownValue(item, collection.order.attribute)),
    id: idKeyIn(collection, String(ownValue(item, collection.id))),
  }
}

/** Tells whether an item is in the lists of an order: an item without the attribute is not in those of an optional order. */
export function isInOrder({ attribute, optional }: Order, item: Item): boolean {
  return optional !== true || (ownValue(item, attribute) ?? undefined) !== undefined
}

/** Tells whether an item has a position in an order. An item that was stored before the order was declared may have none. */
export function hasPosition(order: Order, item: Item): boolean {
  try {
    orderValue(order, ownValue(item, order.attribute))
    return true
  } catch {
    return false
  }
}

/** The part of a collection that positions are made by. */
export type Positioned = Pick<Collection, 'id' | 'order'> & Partial<Pick<Collection, 'idOrder'>>

/** Returns an id as the positions of a collection hold it. */
export function idKeyIn({ idOrder }: Partial<Pick<Collection, 'idOrder'>>, id: string): string {
  return idOrder === 'raw' ? rawIdKey(id) : idKey(id)
}

/** Checks a value of the order attribute; -0 becomes 0. */
export function orderValue(order: Order, value: unknown): OrderValue {
  switch (order.type) {
    case 'time':
      if (typeof value === 'string' && isTime(value)) return value
      return refuseOrderValue(
        order,
        value,
        'must be an ISO 8601 time in UTC with milliseconds, like 2020-11-09T12:00:00.123Z',
      )
    case 'number':
      if (typeof value === 'number' && Number.isFinite(value)) return value === 0 ? 0 : value
      return refuseOrderValue(order, value, 'must be a finite number')
    case 'decimal':
      if (typeof value !== 'string' && typeof value !== 'bigint' && typeof value !== 'number')
        return refuseOrderValue(order, value, 'must be a number')
      if (decimalProblem(String(value)) !== undefined)
        return refuseOrderValue(order, value, `must be a number of DynamoDB, and ${decimalProblem(String(value))}`)
      return sortableDecimal(String(value))
    case 'string':
      if (typeof value !== 'string') return refuseOrderValue(order, value, 'must be a string')
      if (byteLength(escapeOrdered(value)) > LONGEST_ORDER_TEXT)
        return refuseOrderValue(order, value, `must be at most ${LONGEST_ORDER_TEXT} bytes`)
      return value
  }
}

/** Compares two positions: less than 0 where `a` is read before `b` in ascending order. */
export function comparePositions(a: Position, b: Position): number {
  return compareOrderValues(a.order, b.order) || compareBytes(a.id, b.id)
}

/** Compares a position with a bound: less than 0 where the position is below it, else more; never 0. */
export function compareToBound(position: Position, bound: Bound): number {
  return compareBounds({ ...position, side: 'before' }, bound) || (bound.side === 'before' ? 1 : -1)
}

/**
 * Compares two bounds: less than 0 where `a` is below `b`.
 *
 * @example
 * ```ts run
 * const newYear = { order: '2020-01-01T00:00:00.000Z', id: undefined }
 * compareBounds({ ...newYear, side: 'before' }, { ...newYear, side: 'after' }) // less than 0
 * ```
 */
export function compareBounds(a: Bound, b: Bound): number {
  const byOrder = compareOrderValues(a.order, b.order)
  if (byOrder !== 0) return byOrder
  if (a.id !== undefined && b.id !== undefined) return compareBytes(a.id, b.id) || sideRank(a) - sideRank(b)
  if (a.id === undefined && b.id === undefined) return sideRank(a) - sideRank(b)
  return a.id === undefined ? sideRank(a) : -sideRank(b)
}

/** Returns the bound just past a position. */
export function boundPast(position: Position, ascending: boolean): Bound {
  return { ...position, side: ascending ? 'after' : 'before' }
}

/** Tells whether nothing can be between two bounds. */
export function isEmptyRange({ lower, upper }: Range): boolean {
  return (
    (upper?.order === '' && upper.id === undefined && upper.side === 'before') ||
    (lower !== undefined && upper !== undefined && compareBounds(lower, upper) >= 0)
  )
}

/** Tells whether a position is between two bounds. */
export function isWithin(position: Position, { lower, upper }: Range): boolean {
  return (
    (lower === undefined || compareToBound(position, lower) > 0) &&
    (upper === undefined || compareToBound(position, upper) < 0)
  )
}

/** Returns the lower of two upper bounds. */
export function lowerOf(a: Bound | undefined, b: Bound | undefined): Bound | undefined {
  return a === undefined || (b !== undefined && compareBounds(b, a) < 0) ? b : a
}

/** Returns the higher of two lower bounds. */
export function higherOf(a: Bound | undefined, b: Bound | undefined): Bound | undefined {
  return a === undefined || (b !== undefined && compareBounds(b, a) > 0) ? b : a
}

function sideRank({ side }: Bound): number {
  return side === 'before' ? -1 : 1
}

export function compareOrderValues(a: OrderValue, b: OrderValue): number {
  return typeof a === 'number' && typeof b === 'number' ? a - b : compareBytes(String(a), String(b))
}

/**
 * Tells whether a text is an ISO 8601 time in UTC with milliseconds: such texts sort as the times do. Each time has one text: the 30th of
 * February and 24:00 are refused, since they are read as the day after and would sort wrong.
 */
export function isTime(value: string): boolean {
  const time = new Date(value)
  return value.length === 24 && !Number.isNaN(time.getTime()) && time.toISOString() === value
}

/** Returns an id as keys and cursors hold it: escaped; for more than 64 bytes, the first 40 and a hash of the whole. */
export function idKey(id: string): string {
  return shortKey(id, escapeComponent(id), { longest: LONGEST_ID, kept: 40 })
}

/** The last two code points. A key may not hold one of them; both are written with the first, and sort as they did. */
const LAST_POINTS = /[\u{10FFFE}\u{10FFFF}]/gu
const LAST_BUT_ONE = '\u{10FFFE}'

/** Returns an id as a text that sorts as the id itself does, whatever its length. */
export function rawIdKey(id: string): string {
  return escapeOrdered(id).replace(LAST_POINTS, (point) => `${LAST_BUT_ONE}${point === HIGHEST ? 1 : 0}`)
}

/** Returns the id that {@link rawIdKey} was given. */
export function idOfRawKey(key: string): string {
  return unescapeComponent(key.replace(/\u{10FFFE}([01])/gu, (_, bit) => (bit === '1' ? HIGHEST : LAST_BUT_ONE)))
}

/**
 * Returns an escaped text as the `id` of positions; a long one becomes its beginning and a hash of the whole. `%M` stands for {@link HIGHEST},
 * and is an escape of nothing else.
 */
export function shortKey(
  text: string,
  escaped: string,
  { longest, kept }: { readonly longest: number; readonly kept: number },
): string {
  const key = escaped.replaceAll(HIGHEST, '%M')
  if (byteLength(key) <= longest) return key
  const hash = createHash('sha256').update(text).digest('base64url').slice(0, 22)
  const beginning = Buffer.from(key)
    .subarray(0, kept)
    .toString()
    .replace(/\uFFFD+$/, '')
  return `${beginning}~${hash}`
}

function refuseOrderValue(order: Order, value: unknown, message: string): never {
  throw unprocessable('the item has no position in an order', [
    { path: order.attribute, message: `${message}, not ${shown(value)}` },
  ])
}
