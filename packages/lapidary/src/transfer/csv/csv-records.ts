import { isUtf8 } from 'node:buffer'
import { CsvError, type Options, parse } from 'csv-parse/sync'
import { type Line, LONGEST_LINE, splitLines } from '../import-lines.ts'

/** One record, or what is wrong with one line. */
export type CsvRecord = ReadRecord | RefusedLine

/** A record with as many lines as its quotes take. */
export interface ReadRecord {
  /** Of its first line, from 1. */
  readonly line: number
  /** Its bytes, without the end of its last line. */
  readonly raw: Buffer
  readonly cells: readonly Cell[]
}

/** A line that is no record. */
export interface RefusedLine {
  readonly line: number
  readonly raw: Buffer
  readonly problem: string
}

/** One field. */
export interface Cell {
  readonly text: string
  readonly isQuoted: boolean
}

/** Lines that are parsed together: enough that starting the parser costs nothing, few enough that the process is soon free for others. */
const WINDOW_BYTES = 64 * 1024

/** How the fields of a file are told apart. */
export interface CsvDialect {
  /** One character between fields; a comma when not given. */
  readonly separator?: string
  /** Whether a field in double quotes may hold separators and line ends; true when not given. Else a quote is text like any other. */
  readonly quotes?: boolean
}

/**
 * Reads the records of a CSV file (RFC 4180), parsed by csv-parse; empty lines are passed over. The first record says how many fields each has.
 *
 * A quote that is never closed would take all that follows into its field. So a record of several lines that is not whole (its quote is not
 * closed within the longest item, or something follows the closing quote, or it has too many or too few fields) is refused
 * by its first line alone, and parsing begins again with the second. Needs the package `csv-parse`.
 *
 * @example
 * ```ts run
 * const chunks = (async function* () {
 *   yield Buffer.from('language;rating')
 * })()
 * for await (const record of csvRecords(chunks, { separator: ';' })) {
 *   if ('cells' in record) console.log(record.line, record.cells.map(({ text }) => text))
 * }
 * ```
 */
export async function* csvRecords(
  chunks: AsyncIterable<Buffer>,
  { separator = ',', quotes = true }: CsvDialect = {},
): AsyncGenerator<CsvRecord> {
  const dialect = { separator, quotes }
  const source = splitLines(chunks)
  let width: number | undefined
  let waiting: readonly Line[] = []
  for (let isLast = false; !isLast; ) {
    // What is still open is parsed again with at least as much more, so that all is parsed about twice at most.
    const { lines, tooLong, ended } = await moreLines(source, waiting)
    isLast = ended
    const window = windowOf(lines)
    let from = 0
    while (from < lines.length) {
      const { records, problem } = readRecords(window, from, width, dialect)
      for (const record of records) {
        width ??= record.cells.length
        from = record.end
        if (record.raw.length > 0) yield record
      }
      if (problem === undefined) break
      const isOpen = problem === NOT_CLOSED && window.bytesFrom(from) <= LONGEST_LINE
      if (isOpen && !ended && tooLong === undefined) break
      const refused = lines[from] as Line
      yield { line: refused.number, raw: refused.bytes, problem }
      from += 1
    }
    waiting = lines.slice(from)
    if (tooLong !== undefined) {
      const size = `the line has ${tooLong.length} bytes; the longest that can hold an item has ${LONGEST_LINE}`
      yield { line: tooLong.number, raw: tooLong.bytes, problem: size }
    }
  }
}

const NOT_CLOSED = 'has a quote that no later line closes'
const NOT_CLOSED_AS_CSV = 'has a quote that is not closed as CSV closes it'

/** Waiting lines with more, up to one that is too long to be parsed. */
async function moreLines(
  source: AsyncGenerator<Line>,
  waiting: readonly Line[],
): Promise<{ readonly lines: readonly Line[]; readonly tooLong: Line | undefined; readonly ended: boolean }> {
  const lines = [...waiting]
  let bytes = lines.reduce((sum, { length }) => sum + length, 0)
  const wanted = Math.max(WINDOW_BYTES, 2 * bytes)
  while (bytes < wanted) {
    const { value, done } = await source.next()
    if (done === true) return { lines, tooLong: undefined, ended: true }
    if (value.length > LONGEST_LINE) return { lines, tooLong: value, ended: false }
    lines.push(value)
    bytes += value.length + 1
  }
  return { lines, tooLong: undefined, ended: false }
}

