import type { Collection } from './collection.ts'
import { PACKED_FOR_LISTS, PACKED_NAMES } from './reserved-names.ts'

/** The stored names of what lists show; undefined where a collection declares no names, and lists show everything. */
export function shownNames({ attributes, codec }: Collection): readonly string[] | undefined {
  if (attributes === undefined) return undefined
  const names = Object.values(attributes).flatMap(({ name, shownIn }) => (shownIn === 'list' ? [name] : []))
  return codec === undefined ? names : [...names, PACKED_FOR_LISTS]
}

/** The stored names of all that an item has; undefined where a collection declares none. */
export function allNames({ attributes }: Collection): readonly string[] | undefined {
  return attributes && [...Object.values(attributes).map(({ name }) => name), ...PACKED_NAMES]
}
