import { type AnyCollection, LapidaryError, shown } from 'lapidary'
import { inputNames } from 'lapidary/transfer'
import { UsageError } from '../options.ts'
import type { Mapping } from './mapping.ts'
import { type Column, plainName } from './presets.ts'

/** What becomes of the columns of one file. */
export interface FileColumns {
  /** Columns by attribute; the first with a value counts. */
  readonly attributes: ReadonlyMap<string, readonly Column[]>
  readonly passedOver: readonly string[]
  /** Columns that say of a row whether it is shown, with the values of those that are not. */
  readonly hidden: readonly { readonly column: string; readonly values: readonly string[] }[]
  /** Attributes of the preset that the collection does not have, with their columns. */
  readonly unused: readonly { readonly attribute: string; readonly column: string }[]
}

/** Finds out what becomes of the columns of a file. */
export interface ColumnFinder {
  /**
   * @throws {LapidaryError} `unprocessable`: for a CSV file without a column that is mapped or that every item has, or with one that no flag maps.
   */
  find(columns: readonly string[], isHeader: boolean): Promise<FileColumns>
}

/** @throws {UsageError} for a flag that names an attribute which items of the collection can't have. */
export async function checkAttributes(collection: AnyCollection, mapping: Mapping): Promise<void> {
  const names = inputNames(collection as never)
  const flags = { map: mapping.columns, set: mapping.constants, default: mapping.defaults }
  for (const [flag, map] of Object.entries(flags)) {
    for (const attribute of map.keys()) {
      if (await names.takes(attribute)) continue
      const known = Object.keys(collection.attributes ?? {}).join(', ')
      throw new UsageError(`--${flag} names ${shown(attribute)}, which no ${collection.name} has; there are ${known}`)
    }
  }
}

/** @param name Names the file in errors. */
export function columnFinder(collection: AnyCollection, mapping: Mapping, name: string): ColumnFinder {
  const names = inputNames(collection as never)
  const taken = new Map<string, Promise<boolean>>()
  const takes = (attribute: string): Promise<boolean> => {
    const known = taken.get(attribute) ?? names.takes(attribute)
    taken.set(attribute, known)
    return known
  }
  return {
    async find(columns, isHeader) {
      const inFile = lookup(columns)
      const attributes = new Map<string, readonly Column[]>()
      for (const [attribute, asked] of mapping.columns) {
        const column = inFile(asked)
        if (column === undefined && isHeader) throw noColumn(name, asked, columns)
        if (column !== undefined) attributes.set(attribute, [{ name: column }])
      }
      const unused: { attribute: string; column: string }[] = []
      for (const [attribute, candidates] of Object.entries(mapping.preset?.columns ?? {})) {
        if (mapping.columns.has(attribute) || mapping.constants.has(attribute)) continue
        const found = candidates.flatMap((candidate): readonly Column[] => {
          const { name: asked, read } = typeof candidate === 'string' ? { name: candidate } : candidate
          const column = inFile(asked)
          return column === undefined ? [] : [{ name: column, ...(read === undefined ? {} : { read }) }]
        })
        if (await takes(attribute)) attributes.set(attribute, found)
        else if (found[0] !== undefined) unused.push({ attribute, column: found[0].name })
      }
      const used = new Set([...attributes.values()].flat().map((column) => column.name))
      const hidden = Object.entries(mapping.preset?.hidden ?? {}).flatMap(([asked, values]) => {
        const column = inFile(asked)
        return column === undefined ? [] : [{ column, values }]
      })
      for (const { column } of hidden) used.add(column)
      const passedOver: string[] = []
      for (const column of columns) {
        const [top = column] = isHeader ? [column] : column.split('.')
        if (
          used.has(column) ||
          (!isHeader && (top !== column || [...used].some((each) => each.startsWith(`${column}.`))))
        )
          continue
        const isFree = !attributes.has(column) && !mapping.constants.has(column)
        if (column !== '' && isFree && (await takes(column))) attributes.set(column, [{ name: column }])
        else passedOver.push(column)
      }
      for (const asked of mapping.id ?? []) {
        if (!attributes.has(asked) && !mapping.constants.has(asked) && inFile(asked) === undefined && isHeader)
          throw noColumn(name, asked, columns)
      }
      if (isHeader) await checkHeader(collection, mapping, { attributes, passedOver }, names.missing)
      return { attributes, passedOver, hidden, unused }
    },
  }
}

async function checkHeader(
  collection: AnyCollection,
  mapping: Mapping,
  { attributes, passedOver }: Pick<FileColumns, 'attributes' | 'passedOver'>,
  missingOf: (names: readonly string[]) => Promise<string | undefined>,
): Promise<void> {
  const unknown = passedOver.filter((column) => column !== '')
  if (unknown.length > 0 && !mapping.ignoresUnknown) {
    const known = Object.keys(collection.attributes ?? {}).join(', ')
    throw new LapidaryError(
      'unprocessable',
      `the header names ${unknown.map(shown).join(', ')}; the columns can be ${known}; --map attribute=COLUMN takes a column, --ignore-unknown passes over those that no flag maps`,
    )
  }
  const given = [...attributes].filter(([, columns]) => columns.length > 0).map(([attribute]) => attribute)
  const missing = await missingOf([...given, ...mapping.constants.keys(), ...defaultsOf(mapping).keys()])
  if (missing === undefined) return
  throw new LapidaryError(
    'unprocessable',
    `the header does not name ${missing}, which every ${collection.name} has; --map ${missing}=COLUMN takes a column, --set ${missing}=VALUE gives every item the same`,
  )
}

/** The user's win over the preset's. */
export function defaultsOf({ preset, defaults }: Mapping): ReadonlyMap<string, string> {
  return new Map([...Object.entries(preset?.defaults ?? {}), ...defaults])
}

/** Finds a column as it was asked for: by its very name, else by the name without case, spaces and underscores. */
function lookup(columns: readonly string[]): (asked: string) => string | undefined {
  const exact = new Set(columns)
  const plain = new Map(columns.map((column) => [plainName(column), column] as const).reverse())
  return (asked) => (exact.has(asked) ? asked : plain.get(plainName(asked)))
}

function noColumn(name: string, asked: string, columns: readonly string[]): LapidaryError {
  return new LapidaryError(
    'unprocessable',
    `there is no column ${shown(asked)} in ${name}; it has ${columns.join(', ')}`,
  )
}
