import { isUtf8 } from 'node:buffer'
import type { Collection } from '../model/collection.ts'
import { LapidaryError, shown } from '../model/errors.ts'
import { LOST_NAME, reservedReason } from '../model/reserved-names.ts'
import { type Line, LONGEST_LINE, splitLines } from './import-lines.ts'
import type { ImportRecord } from './import-record.ts'

/** The fields of one record, undefined where there is nothing, not even quotes. */
type Fields = readonly (string | undefined)[]

/** The fields; `open` while a quote waits for its end, `broken` when no further line can mend it. */
type CsvRecord = Fields | 'open' | 'broken'

/**
 * The rows of a CSV file (RFC 4180, a header first) as records of texts. A quote that is never closed costs its own line
 * only: reading goes on after that line, not after whatever the quote would have swallowed.
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
  const lines = new LineQueue(splitLines(chunks))
  let columns: readonly string[] | undefined
  for (let first = await lines.shift(); first !== undefined; first = await lines.shift()) {
    if (first.length === 0 || (first.crlf && first.bytes.length === 0)) continue
    const { fields, raw } = await wholeRecord(first, lines)
    if (columns === undefined) {
      columns = checkedHeader(collection, fields)
      onHeader(raw)
      continue
    }
    if (first.number <= after) continue
    yield row(first.number, columns, fields, raw)
  }
  if (columns === undefined)
    throw new LapidaryError('unprocessable', 'the CSV file is empty; its first line names the columns')
}

function row(line: number, columns: readonly string[], fields: Fields | string, raw: Buffer): ImportRecord {
  if (typeof fields === 'string') return { line, raw, problem: fields }
  if (fields.length !== columns.length) {
    return { line, raw, problem: `has ${fields.length} fields; the header names ${columns.length}` }
  }
  return { line, raw, texts: true, value: Object.fromEntries(columns.map((column, i) => [column, fields[i]])) }
}

/** A record with as many lines as its quotes take, or what is wrong with its first line. */
async function wholeRecord(
  first: Line,
  lines: LineQueue,
): Promise<{ readonly fields: Fields | string; readonly raw: Buffer }> {
  const taken: Line[] = []
  let text = ''
  let bytes = 0
  for (let line: Line | undefined = first; line !== undefined; line = await lines.shift()) {
    if (line !== first) taken.push(line)
    bytes += line.length
    if (bytes > LONGEST_LINE) break
    if (!isUtf8(line.bytes)) {
      if (line === first) return { fields: 'is not UTF-8', raw: first.bytes }
      break
    }
    const part = line.bytes.toString()
    text += part
    // Only a quote can end what a quote began.
    const fields = line === first || part.includes('"') ? parseCsvRecord(text) : 'open'
    if (fields === 'broken') break
    if (fields !== 'open') return { fields, raw: Buffer.from(text) }
    text += line.crlf ? '\r\n' : '\n'
  }
  lines.unshift(taken)
  const tooLong = `the line has ${first.length} bytes; the longest that can hold an item has ${LONGEST_LINE}`
  return {
    fields: first.length > LONGEST_LINE ? tooLong : 'has a quote that is not closed as CSV closes it',
    raw: first.bytes,
  }
}

/**
 * Fields between commas; one that begins with a quote ends with one, and holds quotes doubled. Of `a,,""` the second is undefined and the
 * last is empty.
 */
export function parseCsvRecord(text: string): CsvRecord {
  const fields: (string | undefined)[] = []
  for (let at = 0; ; ) {
    if (text[at] === '"') {
      let end = text.indexOf('"', at + 1)
      while (end !== -1 && text[end + 1] === '"') end = text.indexOf('"', end + 2)
      if (end === -1) return 'open'
      if (end + 1 < text.length && text[end + 1] !== ',') return 'broken'
      fields.push(text.slice(at + 1, end).replaceAll('""', '"'))
      at = end + 1
    } else {
      const end = text.indexOf(',', at)
      fields.push(text.slice(at, end === -1 ? text.length : end) || undefined)
      at = end === -1 ? text.length : end
    }
    if (at >= text.length) return fields
    at++
  }
}

function checkedHeader(collection: Collection, fields: Fields | string): readonly string[] {
  if (typeof fields === 'string') throw new LapidaryError('unprocessable', `the header ${fields}`)
  const columns = fields.map((name = '') => name.trim())
  const { attributes, scope, facets } = collection
  if (columns.includes(LOST_NAME)) {
    throw new LapidaryError('unprocessable', `the header names ${LOST_NAME}, which ${reservedReason(LOST_NAME)}`)
  }
  const twice = columns.find((name, i) => columns.indexOf(name) !== i)
  if (twice !== undefined) throw new LapidaryError('unprocessable', `the header names ${shown(twice)} twice`)
  const unknown = attributes === undefined ? undefined : columns.find((name) => !Object.hasOwn(attributes, name))
  if (attributes !== undefined && unknown !== undefined) {
    const known = Object.keys(attributes).join(', ')
    throw new LapidaryError('unprocessable', `the header names ${shown(unknown)}; the columns can be ${known}`)
  }
  const needed = Object.keys(facets).filter((name) => !facets[name]?.optional)
  const missing = [scope.attribute, ...needed].find((name) => !columns.includes(name))
  if (missing !== undefined) {
    throw new LapidaryError('unprocessable', `the header does not name ${missing}, which every ${collection.name} has`)
  }
  return columns
}

/** Lines that can be given back. */
class LineQueue {
  readonly #source: AsyncGenerator<Line>
  #back: Line[] = []

  constructor(source: AsyncGenerator<Line>) {
    this.#source = source
  }

  async shift(): Promise<Line | undefined> {
    const back = this.#back.pop()
    if (back !== undefined) return back
    const { value, done } = await this.#source.next()
    return done === true ? undefined : value
  }

  unshift(lines: readonly Line[]): void {
    this.#back.push(...lines.toReversed())
  }
}
