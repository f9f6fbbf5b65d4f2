import type { MemberSink } from 'lapidary-pages/file'
import { failure } from './reply-error.ts'

const FIRST_BYTES = 512
/** Texts up to this length are copied byte by byte, which is faster for them. */
const SHORT = 48
const ZERO = 48
const DOLLAR = 36
const CARRIAGE_RETURN = 13
const NEWLINE = 10
const END_OF_LINE = CARRIAGE_RETURN * 256 + NEWLINE
/** The least and the most memory that is kept for the next replies: less is quickly made anew, more is rarely needed. */
const [LEAST_KEPT, MOST_KEPT] = [8_192, 262_144]
const NONE = Buffer.alloc(0)
const MOST_DIGITS = 9

/** Tells whether a number is whole, has no sign, and has few digits. */
export function isShort(value: number): boolean {
  return value >= 0 && value < 10 ** MOST_DIGITS && Number.isInteger(value) && !Object.is(value, -0)
}

function digitCount(value: number): number {
  let digits = 1
  for (let above = 10; value >= above; above *= 10) digits++
  return digits
}

function dataView({ buffer, byteOffset, byteLength }: Buffer): DataView {
  return new DataView(buffer, byteOffset, byteLength)
}

/** Bytes that grow at the end. */
export class ReplyBuffer implements MemberSink {
  /** Memory whose replies are written, for whichever buffer is filled next: most connections send nothing. */
  static #spare: Buffer | undefined
  #bytes: Buffer = NONE
  #view = dataView(NONE)
  #length = 0
  #start = 0
  #most = Number.POSITIVE_INFINITY

  get length(): number {
    return this.#length
  }

  /** Limits the bytes from here on: more than these throw. */
  limitTo(bytes: number): void {
    this.#start = this.#length
    this.#most = bytes
  }

  /** @throws {ReplyError} */
  requireRoom(bytes = 0): void {
    if (this.#length + bytes - this.#start <= this.#most) return
    throw failure(
      `the reply would have more than ${this.#most} bytes, which is the most that are sent at once; ask for less at a time`,
    )
  }

  /** Appends bytes, one for each character. */
  text(text: string): void {
    const { length } = text
    this.#room(length)
    if (length > SHORT) this.#bytes.write(text, this.#length, length, 'latin1')
    else for (let i = 0; i < length; i++) this.#bytes[this.#length + i] = text.charCodeAt(i)
    this.#length += length
  }

  /** Appends bytes as they are. */
  bytes(bytes: Buffer): void {
    this.#room(bytes.length)
    bytes.copy(this.#bytes, this.#length)
    this.#length += bytes.length
  }

  /** Appends a text as a bulk string. */
  takeText(text: string): void {
    const { length } = text
    const bytes = this.#bulk(length)
    let at = this.#length
    if (length > SHORT) at += bytes.write(text, at, length, 'latin1')
    else for (let i = 0; i < length; i++) bytes[at++] = text.charCodeAt(i)
    bytes[at++] = CARRIAGE_RETURN
    bytes[at++] = NEWLINE
    this.#length = at
  }

  /** Appends a part of some bytes as a bulk string, most of it four bytes at a time: a range is mostly copying. */
  takeBytes(from: DataView, start: number, length: number): void {
    this.#bulk(length)
    const view = this.#view
    let at = this.#length
    let next = start
    for (const end = start + length - 3; next < end; next += 4, at += 4) view.setUint32(at, from.getUint32(next))
    for (const end = start + length; next < end; next++, at++) view.setUint8(at, from.getUint8(next))
    view.setUint16(at, END_OF_LINE)
    this.#length = at + 2
  }

  /** Appends the digits of a number that {@link isShort} as a bulk string. */
  takeDigits(value: number): void {
    this.line(DOLLAR, digitCount(value))
    this.#room(MOST_DIGITS + 2)
    this.#digits(value)
    this.end()
  }

  /** Appends a mark, a whole number, and the end of the line. */
  line(mark: number, value: number): void {
    this.#room(24)
    this.#bytes[this.#length++] = mark
    if (isShort(value)) this.#digits(value)
    else this.text(String(value))
    this.end()
  }

  /** Appends the length of a bulk string, and gives what has room for the rest. */
  #bulk(length: number): Buffer {
    this.#room(length + 32)
    const bytes = this.#bytes
    bytes[this.#length++] = DOLLAR
    // Most members are that short, and a range has many.
    if (length < 100) {
      const tens = Math.floor(length / 10)
      if (tens > 0) bytes[this.#length++] = ZERO + tens
      bytes[this.#length++] = ZERO + length - tens * 10
    } else if (isShort(length)) this.#digits(length)
    else this.text(String(length))
    bytes[this.#length++] = CARRIAGE_RETURN
    bytes[this.#length++] = NEWLINE
    return bytes
  }

  /** Appends digits, for which there is room: quicker than a text of them. */
  #digits(value: number): void {
    const bytes = this.#bytes
    let at = this.#length + digitCount(value)
    this.#length = at
    let left = value
    do {
      const tens = Math.floor(left / 10)
      bytes[--at] = ZERO + left - tens * 10
      left = tens
    } while (left > 0)
  }

  /** Appends the end of a line. */
  end(): void {
    this.#room(2)
    this.#bytes[this.#length++] = CARRIAGE_RETURN
    this.#bytes[this.#length++] = NEWLINE
  }

  /** Takes back what was appended since there were so many bytes. */
  cut(length: number): void {
    this.#length = length
  }

  /** Returns everything so far. Later bytes go elsewhere. */
  take(): Buffer {
    const taken = this.#bytes.subarray(0, this.#length)
    this.#bytes = NONE
    this.#length = 0
    return taken
  }

  /** Gives back taken memory, once it is written and no longer read. */
  static giveBack(taken: Buffer): void {
    const { byteLength } = taken.buffer
    // Smaller buffers are parts of a pool that others use too.
    if (byteLength <= Buffer.poolSize || byteLength < LEAST_KEPT || byteLength > MOST_KEPT) return
    if (byteLength > (ReplyBuffer.#spare?.length ?? 0)) ReplyBuffer.#spare = Buffer.from(taken.buffer)
  }

  #room(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return
    // Checked only where memory grows, so that most bytes are written without the check.
    this.requireRoom(bytes)
    if (this.#length === 0 && bytes <= (ReplyBuffer.#spare?.length ?? FIRST_BYTES)) {
      this.#bytes = ReplyBuffer.#spare ?? Buffer.allocUnsafe(FIRST_BYTES)
      this.#view = dataView(this.#bytes)
      ReplyBuffer.#spare = undefined
      return
    }
    const most = Math.min(this.#bytes.length * 2, this.#start + this.#most)
    const larger = Buffer.allocUnsafe(Math.max(most, this.#length + bytes))
    this.#bytes.copy(larger, 0, 0, this.#length)
    this.#bytes = larger
    this.#view = dataView(larger)
  }
}
