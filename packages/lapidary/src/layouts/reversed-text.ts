import type { Order } from '../model/order.ts'
import type { Bound, Position } from '../model/position.ts'
import { orderFrom, sortableOrder } from './position-text.ts'

/** The end of a reversed text: above every digit, so that the longer of two texts sorts first. */
const END = '~'
const BEFORE_END = '}'

/** Writes a position as a text that sorts the other way: the higher the position, the lower its text. */
export function reversedPositionText(order: Order, { order: value, id }: Position): string {
  return `${reversedOrder(order, sortableOrder(order, value))}#${reversedBytes(id)}`
}

/** Returns the position that {@link reversedPositionText} was given. */
export function reversedPositionFrom(order: Order, text: string): Position {
  const end = text.indexOf('#')
  const value = order.type === 'time' ? reversedDigits(text.slice(0, end)) : restoredText(text.slice(0, end))
  return { order: orderFrom(order, value), id: restoredText(text.slice(end + 1)) }
}

/** Returns a text below that of every position below the bound, and above that of every position above it. */
export function reversedBoundText(order: Order, { order: value, id, side }: Bound): string {
  const key = reversedOrder(order, sortableOrder(order, value))
  if (id === undefined) return side === 'before' ? `${key}$` : key
  const reversed = `${key}#${reversedBytes(id)}`
  return side === 'before' ? `${reversed} ` : reversed.slice(0, -END.length) + BEFORE_END
}

/** Reverses the order value. Times have their digits in the same places, so they stay legible. */
function reversedOrder({ type }: Order, text: string): string {
  return type === 'time' ? reversedDigits(text) : reversedBytes(text)
}

function reversedDigits(text: string): string {
  return text.replace(/\d/g, (digit) => String(9 - Number(digit)))
}

function reversedBytes(text: string): string {
  return complement(Buffer.from(text)).toString('hex') + END
}

function restoredText(reversed: string): string {
  return complement(Buffer.from(reversed.slice(0, -END.length), 'hex')).toString()
}

function complement(bytes: Buffer): Buffer {
  return Buffer.from(bytes.map((byte) => 255 - byte))
}
