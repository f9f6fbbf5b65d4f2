import type { Order } from 'lapidary'
import type { ParameterReader } from './parameter-reader.ts'
import { EMPTY_TEXT } from './values-text.ts'

const TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/

/** Reads an end of a range of the order's attribute: a time may be any ISO 8601 date, and is taken to the millisecond in UTC. */
export function orderBound(read: ParameterReader, end: 'from' | 'to', { type }: Order): unknown {
  const text = read.one(end)
  if (type === 'string' && text === EMPTY_TEXT) return ''
  if (text === undefined || type === 'string' || type === 'decimal') return text
  if (type === 'number') {
    const value = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text) ? Number(text) : Number.NaN
    return Number.isFinite(value) ? value : read.refuse(end, 'must be a number')
  }
  // A time without a zone is UTC, whatever the zone of this process.
  const isLocal = text.includes('T') && !/(Z|[+-]\d\d:\d\d)$/.test(text)
  const time = TIME.test(text) ? Date.parse(isLocal ? `${text}Z` : text) : Number.NaN
  return Number.isNaN(time)
    ? read.refuse(end, 'must be a time like 2020-11-09T12:00:00.123Z')
    : new Date(time).toISOString()
}
