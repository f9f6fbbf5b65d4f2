import type { Collection } from './collection.ts'
import { PACKED_FOR_LISTS, PACKED_NAMES } from './reserved-names.ts'

/** Returns the stored names that lists show; undefined where a collection declares no names, and lists show everything. */
export function shownNames({ attributes, codec }: Collection): readonly string[] | undefined {
  if (attributes === undefined) return undefined
  const names = Object.values(attributes).flatMap(({ name, shownIn }) => (shownIn === 'list' ? [name] : []))
  return codec === undefined ? names : [...names, PACKED_FOR_LISTS]
}

/** Returns the stored names of all attributes; undefined where a collection declares none. */
export function allNames({ attributes }: Pick<Collection, 'attributes'>): readonly string[] | undefined {
  return attributes && [...Object.values(attributes).map(({ name }) => name), ...PACKED_NAMES]
}
