import type { Collection } from '../model/collection.ts'
import { type Entry, entryBytes } from '../model/entry.ts'
import { isTableAttribute, PACKED_NAMES } from '../model/reserved-names.ts'

/** The form in which one attribute of an entry is stored. */
export interface StoredForm {
  /** Its stored name. */
  readonly name: string
  /** Bytes of name and value, as DynamoDB counts them. */
  readonly bytes: number
  /** `key`, `plain`, or the form in which the codec packed it. */
  readonly form: string
}

/**
 * Returns the stored form of each attribute of an entry, the largest first.
 *
 * @example
 * ```ts run
 * const forms = storedForms(comments, { PK: { S: 'COMMENT#1' }, text: { S: 'Good.' } }) // PK as a key, text plain
 * ```
 */
export function storedForms({ codec }: Collection, entry: Entry): readonly StoredForm[] {
  const formOf = (name: string): string => {
    const bytes = PACKED_NAMES.includes(name) ? entry[name]?.B : undefined
    if (bytes !== undefined) return codec?.describe(bytes) ?? 'packed by a codec that is not declared'
    return isTableAttribute(name) ? 'key' : 'plain'
  }
  return Object.entries(entry)
    .map(([name, value]) => ({ name, bytes: entryBytes({ [name]: value }), form: formOf(name) }))
    .toSorted((a, b) => b.bytes - a.bytes)
}
