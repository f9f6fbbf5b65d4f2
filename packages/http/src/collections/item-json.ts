import { hash } from 'node:crypto'
import type { AnyCollection, Item } from 'lapidary'
import { timeAttributes, utcTime } from './utc-time.ts'
import type { View } from './view.ts'

/**
 * Returns a value as JSON can hold it: a set is a list there, bytes are base64, and a bigint is a text, since most programs round it when they read
 * it as a JSON number.
 */
export function plainJson(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.some((each) => plainJson(each) !== each) ? value.map(plainJson) : value
  if (value instanceof Set) return [...value].map(plainJson)
  if (value instanceof Map) return Object.fromEntries([...value].map(([name, each]) => [String(name), plainJson(each)]))
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  if (value instanceof Date) return value
  for (const name in value) {
    const member = (value as Item)[name]
    if (plainJson(member) !== member) return mapped(value as Item, plainJson)
  }
  return value
}

/** Returns an item as the caller may see it. */
export function shownItem({ hidden }: View, item: unknown): Item {
  const plain = plainJson(item) as Item
  if (hidden.size === 0) return plain
  return Object.fromEntries(Object.entries(plain).filter(([name]) => !hidden.has(name)))
}

/**
 * Reads attributes from JSON: in the kinds of numbers that the declaration says, and times of any ISO 8601 to the millisecond in UTC, since clients
 * write them in many ways.
 */
export function sentItem(collection: AnyCollection, body: Item): Item {
  const { numbers } = collection
  const times = timeAttributes(collection)
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => {
      if (typeof value === 'string' && times.includes(name)) return [name, utcTime(value) ?? value]
      const kind = Object.hasOwn(numbers, name) ? numbers[name] : undefined
      return [name, kind === undefined || kind === 'number' ? value : inKind(kind, value)]
    }),
  )
}

/** A number that JSON has as a text keeps all of its digits; a plain one is taken where a double holds it. */
function inKind(kind: 'bigint' | 'decimal', value: unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => inKind(kind, each))
  if (typeof value === 'object' && value !== null) return mapped(value as Item, (each) => inKind(kind, each))
  if (kind === 'decimal') return typeof value === 'number' ? String(value) : value
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value
  return typeof value === 'string' && /^-?\d{1,126}$/.test(value) ? BigInt(value) : value
}

/** Returns a digest of an item, of all that the caller sees. */
export function contentDigest(shown: Item): string {
  return hash('sha1', sortedJson(shown), 'base64url')
}

function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
}

function mapped(item: Item, map: (value: unknown) => unknown): Item {
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, map(value)]))
}
