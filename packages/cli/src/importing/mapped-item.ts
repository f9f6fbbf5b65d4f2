import { createHash } from 'node:crypto'
import { shown } from 'lapidary'
import { defaultsOf, type FileColumns } from './file-columns.ts'
import type { Mapping } from './mapping.ts'
import type { ValueReadings } from './value-readings.ts'

/** A row as an item, or why it is none. */
export type MappedItem =
  | { readonly value: Readonly<Record<string, unknown>>; readonly columns: ReadonlyMap<string, string> }
  | { readonly problem: string }

/** Makes items of rows: by columns, constants and defaults, values by what attributes hold. */
export function itemMapper(
  mapping: Mapping,
  id: string,
  readings: ValueReadings,
): (row: Readonly<Record<string, unknown>>, columns: FileColumns) => MappedItem {
  const defaults = defaultsOf(mapping)
  return (row, { attributes, hidden }) => {
    const left = hidden.find(({ column, values }) => values.includes(String(valueAt(row, column)).trim().toLowerCase()))
    if (left !== undefined) {
      return {
        problem: `is hidden where it comes from: ${left.column} is ${shown(String(valueAt(row, left.column)))}; --map in the place of --preset takes such rows too`,
      }
    }
    // Without a prototype every name is one like any other.
    const value: Record<string, unknown> = Object.create(null)
    const used = new Map<string, string>()
    for (const [attribute, columns] of attributes) {
      let found: unknown
      for (const { name, read } of columns) {
        const cell = valueAt(row, name)
        found = read === undefined || typeof cell !== 'string' ? cell : read(cell)
        used.set(attribute, name)
        if (!isEmpty(found)) break
      }
      value[attribute] = readings.before(attribute, found)
    }
    for (const [attribute, given] of defaults) if (isEmpty(value[attribute])) value[attribute] = given
    for (const [attribute, given] of mapping.constants) value[attribute] = given
    if (mapping.id === undefined) return { value, columns: used }
    const parts = mapping.id.map((name) => (Object.hasOwn(value, name) ? value[name] : valueAt(row, name)) ?? null)
    if (parts.every(isEmpty)) return { problem: `has no value in ${mapping.id.join(', ')}, of which its id is made` }
    value[id] = createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32)
    return { value, columns: used }
  }
}

/** Returns the value of a column; in JSON it may be within an object, as `attributes.rating`. */
export function valueAt(row: Readonly<Record<string, unknown>>, name: string): unknown {
  if (Object.hasOwn(row, name)) return row[name]
  let value: unknown = row
  for (const part of name.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined
    value = (value as Record<string, unknown>)[part]
  }
  return value
}

/** Returns the columns of an object of JSON, those within it by their path. */
export function jsonColumns(row: object, before = '', depth = 3): readonly string[] {
  return Object.entries(row).flatMap(([name, value]) => {
    const isObject = typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
    return [before + name, ...(isObject && depth > 1 ? jsonColumns(value, `${before}${name}.`, depth - 1) : [])]
  })
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === ''
}
