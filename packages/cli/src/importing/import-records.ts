import type { AnyCollection } from 'lapidary'
import type { ImportRecord } from 'lapidary/transfer'
import { columnFinder, type FileColumns } from './file-columns.ts'
import type { ImportFiles } from './import-files.ts'
import { itemMapper, jsonColumns } from './mapped-item.ts'
import type { Mapping } from './mapping.ts'
import { type FileOptions, openRows, type Row, type RowsFile } from './rows.ts'
import type { ValueReadings } from './value-readings.ts'

/** A record that knows where it was. */
export interface PlacedRecord extends ImportRecord {
  /** Its place as people find it: `line 7`, `reviews.json, item 3 in line 17`. */
  readonly place: string
  /** The columns that its attributes were taken from, where they have other names. */
  readonly columns: ReadonlyMap<string, string>
}

/** What an import does with its files. */
export interface RecordsOptions {
  readonly collection: AnyCollection
  readonly mapping: Mapping
  readonly readings: ValueReadings
  readonly file: FileOptions
  /** Records up to this one are done; those with an id need not be read again. */
  readonly after: number
  readonly dedupe: boolean
}

/** Told while files are read. */
export interface RecordsListener {
  /** A file was opened, whose records are numbered from the one after `before`. */
  onFile(file: RowsFile, name: string, before: number): void
  onColumns(columns: FileColumns, name: string): void
}

/**
 * Reads the records of all files. They are numbered through all of them, by lines and items of lists, so that a number is the same whenever the same
 * files are read.
 */
export async function* importedRecords(
  { files }: ImportFiles,
  options: RecordsOptions,
  listener: RecordsListener,
): AsyncGenerator<PlacedRecord> {
  let before = 0
  for (const file of files) {
    const opened = await file.open()
    const name = file.name ?? 'standard input'
    try {
      const rows = await openRows(opened, options.file)
      listener.onFile(rows, name, before)
      const prefix = files.length > 1 ? `${name}, ` : ''
      for await (const record of fileRecords(rows, name, options, listener)) {
        const line = before + record.line
        if (line <= options.after && isDoneWith(record, options)) continue
        yield { ...record, line, place: prefix + record.place }
      }
      before += rows.lastNumber()
    } finally {
      await opened.close()
    }
  }
}

/** Whether a record that is done can't be equal to a later one without an id. */
function isDoneWith({ value }: ImportRecord, { collection, dedupe }: RecordsOptions): boolean {
  if (dedupe || typeof value !== 'object' || value === null) return true
  const id = Object.hasOwn(value, collection.id) ? (value as Record<string, unknown>)[collection.id] : undefined
  return id !== undefined && id !== null && id !== ''
}

async function* fileRecords(
  { header, format, rows }: RowsFile,
  name: string,
  { collection, mapping, readings }: RecordsOptions,
  listener: RecordsListener,
): AsyncGenerator<PlacedRecord> {
  const finder = columnFinder(collection, mapping, name)
  const ofHeader = header === undefined ? undefined : await finder.find(header.columns, true)
  if (ofHeader !== undefined) listener.onColumns(ofHeader, name)
  const itemOf = itemMapper(mapping, collection.id, readings)
  const shapes = new Map<string, FileColumns>()
  const columnsOf = async (row: object): Promise<FileColumns> => {
    const columns = jsonColumns(row)
    const key = columns.join('\0')
    const known = shapes.get(key) ?? (await finder.find(columns, false))
    if (!shapes.has(key)) {
      if (shapes.size === MOST_SHAPES) shapes.clear()
      shapes.set(key, known)
      listener.onColumns(known, name)
    }
    return known
  }
  for await (const row of rows) {
    const place = format === 'json' ? `item ${row.number} in line ${row.line}` : `line ${row.line}`
    const { number: line, raw, value, problem } = row
    const common = { line, place, columns: NONE, ...(raw === undefined ? {} : { raw }) }
    if (problem !== undefined || !isObject(value)) yield { ...common, ...reasonOf(row) }
    else if (header === undefined && !mapping.isAsked) yield { ...common, value }
    else {
      const columns = ofHeader ?? (await columnsOf(value))
      if (ofHeader === undefined && columns.passedOver.length > 0 && !mapping.ignoresUnknown) {
        const unknown = columns.passedOver.join(', ')
        yield { ...common, problem: `has ${unknown}, which no flag maps; --ignore-unknown passes over it` }
        continue
      }
      yield { ...common, texts: true, ...itemOf(value, columns) }
    }
  }
}

/** Objects with other names are kept apart up to some number; there are few as a rule. */
const MOST_SHAPES = 1_000
const NONE: ReadonlyMap<string, string> = new Map()

function reasonOf({ value, problem }: Row): Pick<ImportRecord, 'value' | 'problem'> {
  return problem === undefined ? { value } : { problem }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
