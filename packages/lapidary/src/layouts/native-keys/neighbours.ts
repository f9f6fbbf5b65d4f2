import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { decimalFrom, nextDecimal, sortableDecimal } from '../../model/decimal.ts'
import { byteLength, compareBytes } from '../../model/key-text.ts'
import { HIGHEST, type OrderValue } from '../../model/position.ts'

/**
 * Exact ends for key conditions. A key condition names one bound of an attribute, or two with BETWEEN, which includes both. So an exclusive
 * bound beside another one becomes the value next to it: the next number that JavaScript has, or that DynamoDB has for numbers of up to 38
 * digits; the next text by UTF-8 bytes.
 */

/** DynamoDB's cap on a sort key, and so on the value that one is compared with, in bytes. */
const LONGEST_KEY = 1024

/** Returns the least value above. */
export function nextAbove(value: OrderValue): OrderValue {
  if (typeof value === 'number') return steppedBy(value, 1n)
  if (byteLength(value) < LONGEST_KEY) return `${value}\0`
  // A key can't go on from this text, so the next one has another end.
  const points = [...value]
  for (let last = points.pop(); last !== undefined; last = points.pop()) {
    const point = last.codePointAt(0) ?? 0
    const next = points.join('') + String.fromCodePoint(Math.min(point === 0xd7ff ? 0xe000 : point + 1, 0x10ffff))
    if (last !== HIGHEST && byteLength(next) <= LONGEST_KEY) return next
  }
  return value
}

/** The longest order value: a text that is shorter than this and below another is not above the text before it. */
const LONGEST_TEXT = 256
/** The highest texts of one, two and three bytes. */
const HIGHEST_OF = ['', '\u007f', '\u07ff', '\uffff'] as const

/**
 * Returns the highest value below. For texts there is none, since `a`, `aa`, `aaa` … are all below `b`: this one is above every text below the
 * given one that goes on from it by up to 256 bytes, and is no longer than a key.
 */
export function nextBelow(value: OrderValue): OrderValue {
  if (typeof value === 'number') return steppedBy(value, -1n)
  const points = [...value]
  const last = points.pop()?.codePointAt(0) ?? 0
  // No text lies between a text and the same text with U+0000 behind it.
  if (last === 0) return points.join('')
  const before = points.join('') + String.fromCodePoint(last === 0xe000 ? 0xd7ff : last - 1)
  const room = Math.max(0, Math.min(LONGEST_TEXT, LONGEST_KEY - byteLength(before)))
  return before + HIGHEST.repeat(Math.floor(room / 4)) + (HIGHEST_OF[room % 4] ?? '')
}

export function compareKeyValues(a: OrderValue, b: OrderValue): number {
  return typeof a === 'number' && typeof b === 'number' ? a - b : compareBytes(String(a), String(b))
}

/** The form of a key attribute's values in key conditions. */
export interface KeyValues {
  /** Returns a value as the attribute holds it. */
  attributeOf(value: OrderValue): AttributeValue
  nextAbove(value: OrderValue): OrderValue
  nextBelow(value: OrderValue): OrderValue
  /**
   * Returns an end of the same interval with a value that a key condition takes: not the empty text, and no number that DynamoDB can't hold.
   * Undefined where everything is inside, `outside` where nothing is.
   */
  expressible(end: End, side: 'lower' | 'upper'): End | undefined | 'outside'
}

/** Values that are texts, or numbers that JavaScript holds. */
export const PLAIN_VALUES: KeyValues = { attributeOf, nextAbove, nextBelow, expressible }

/** Values that are numbers of up to 38 digits; positions hold them as texts that sort as the numbers do. */
export const DECIMAL_VALUES: KeyValues = {
  attributeOf: (value) => ({ N: decimalFrom(String(value)) }),
  nextAbove: (value) => sortableDecimal(nextDecimal(decimalFrom(String(value)), 'above')),
  nextBelow: (value) => sortableDecimal(nextDecimal(decimalFrom(String(value)), 'below')),
  // Only numbers that DynamoDB holds have such a text.
  expressible: (end) => end,
}

/** Returns a value as an attribute holds it. */
export function attributeOf(value: OrderValue): AttributeValue {
  return typeof value === 'number' ? { N: String(value) } : { S: value }
}

/** The magnitudes of DynamoDB's numbers, beside 0. */
const SMALLEST = 1e-130
const BEYOND = 1e126

/** Returns the number this many steps of IEEE 754 away that DynamoDB can hold. */
function steppedBy(value: number, step: bigint): number {
  if (value === 0) return Number(step) * SMALLEST
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, value)
  view.setBigInt64(0, view.getBigInt64(0) + (value > 0 ? step : -step))
  const next = view.getFloat64(0)
  return Math.abs(next) < SMALLEST ? 0 : next
}

/** One end of an interval of an attribute. */
export interface End {
  readonly value: OrderValue
  readonly inclusive: boolean
}

function expressible(end: End, side: 'lower' | 'upper'): End | undefined | 'outside' {
  const { value } = end
  if (typeof value === 'string') return value !== '' ? end : side === 'lower' ? undefined : 'outside'
  const isTowards = value > 0 === (side === 'upper')
  if (Math.abs(value) >= BEYOND) return isTowards ? undefined : 'outside'
  return value !== 0 && Math.abs(value) < SMALLEST ? { value: 0, inclusive: isTowards } : end
}
