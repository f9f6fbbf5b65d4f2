import { types } from 'node:util'
import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { isPlainObject } from './plain-object.ts'

/**
 * A value as DynamoDB holds it, as the SDK's document client converts it. In maps and lists what is undefined is left out, and of maps
 * functions too.
 *
 * @throws {TypeError} For what DynamoDB can't hold, and for whole numbers that JavaScript does not hold exactly.
 */
export function toAttributeValue(value: unknown): AttributeValue {
  switch (typeof value) {
    case 'string':
      return { S: wellFormed(value) }
    case 'number':
    case 'bigint':
      return { N: digitsOf(value) }
    case 'boolean':
      return { BOOL: value }
    case 'object':
      return value === null ? { NULL: true } : ofObject(value)
    default:
      throw new TypeError(`a ${typeof value} is no value`)
  }
}

/** DynamoDB refuses others, and the SDK says nothing of it but that it is an unknown error. */
function wellFormed(text: string): string {
  if (!text.isWellFormed()) throw new TypeError('it holds half of a pair of characters, which is no Unicode')
  return text
}

function ofObject(value: object): AttributeValue {
  if (Array.isArray(value)) return { L: value.filter((element) => element !== undefined).map(toAttributeValue) }
  if (isBinary(value)) return { B: bytesOf(value) }
  if (types.isSet(value)) return ofSet([...value].filter((element) => element !== undefined))
  if (types.isMap(value)) return ofMap(value as ReadonlyMap<string, unknown>)
  if (!isPlainObject(value)) throw new TypeError(`${value.constructor.name} is a class; give a plain object, or a text`)
  return ofMap(Object.entries(value))
}

function ofMap(entries: Iterable<readonly [string, unknown]>): AttributeValue {
  const map: [string, AttributeValue][] = []
  for (const [name, value] of entries) {
    if (value !== undefined && typeof value !== 'function') map.push([wellFormed(name), toAttributeValue(value)])
  }
  return { M: Object.fromEntries(map) }
}

function ofSet(elements: readonly unknown[]): AttributeValue {
  if (elements.length === 0) throw new TypeError('a set can not be empty')
  if (elements.every((element) => typeof element === 'string')) return { SS: elements.map(wellFormed) }
  if (elements.every(isNumeric)) return { NS: elements.map(digitsOf) }
  if (elements.every(isBinary)) return { BS: elements.map(bytesOf) }
  throw new TypeError('a set holds texts, numbers or bytes, and one kind of them')
}

function isNumeric(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint'
}

function digitsOf(value: number | bigint): string {
  if (typeof value === 'number' && !(Math.abs(value) <= Number.MAX_SAFE_INTEGER)) {
    throw new TypeError(`${value} is no number that is held exactly; give a bigint or a text`)
  }
  return String(value)
}

function isBinary(value: unknown): value is ArrayBufferView | ArrayBufferLike {
  return ArrayBuffer.isView(value) || types.isAnyArrayBuffer(value)
}

/** The bytes of any view or buffer: the SDK sends nothing else whole. */
function bytesOf(value: ArrayBufferView | ArrayBufferLike): Uint8Array {
  if (value instanceof Uint8Array) return value
  return ArrayBuffer.isView(value)
    ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
    : new Uint8Array(value)
}
