import type { Collection } from '../../model/collection.ts'
import { LapidaryError, shown } from '../../model/errors.ts'
import { LOST_NAME, reservedReason } from '../../model/reserved-names.ts'
import type { ImportRecord } from '../import-record.ts'
import { inputNames } from '../input-names.ts'
import { type CsvRecord, csvRecords } from './csv-records.ts'

/**
 * The rows of a CSV file (RFC 4180, a header first) as records of texts. A quote that is never closed costs its own line
 * only: reading goes on after that line, not after whatever the quote would have swallowed. Needs the package `csv-parse`.
 *
 * @param onHeader Called with the header's line, for a caller that keeps refused rows.
 * @throws {LapidaryError} `unprocessable` when the header can't be that of the collection.
 * @example
 * ```ts run
 * const rows = ['productId,language,rating,text', '42,en,5,Good.'].join('\n')
 * const chunks = (async function* () {
 *   yield Buffer.from(rows)
 * })()
 * const { written } = await importRecords(lapidary.comments, csvRows(comments, chunks))
 * ```
 */
export async function* csvRows(
  collection: Collection,
  chunks: AsyncIterable<Buffer>,
  after = 0,
  onHeader: (raw: Buffer) => void = () => {},
): AsyncGenerator<ImportRecord> {
  let columns: readonly string[] | undefined
  for await (const record of csvRecords(chunks)) {
    if (columns === undefined) {
      columns = await checkedHeader(collection, record)
      onHeader(record.raw)
    } else if (record.line > after) yield row(columns, record)
  }
  if (columns === undefined)
    throw new LapidaryError('unprocessable', 'the CSV file is empty; its first line names the columns')
}

/** An empty cell, without quotes, is no value. */
function row(columns: readonly string[], record: CsvRecord): ImportRecord {
  if ('problem' in record) return record
  const { line, raw, cells } = record
  if (cells.length !== columns.length) {
    return { line, raw, problem: `has ${cells.length} fields; the header names ${columns.length}` }
  }
  const texts = cells.map(({ text, isQuoted }) => (isQuoted ? text : text || undefined))
  return { line, raw, texts: true, value: Object.fromEntries(columns.map((column, i) => [column, texts[i]])) }
}

async function checkedHeader(collection: Collection, record: CsvRecord): Promise<readonly string[]> {
  if ('problem' in record) throw new LapidaryError('unprocessable', `the header ${record.problem}`)
  const columns = record.cells.map(({ text }) => text.trim())
  if (columns.includes(LOST_NAME)) {
    throw new LapidaryError('unprocessable', `the header names ${LOST_NAME}, which ${reservedReason(LOST_NAME)}`)
  }
  const twice = columns.find((name, i) => columns.indexOf(name) !== i)
  if (twice !== undefined) throw new LapidaryError('unprocessable', `the header names ${shown(twice)} twice`)
  const names = inputNames(collection)
  for (const name of columns) {
    if (await names.takes(name)) continue
    const known = Object.keys(collection.attributes ?? {}).join(', ')
    throw new LapidaryError('unprocessable', `the header names ${shown(name)}; the columns can be ${known}`)
  }
  const missing = await names.missing(columns)
  if (missing !== undefined) {
    throw new LapidaryError('unprocessable', `the header does not name ${missing}, which every ${collection.name} has`)
  }
  return columns
}
