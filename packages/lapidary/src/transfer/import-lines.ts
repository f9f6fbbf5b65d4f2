import { isUtf8 } from 'node:buffer'
import type { ImportRecord } from './import-record.ts'
import { parsedJson } from './json-numbers.ts'

/** One line's bytes, without its end. */
export interface Line {
  readonly number: number
  /** The beginning of a line that is too long to be kept. */
  readonly bytes: Buffer
  readonly length: number
  /** Whether it ended with CR LF. */
  readonly crlf: boolean
}

/** An item has at most 400 KB, of which JSON escapes make at most six times as much. */
export const LONGEST_LINE = 2_500_000
/** Longer lines are not kept in memory, not even to hand them back. */
const LONGEST_KEPT = 16 * 1024 * 1024

const NEWLINE = 0x0a
const RETURN = 0x0d
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf])

/**
 * The lines of JSON Lines as records; empty ones are passed over.
 *
 * @example
 * ```ts run
 * const chunks = (async function* () {
 *   yield Buffer.from(`${JSON.stringify(comment)}\n`)
 * })()
 * const { written } = await importRecords(lapidary.comments, jsonLines(chunks))
 * ```
 */
export async function* jsonLines(chunks: AsyncIterable<Buffer>, after = 0): AsyncGenerator<ImportRecord> {
  for await (const { number, bytes, length } of splitLines(chunks)) {
    if (number <= after) continue
    if (length > LONGEST_LINE) {
      const problem = `the line has ${length} bytes; the longest that can hold an item has ${LONGEST_LINE}`
      yield { line: number, raw: bytes, problem }
      continue
    }
    if (!isUtf8(bytes)) {
      yield { line: number, raw: bytes, problem: 'is not UTF-8' }
      continue
    }
    const text = bytes.toString()
    if (text.trim() === '') continue
    yield parsed(number, text, bytes)
  }
}

function parsed(line: number, text: string, raw: Buffer): ImportRecord {
  try {
    return { line, value: parsedJson(text), raw }
  } catch (error) {
    return { line, raw, problem: `is not JSON: ${printable(error instanceof Error ? error.message : String(error))}` }
  }
}

/** The parser quotes the line, which may hold anything. */
function printable(message: string): string {
  return message.replace(/\p{Cc}/gu, '\uFFFD')
}

/** Cuts bytes into lines at LF or CR LF, without a byte order mark. */
export async function* splitLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Line> {
  let number = 0
  let parts: Buffer[] = []
  let length = 0
  const take = (part: Buffer): void => {
    const room = LONGEST_KEPT - length
    if (room > 0 && part.length > 0) parts.push(part.length > room ? part.subarray(0, room) : part)
    length += part.length
  }
  const line = (): Line => {
    let bytes = parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts)
    if (number === 0 && bytes.subarray(0, 3).equals(BYTE_ORDER_MARK)) bytes = bytes.subarray(3)
    const crlf = length <= LONGEST_KEPT && bytes.at(-1) === RETURN
    if (crlf) bytes = bytes.subarray(0, -1)
    const cut: Line = { number: ++number, bytes, length, crlf }
    parts = []
    length = 0
    return cut
  }
  for await (const chunk of chunks) {
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      take(chunk.subarray(start, end))
      yield line()
      start = end + 1
    }
    take(chunk.subarray(start))
  }
  if (length > 0) yield line()
}
