import { isDeepStrictEqual } from 'node:util'
import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { StoredValue } from './attribute-value.ts'
import { type NumberKind, nearestValue } from './native-value.ts'
import { isPlainObject } from './plain-object.ts'

/**
 * Returns the value to write. The stored value is kept where it reads the same, since it may have digits that no double has; so are the parts of
 * lists and maps that have not changed.
 */
export function keptValue(value: unknown, stored: AttributeValue | undefined, kind?: NumberKind): unknown {
  if (stored === undefined) return value
  if (isDeepStrictEqual(value, nearestValue(stored, kind))) return new StoredValue(stored)
  const { L, M } = stored
  if (Array.isArray(value) && L !== undefined)
    return value.filter((element) => element !== undefined).map((element, i) => keptValue(element, L[i], kind))
  if (typeof value === 'object' && value !== null && isPlainObject(value) && M !== undefined) {
    const before = new Map(Object.entries(M))
    return Object.fromEntries(
      Object.entries(value).map(([name, element]) => [name, keptValue(element, before.get(name), kind)]),
    )
  }
  return value
}
