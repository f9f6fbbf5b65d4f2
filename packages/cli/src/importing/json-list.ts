import { LapidaryError } from 'lapidary'

/** A JSON list as JSON Lines. */
export interface JsonList {
  readonly lines: AsyncIterable<Buffer>
  /** Returns the line of the file where an item begins; items are asked for in their order. */
  lineOf(item: number): number
}

const CODES = { quote: 0x22, comma: 0x2c, backslash: 0x5c, newline: 0x0a, return: 0x0d, control: 0x01 } as const
const OPEN: ReadonlySet<number> = new Set(Buffer.from('[{'))
const CLOSE: ReadonlySet<number> = new Set(Buffer.from(']}'))
const SPACE: ReadonlySet<number> = new Set(Buffer.from(' \t\r\n'))
const LIST_OPEN = 0x5b
const LIST_CLOSE = 0x5d

/**
 * Cuts a list of JSON, or the first list in an object, into one line an item, so that a bad item costs itself alone and memory stays flat. It knows
 * brackets and texts and leaves the rest to the parser of each line, which keeps the digits of numbers. A line end within a text, which JSON does not
 * allow, stays one that it does not allow.
 *
 * @throws {LapidaryError} `bad_request`, once it is read so far: for a list that is not closed, or where something follows it.
 */
export function jsonList(chunks: AsyncIterable<Buffer>, name: string): JsonList {
  const starts: number[] = []
  let first = 1
  return {
    lines: cut(chunks, name, (line) => void starts.push(line)),
    lineOf(item) {
      starts.splice(0, item - first)
      first = Math.max(first, item)
      return starts[0] ?? 1
    },
  }
}

async function* cut(
  chunks: AsyncIterable<Buffer>,
  name: string,
  onItem: (line: number) => void,
): AsyncGenerator<Buffer> {
  let line = 1
  let depth = 0
  /** The depth of the list's items; 0 before it begins, -1 after it ended. */
  let within = 0
  let isInText = false
  let isEscaped = false
  /** Whether the item has begun. */
  let hasBegun = false
  let commas = 0
  const fail = (what: string): never => {
    throw new LapidaryError('bad_request', `${name}, line ${line}: ${what}`)
  }
  for await (const chunk of chunks) {
    const out = Buffer.allocUnsafe(2 * chunk.length + 1)
    let length = 0
    for (const byte of chunk) {
      if (byte === CODES.newline) line++
      if (within === -1) {
        if (depth === 0 && !SPACE.has(byte)) fail('something follows the list; is it JSON Lines? --format jsonl')
        continue
      }
      const isItem = within > 0
      if (isInText) {
        if (isItem) out[length++] = byte === CODES.newline || byte === CODES.return ? CODES.control : byte
        if (isEscaped) isEscaped = false
        else if (byte === CODES.backslash) isEscaped = true
        else if (byte === CODES.quote) isInText = false
        continue
      }
      if (isItem && depth === within && (byte === CODES.comma || byte === LIST_CLOSE)) {
        // Nothing between commas is refused as what it is.
        if (!hasBegun && (byte === CODES.comma || commas > 0)) {
          onItem(line)
          out[length++] = CODES.comma
          hasBegun = true
        }
        if (hasBegun) out[length++] = CODES.newline
        hasBegun = false
        commas++
        if (byte === LIST_CLOSE) {
          within = -1
          // What follows the list in an object is not looked at.
          depth = depth === 1 ? 0 : 1
        }
        continue
      }
      if (byte === CODES.quote) isInText = true
      else if (OPEN.has(byte)) depth++
      // One that closes nothing is a fault of its item, and ends no other.
      else if (CLOSE.has(byte) && !(isItem && depth === within)) depth--
      if (!isItem) {
        if (byte === LIST_OPEN && depth <= 2) within = depth
        else if (depth <= 0 && !SPACE.has(byte)) fail('there is no list of items')
        continue
      }
      if (!hasBegun && SPACE.has(byte)) continue
      if (!hasBegun) onItem(line)
      hasBegun = true
      out[length++] = SPACE.has(byte) ? 0x20 : byte
    }
    if (length > 0) yield out.subarray(0, length)
  }
  if (within === 0) fail('there is no list of items')
  if (within > 0) fail('the list is not closed; is the file complete?')
}
