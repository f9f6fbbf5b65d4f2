import { escapeOrdered, unescapeComponent } from '../model/key-text.ts'
import type { Order } from '../model/order.ts'
import { type Bound, HIGHEST, type OrderValue, type Position } from '../model/position.ts'

/**
 * Writes a position as a text that sorts bytewise: `<order key>#<id key>`, at most 94 bytes for times and numbers, 108 for decimals. No text of
 * a position holds a space or U+10FFFF, so the texts of bounds fall between them.
 *
 * @example
 * ```ts run
 * const sortKey = positionText(comments.order, { order: '2020-11-09T12:00:00.123Z', id: '100001' })
 * ```
 */
export function positionText(order: Order, { order: value, id }: Position): string {
  return `${sortableOrder(order, value)}#${id}`
}

/** Returns the position that {@link positionText} was given. */
export function positionFrom(order: Order, text: string): Position {
  const end = text.indexOf('#')
  return { order: orderFrom(order, text.slice(0, end)), id: text.slice(end + 1) }
}

/** Returns a text above that of every position below the bound, and below that of every position above it. */
export function boundText(order: Order, { order: value, id, side }: Bound): string {
  const key = sortableOrder(order, value)
  if (id === undefined) return side === 'before' ? key : `${key}$`
  return side === 'after' ? `${key}#${id} ` : justBefore(`${key}#${id}`)
}

/**
 * Returns the text just before another: its last code point counted down, and the highest after it. U+D7FF is the one before U+E000: between are
 * surrogates.
 */
function justBefore(text: string): string {
  const points = [...text]
  const last = points.pop()?.codePointAt(0) ?? 0
  const previous = last === 0xe000 ? 0xd7ff : last - 1
  return points.join('') + String.fromCodePoint(previous) + HIGHEST
}

export function sortableOrder({ type }: Order, value: OrderValue): string {
  if (type === 'number') return sortableNumber(Number(value))
  return type === 'string' ? escapeOrdered(String(value)) : String(value)
}

export function orderFrom({ type }: Order, text: string): OrderValue {
  if (type === 'number') return numberFrom(text)
  return type === 'string' ? unescapeComponent(text) : text
}

const SIGN = 1n << 63n
const ALL = 0xffff_ffff_ffff_ffffn

/** Writes a number as the 16 hexadecimal digits of its IEEE 754 bits, flipped so that they sort as the numbers do. */
export function sortableNumber(value: number): string {
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, value)
  const bits = view.getBigUint64(0)
  return ((bits & SIGN) !== 0n ? ~bits & ALL : bits | SIGN).toString(16).padStart(16, '0')
}

export function numberFrom(text: string): number {
  const flipped = BigInt(`0x${text}`)
  const view = new DataView(new ArrayBuffer(8))
  view.setBigUint64(0, (flipped & SIGN) !== 0n ? flipped ^ SIGN : ~flipped & ALL)
  return view.getFloat64(0)
}
