import { isDeepStrictEqual } from 'node:util'
import { type Item, LapidaryError } from 'lapidary'
import { jsonText } from './json-text.ts'

/** Digits of a JSON number that every reader keeps. */
const KEPT_DIGITS = 15
const JSON_TOKENS = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

/**
 * Reads an item that was typed as JSON.
 *
 * @throws {LapidaryError} `bad_request` for what is no JSON object, and for a number that would lose digits.
 */
export function typedItem(text: string): Item {
  const refuse = (message: string): never => {
    throw new LapidaryError('bad_request', message)
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return refuse(`The text is not JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return refuse('An item is an object of its attributes, as {"id": "1"}.')
  for (const [token] of text.matchAll(JSON_TOKENS)) {
    if (!token.startsWith('"') && losesDigits(token))
      return refuse(
        `The number ${token} would lose digits. Write it in quotes, if its attribute is a bigint or a decimal.`,
      )
  }
  return value as Item
}

function losesDigits(token: string): boolean {
  const digits = token
    .replace(/[eE].*$/, '')
    .replace(/[-.]/g, '')
    .replace(/^0+/, '')
    .replace(/0+$/, '')
  if (digits.length <= KEPT_DIGITS) return !Number.isFinite(Number(token))
  return !/^-?\d+$/.test(token) || !Number.isSafeInteger(Number(token))
}

/**
 * Returns the attributes that a text changes of an item, an attribute that it lacks as undefined. What reads the same as before is no change, so
 * that a set stays a set, and a number keeps the digits that JSON has none for; what replaces a set, bytes or a bigint becomes the like.
 */
export function changesOf(before: Item, typed: Item): Item {
  const names = new Set([...Object.keys(before), ...Object.keys(typed)])
  const changes = [...names].flatMap((name): [string, unknown][] => {
    const [old, asked] = [own(before, name), own(typed, name)]
    if (asked === undefined) return old === undefined ? [] : [[name, undefined]]
    return old !== undefined && isDeepStrictEqual(plain(old), asked) ? [] : [[name, likeBefore(old, asked)]]
  })
  return Object.fromEntries(changes)
}

function own(item: Item, name: string): unknown {
  return Object.hasOwn(item, name) ? item[name] : undefined
}

function plain(value: unknown): unknown {
  return JSON.parse(jsonText(value)) as unknown
}

function likeBefore(old: unknown, asked: unknown): unknown {
  if (old instanceof Set && Array.isArray(asked)) {
    const [first] = old
    return new Set(asked.map((part: unknown) => likeBefore(first, part)))
  }
  if (old instanceof Uint8Array && typeof asked === 'string') return new Uint8Array(Buffer.from(asked, 'base64'))
  if (typeof old === 'bigint' && typeof asked === 'string' && /^-?\d+$/.test(asked)) return BigInt(asked)
  if (isRecord(old) && isRecord(asked)) {
    return Object.fromEntries(Object.entries(asked).map(([name, part]) => [name, likeBefore(own(old, name), part)]))
  }
  if (Array.isArray(old) && Array.isArray(asked)) return asked.map((part: unknown, i) => likeBefore(old[i], part))
  return asked
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Set) &&
    !(value instanceof Uint8Array)
  )
}
