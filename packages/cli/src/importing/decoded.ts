import { StringDecoder } from 'node:string_decoder'
import { UsageError } from '../options.ts'
import { peeked } from './peeked.ts'

/** Bytes as UTF-8, whatever they were. */
export interface Decoded {
  readonly chunks: AsyncIterable<Buffer>
  /** `utf-8`, `utf-16le`, `windows-1252`. */
  readonly encoding: string
}

/** No byte of UTF-8: it stands for what is broken, so that the reader refuses its line. */
const BROKEN = Buffer.from([0xff])
const HEAD_BYTES = 64 * 1024
const NEWLINE = 0x0a
const RETURN = 0x0d

/**
 * Reads a name of an encoding as the web has it: `latin1`, `utf-16le`, `shift_jis`.
 *
 * @throws {UsageError} for a name that no encoding has.
 */
export function knownEncoding(name: string): string {
  try {
    return new TextDecoder(name).encoding
  } catch {
    throw new UsageError(
      `--encoding ${JSON.stringify(name)} is not known; there are utf-8, utf-16le, utf-16be, windows-1252 (latin1), iso-8859-15, windows-1251, shift_jis, gb18030, big5, euc-kr and the others of the web`,
    )
  }
}

/**
 * Decodes a file without its byte order mark, which says the encoding whatever was asked for. UTF-16 without one is known by its zeros, and anything
 * else is UTF-8 when no encoding is given. Lines that end with CR alone end with LF.
 */
export async function decoded(source: AsyncIterable<Buffer>, asked: string | undefined): Promise<Decoded> {
  const { head, chunks } = await peeked(source, HEAD_BYTES)
  const mark = markOf(head)
  const encoding = mark?.encoding ?? asked ?? encodingByZeros(head) ?? 'utf-8'
  const bytes = mark === undefined ? chunks : without(chunks, mark.bytes)
  const texts = /^utf-16/.test(encoding) ? fromUtf16(bytes, encoding === 'utf-16be') : fromNamed(bytes, encoding)
  return { encoding, chunks: await withNewlines(encoding === 'utf-8' ? bytes : texts) }
}

function markOf(head: Buffer): { readonly encoding: string; readonly bytes: number } | undefined {
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) return { encoding: 'utf-8', bytes: 3 }
  if (head[0] === 0xff && head[1] === 0xfe) return { encoding: 'utf-16le', bytes: 2 }
  if (head[0] === 0xfe && head[1] === 0xff) return { encoding: 'utf-16be', bytes: 2 }
  return undefined
}

/** Tables have separators, quotes and line ends, which in UTF-16 have a zero on one side. */
function encodingByZeros(head: Buffer): string | undefined {
  const zeros = [0, 0]
  for (const [at, byte] of head.entries()) if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1
  const [even = 0, odd = 0] = zeros.map((count) => count / Math.max(1, head.length / 2))
  if (odd > 0.1 && even < 0.02) return 'utf-16le'
  return even > 0.1 && odd < 0.02 ? 'utf-16be' : undefined
}

async function* without(chunks: AsyncIterable<Buffer>, bytes: number): AsyncGenerator<Buffer> {
  let left = bytes
  for await (const chunk of chunks) {
    yield chunk.subarray(left)
    left = Math.max(0, left - chunk.length)
  }
}

async function* fromUtf16(chunks: AsyncIterable<Buffer>, isBigEndian: boolean): AsyncGenerator<Buffer> {
  const decoder = new StringDecoder('utf16le')
  let half: Buffer = Buffer.alloc(0)
  for await (const chunk of chunks) {
    const all = Buffer.concat([half, chunk])
    const whole = all.subarray(0, all.length - (all.length % 2))
    half = all.subarray(whole.length)
    yield wellFormed(decoder.write(isBigEndian ? whole.swap16() : whole))
  }
  yield wellFormed(decoder.end())
  if (half.length > 0) yield BROKEN
}

function wellFormed(text: string): Buffer {
  return text.isWellFormed() ? Buffer.from(text) : broken(text, /\p{Surrogate}/u)
}

async function* fromNamed(chunks: AsyncIterable<Buffer>, encoding: string): AsyncGenerator<Buffer> {
  const decoder = new TextDecoder(encoding)
  const replaced = /\ufffd/
  const bytes = (text: string): Buffer => (replaced.test(text) ? broken(text, replaced) : Buffer.from(text))
  for await (const chunk of chunks) yield bytes(decoder.decode(chunk, { stream: true }))
  yield bytes(decoder.decode())
}

function broken(text: string, what: RegExp): Buffer {
  return Buffer.concat(text.split(what).flatMap((part, i) => [...(i === 0 ? [] : [BROKEN]), Buffer.from(part)]))
}

/** The end of a line in a file of an old Macintosh is CR alone: such a file has no LF. */
async function withNewlines(source: AsyncIterable<Buffer>): Promise<AsyncIterable<Buffer>> {
  const { head, chunks } = await peeked(source, HEAD_BYTES)
  const at = head.indexOf(RETURN)
  return at === -1 || at === head.length - 1 || head.includes(NEWLINE) ? chunks : returnsAsNewlines(chunks)
}

async function* returnsAsNewlines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) yield Buffer.from(chunk.map((byte) => (byte === RETURN ? NEWLINE : byte)))
}
