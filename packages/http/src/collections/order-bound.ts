import type { Order } from 'lapidary'
import type { ParameterReader } from './parameter-reader.ts'
import { utcTime } from './utc-time.ts'
import { EMPTY_TEXT } from './values-text.ts'

/** Reads an end of a range of the order's attribute: a time may be any ISO 8601 date, and is taken to the millisecond in UTC. */
export function orderBound(read: ParameterReader, end: 'from' | 'to', { type }: Order): unknown {
  const text = read.one(end)
  if (type === 'string' && text === EMPTY_TEXT) return ''
  if (text === undefined || type === 'string' || type === 'decimal') return text
  if (type === 'number') {
    const value = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text) ? Number(text) : Number.NaN
    return Number.isFinite(value) ? value : read.refuse(end, 'must be a number')
  }
  return utcTime(text) ?? read.refuse(end, 'must be a time like 2020-11-09T12:00:00.123Z')
}
