import { LapidaryError, shown } from 'lapidary'
import { jsonLines } from 'lapidary/transfer'
import { type CsvRecord, csvRecords } from 'lapidary/transfer/csv'
import { decoded } from './decoded.ts'
import { type FileFormat, formatOf, separatorIn } from './file-format.ts'
import type { OpenFile } from './import-files.ts'
import { jsonList } from './json-list.ts'
import { peeked } from './peeked.ts'

/** How the files of an import are read, where their content does not say it. */
export interface FileOptions {
  readonly format?: FileFormat
  readonly encoding?: string
  readonly separator?: string
  /** Whether a field of CSV in double quotes may hold separators and line ends. */
  readonly quotes?: boolean
  /** The same for files that are separated by tabs, where it is not said for all. */
  readonly quotesInTsv?: boolean
}

/** One item of a file as it is written there, or what is wrong with it. */
export interface Row {
  /** Its number in the file, from 1: of its line, or of the item of a JSON list. */
  readonly number: number
  /** Its line, from 1. */
  readonly line: number
  readonly raw?: Buffer
  /** Texts by column, undefined for an empty cell; the value of a line of JSON. */
  readonly value?: unknown
  readonly problem?: string
}

/** What a file holds. */
export interface RowsFile {
  readonly format: FileFormat
  /** The encoding of the file; what is handed back of it is UTF-8. */
  readonly encoding: string
  /** The columns and the line that names them; undefined for JSON. */
  readonly header: { readonly columns: readonly string[]; readonly raw: Buffer } | undefined
  readonly rows: AsyncIterable<Row>
  /** The highest number that a row can have had by now. */
  lastNumber(): number
}

const HEAD_BYTES = 64 * 1024
const NEWLINE = 0x0a

/**
 * Reads the rows of a file, in whatever format and encoding it is.
 *
 * @throws {LapidaryError} `unprocessable` for a CSV file without a header; `bad_request`, while it is read, for a file that is broken.
 */
export async function openRows(file: OpenFile, options: FileOptions): Promise<RowsFile> {
  const { encoding, chunks: utf8 } = await decoded(file.chunks, options.encoding)
  const { head, chunks } = await peeked(utf8, HEAD_BYTES)
  const bySeparator = options.separator === undefined ? undefined : options.separator === '\t' ? 'tsv' : 'csv'
  const format = options.format ?? bySeparator ?? formatOf(file.name, head.toString())
  const name = file.name ?? 'standard input'
  const explained = (problem: string): string => (problem.includes('not UTF-8') ? notOf(encoding, problem) : problem)
  let lines = 1
  const counted = tapped(chunks, (chunk) => {
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, at + 1)) lines++
  })
  if (format === 'jsonl') {
    const rows = mapped(
      jsonLines(counted),
      ({ line, ...rest }): Row => ({ ...told(rest, explained), line, number: line }),
    )
    return { format, encoding, header: undefined, rows, lastNumber: () => lines }
  }
  if (format === 'json') {
    const list = jsonList(counted, name)
    let items = 0
    const rows = mapped(jsonLines(list.lines), ({ line: number, ...rest }): Row => {
      items = number
      return { ...told(rest, explained), number, line: list.lineOf(number) }
    })
    return { format, encoding, header: undefined, rows, lastNumber: () => items }
  }
  const separator = options.separator ?? (format === 'tsv' ? '\t' : (separatorIn(head.toString()) ?? ','))
  const records = csvRecords(counted, { separator, quotes: quotesOf(format, options) })
  const first = (await records.next()).value as CsvRecord | undefined
  if (first === undefined)
    throw new LapidaryError('unprocessable', `the CSV file ${name} is empty; its first line names the columns`)
  if ('problem' in first) throw new LapidaryError('unprocessable', `the header of ${name} ${explained(first.problem)}`)
  const columns = first.cells.map(({ text }) => text.trim())
  const twice = columns.find((column, i) => column !== '' && columns.indexOf(column) !== i)
  if (twice !== undefined) throw new LapidaryError('unprocessable', `the header names ${shown(twice)} twice`)
  if (columns.includes('__proto__'))
    throw new LapidaryError(
      'unprocessable',
      'the header names __proto__, which SDKs lose; give the column another name',
    )
  const rows = mapped(records, (record): Row => {
    const { line, raw } = record
    if ('problem' in record) return { number: line, line, raw, problem: explained(record.problem) }
    const { cells } = record
    if (cells.length !== columns.length) {
      const problem = `has ${cells.length} ${cells.length === 1 ? 'field' : 'fields'}; the header names ${columns.length}`
      return { number: line, line, raw, problem }
    }
    const texts = cells.map(({ text, isQuoted }) => (isQuoted ? text : text || undefined))
    return { number: line, line, raw, value: Object.fromEntries(columns.map((column, i) => [column, texts[i]])) }
  })
  return { format, encoding, header: { columns, raw: first.raw }, rows, lastNumber: () => lines }
}

function quotesOf(format: FileFormat, { quotes, quotesInTsv = true }: FileOptions): boolean {
  return quotes ?? (format !== 'tsv' || quotesInTsv)
}

function told<R extends { readonly problem?: string }>(rest: R, explained: (problem: string) => string): R {
  return rest.problem === undefined ? rest : { ...rest, problem: explained(rest.problem) }
}

/** Says what is no text of its encoding, and what may read it. */
function notOf(encoding: string, problem: string): string {
  if (encoding !== 'utf-8') return problem.replace('UTF-8', encoding)
  return `${problem}; if the file is in another encoding, name it, as with --encoding windows-1252`
}

async function* tapped(chunks: AsyncIterable<Buffer>, look: (chunk: Buffer) => void): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    look(chunk)
    yield chunk
  }
}

async function* mapped<T, R>(source: AsyncIterable<T>, by: (value: T) => R): AsyncGenerator<R> {
  for await (const value of source) yield by(value)
}
