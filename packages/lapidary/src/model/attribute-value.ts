import { types } from 'node:util'
import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { decimalProblem, plainDecimal } from './decimal.ts'
import { shown } from './errors.ts'
import { isPlainObject } from './plain-object.ts'

/** A value that is stored already and is kept. */
export class StoredValue {
  readonly value: AttributeValue

  constructor(value: AttributeValue) {
    this.value = value
  }
}

/**
 * Converts a value to DynamoDB's form, as the SDK's document client does. Undefined members of maps and lists are left out, and functions in
 * maps.
 *
 * @param texts The meaning of texts: `decimal` where they are the digits of numbers.
 * @throws {TypeError} For a value that DynamoDB can't hold, and for whole numbers that JavaScript does not hold exactly.
 */
export function toAttributeValue(value: unknown, texts: TextKind = 'text'): AttributeValue {
  switch (typeof value) {
    case 'string':
      return texts === 'text' ? { S: wellFormed(value) } : { N: digitsOf(value) }
    case 'number':
    case 'bigint':
      return { N: digitsOf(value) }
    case 'boolean':
      return { BOOL: value }
    case 'object':
      return value === null ? { NULL: true } : ofObject(value, texts)
    default:
      throw new TypeError(`a ${typeof value} is no value`)
  }
}

type TextKind = 'text' | 'decimal'

/** Refuses a lone surrogate: DynamoDB refuses it too, and the SDK reports only an unknown error. */
function wellFormed(text: string): string {
  if (!text.isWellFormed()) throw new TypeError('it holds half of a surrogate pair, which is no valid Unicode')
  return text
}

function ofObject(value: object, texts: TextKind): AttributeValue {
  if (value instanceof StoredValue) return value.value
  if (Array.isArray(value)) {
    const elements = value.filter((element) => element !== undefined)
    return { L: elements.map((element) => toAttributeValue(element, texts)) }
  }
  if (isBinary(value)) return { B: viewBytes(value) }
  if (types.isSet(value))
    return ofSet(
      [...value].filter((element) => element !== undefined),
      texts,
    )
  if (types.isMap(value)) return ofMap(value as ReadonlyMap<string, unknown>, texts)
  if (!isPlainObject(value)) throw new TypeError(`${value.constructor.name} is a class; give a plain object, or a text`)
  return ofMap(Object.entries(value), texts)
}

function ofMap(entries: Iterable<readonly [string, unknown]>, texts: TextKind): AttributeValue {
  const map: [string, AttributeValue][] = []
  for (const [name, value] of entries) {
    if (value !== undefined && typeof value !== 'function') map.push([wellFormed(name), toAttributeValue(value, texts)])
  }
  return { M: Object.fromEntries(map) }
}

function ofSet(elements: readonly unknown[], texts: TextKind): AttributeValue {
  if (elements.length === 0) throw new TypeError("a set can't be empty")
  if (elements.every((element) => typeof element === 'string'))
    return texts === 'text' ? { SS: elements.map(wellFormed) } : { NS: [...new Set(elements.map(digitsOf))] }
  if (elements.every(isNumeric)) return { NS: elements.map(digitsOf) }
  if (elements.every(isBinary)) return { BS: elements.map(viewBytes) }
  throw new TypeError('a set holds texts, numbers or bytes, and one kind of them')
}

function isNumeric(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint'
}

function digitsOf(value: number | bigint | string): string {
  if (typeof value === 'number' && !(Math.abs(value) <= Number.MAX_SAFE_INTEGER)) {
    throw new TypeError(`${value} is no number that is held exactly; give a bigint or a text`)
  }
  if (typeof value === 'number') return String(value)
  const problem = decimalProblem(String(value))
  if (problem !== undefined) throw new TypeError(`${shown(value)} ${problem}`)
  return plainDecimal(String(value))
}

function isBinary(value: unknown): value is ArrayBufferView | ArrayBufferLike {
  return ArrayBuffer.isView(value) || types.isAnyArrayBuffer(value)
}

/** Returns the bytes of any view or buffer: the SDK sends only a `Uint8Array` whole. */
function viewBytes(value: ArrayBufferView | ArrayBufferLike): Uint8Array {
  if (value instanceof Uint8Array) return value
  return ArrayBuffer.isView(value)
    ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
    : new Uint8Array(value)
}