/** Lines as the bytes that they were. */
interface Window {
  readonly lines: readonly Line[]
  readonly bytes: Buffer
  /** Where each line begins, and where the last one ends. */
  readonly starts: readonly number[]
  bytesFrom(line: number): number
}

const ENDS = { crlf: Buffer.from('\r\n'), lf: Buffer.from('\n') }

function windowOf(lines: readonly Line[]): Window {
  const bytes = Buffer.concat(lines.flatMap((line) => [line.bytes, endOf(line)]))
  const starts = [0]
  for (const line of lines) starts.push((starts.at(-1) ?? 0) + line.bytes.length + endOf(line).length)
  return { lines, bytes, starts, bytesFrom: (line) => bytes.length - (starts[line] ?? 0) }
}

function endOf({ crlf }: Line): Buffer {
  return crlf ? ENDS.crlf : ENDS.lf
}

interface PlacedRecord extends ReadRecord {
  /** The line after it, within the window. */
  readonly end: number
}

/** Whole records from a line on, up to the first that is not, and what is wrong with that one. */
function readRecords(
  { lines, bytes, starts }: Window,
  from: number,
  width: number | undefined,
  dialect: Required<CsvDialect>,
): { readonly records: readonly PlacedRecord[]; readonly problem: string | undefined } {
  const records: PlacedRecord[] = []
  let expected = width
  let first = from
  const start = starts[from] ?? 0
  const options: Options = {
    // Quotes within a field that does not begin with one are part of its text.
    ...{ record_delimiter: ['\r\n', '\n'], relax_quotes: true, relax_column_count: true },
    ...{ delimiter: dialect.separator, quote: dialect.quotes ? '"' : false },
    on_record(texts: readonly string[], { bytes: read }) {
      let end = first + 1
      while (end < lines.length && (starts[end] ?? 0) < start + read) end += 1
      const last = lines[end - 1] as Line
      const raw = bytes.subarray(starts[first], (starts[end] ?? 0) - endOf(last).length)
      const cells = cellsOf(texts, raw, dialect)
      const problem = problemOf(raw, cells, end - first, expected)
      if (cells === undefined || problem !== undefined) throw new NotWhole(problem)
      expected ??= cells.length
      records.push({ line: (lines[first] as Line).number, raw, cells, end })
      first = end
      return undefined
    },
  }
  try {
    parse(bytes.subarray(start), options)
    return { records, problem: undefined }
  } catch (error) {
    if (error instanceof NotWhole) return { records, problem: error.message }
    if (error instanceof CsvError && error.code === 'CSV_QUOTE_NOT_CLOSED') return { records, problem: NOT_CLOSED }
    throw error
  }
}

/** A record of which only the first line is refused. */
class NotWhole extends Error {}

/** Why a record can't be taken as it was parsed. */
function problemOf(
  raw: Buffer,
  cells: readonly Cell[] | undefined,
  lines: number,
  width = cells?.length,
): string | undefined {
  if (raw.length > LONGEST_LINE) return NOT_CLOSED
  if (cells === undefined) return NOT_CLOSED_AS_CSV
  if (!isUtf8(raw)) return lines === 1 ? 'is not UTF-8' : `begins a record of ${lines} lines that is not UTF-8`
  // Of one line the number of fields is what it is.
  if (lines === 1 || cells.length === width) return undefined
  return `has a quote that closes ${lines - 1} ${lines === 2 ? 'line' : 'lines'} later, where its record has ${cells.length} fields; the header names ${width}`
}

const QUOTE = 0x22

/**
 * The fields with whether they have quotes; undefined where writing them again gives another text. The parser takes what follows a closing
 * quote into the field, as if all had been written without quotes, and does not say so.
 */
function cellsOf(
  texts: readonly string[],
  raw: Buffer,
  { separator, quotes }: Required<CsvDialect>,
): readonly Cell[] | undefined {
  if (!quotes || !raw.includes(QUOTE)) return texts.map((text) => ({ text, isQuoted: false }))
  const whole = raw.toString()
  let at = 0
  const cells: Cell[] = []
  for (const [i, text] of texts.entries()) {
    const isQuoted = whole[at] === '"'
    const written = `${isQuoted ? `"${text.replaceAll('"', '""')}"` : text}${i < texts.length - 1 ? separator : ''}`
    if (!whole.startsWith(written, at)) return undefined
    at += written.length
    cells.push({ text, isQuoted })
  }
  return at === whole.length ? cells : undefined
}
