import { splitInline } from './inline.ts'

/** The most that a client may send. */
export interface RequestLimits {
  /** Bytes of one argument. */
  readonly argumentBytes: number
  /** Arguments of one command. */
  readonly arguments: number
  /** Bytes of one command. */
  readonly requestBytes: number
}

/** The limits before a password was given: enough to give it, and little for each of thousands who may come. */
const UNAUTHENTICATED: RequestLimits = { argumentBytes: 16_384, arguments: 10, requestBytes: 20_000 }
/** The most bytes of a line: an inline command, or a length. */
const LINE_BYTES = 65_536
/** The longest argument that is compared with the command before. */
const SHORT = 64
/** The most bytes of a command that is kept until the next one. */
const MOST_KEPT_BYTES = 4_096
const NEWLINE = 10
const RETURN = 13
const [ZERO, NINE] = [48, 57] as const
const STAR = 42
const DOLLAR = 36

/** The error of bytes that are no RESP; the connection ends with this message. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError'
}

/**
 * Parses commands from the bytes of a connection, as arrays of byte strings: RESP arrays of bulk strings, and inline commands. A command may
 * come in any pieces; each byte is looked at once.
 */
export class RequestParser {
  /** Whether the sender may use the limits in full. */
  isTrusted = false
  readonly #limits: RequestLimits
  #bytes: Buffer = Buffer.alloc(0)
  #at = 0
  /** The place up to which a missing newline was looked for. */
  #looked = 0
  /** The number of arguments still to come; 0 between commands. */
  #missing = 0
  #arguments: string[] = []
  /** The arguments of the command before: most commands share some with it, which then need no new text. */
  #before: readonly string[] = []
  #argumentBytes = 0
  /** The length of the next argument; -1 until its line is there. */
  #length = -1

  constructor(limits: RequestLimits) {
    this.#limits = limits
  }

  push(chunk: Buffer): void {
    this.#bytes = this.#at === this.#bytes.length ? chunk : Buffer.concat([this.#bytes.subarray(this.#at), chunk])
    this.#looked = Math.max(0, this.#looked - this.#at)
    this.#at = 0
  }

  /**
   * Returns the next command, if all of it is there. An empty one is skipped.
   *
   * @throws {ProtocolError}
   */
  next(): readonly string[] | undefined {
    while (this.#at < this.#bytes.length) {
      if (this.#missing === 0) {
        if (this.#bytes[this.#at] !== STAR) {
          const line = this.#line('too big inline request')
          if (line === undefined) return undefined
          const words = splitInline(line)
          if (words === undefined) throw new ProtocolError('unbalanced quotes in request')
          if (words.length > 0) return words
          continue
        }
        if (!this.#begin()) return undefined
        continue
      }
      const argument = this.#argument()
      if (argument === undefined) return undefined
      this.#arguments.push(argument)
      if (--this.#missing > 0) continue
      const words = this.#arguments
      this.#arguments = []
      // Large arguments are not kept while the client is silent.
      this.#before = this.#argumentBytes > MOST_KEPT_BYTES ? [] : words
      return words
    }
    return undefined
  }

  /** Reads the number of arguments; returns false while it is not there. */
  #begin(): boolean {
    let count = this.#shortNumber()
    if (count === undefined) {
      const line = this.#line('too big mbulk count string')
      if (line === undefined) return false
      count = lengthNumber(line.slice(1))
    }
    const { arguments: most } = this.#allowed()
    if (count === undefined) throw new ProtocolError('invalid multibulk length')
    if (count > this.#limits.arguments) {
      throw new ProtocolError(
        `invalid multibulk length: ${count} arguments, and at most ${this.#limits.arguments} are taken; send them in several commands`,
      )
    }
    if (count > most) throw new ProtocolError('unauthenticated multibulk length')
    this.#missing = Math.max(0, count)
    this.#argumentBytes = 0
    return true
  }

  #argument(): string | undefined {
    if (this.#length < 0) {
      if (this.#bytes[this.#at] !== DOLLAR) {
        throw new ProtocolError(`expected '$', got '${String.fromCharCode(this.#bytes[this.#at] ?? 0)}'`)
      }
      let length = this.#shortNumber()
      if (length === undefined) {
        const line = this.#line('too big bulk count string')
        if (line === undefined) return undefined
        length = lengthNumber(line.slice(1))
      }
      if (length === undefined || length < 0) throw new ProtocolError('invalid bulk length')
      if (length > this.#limits.argumentBytes) {
        throw new ProtocolError(
          `invalid bulk length: ${length} bytes, and an argument has at most ${this.#limits.argumentBytes}`,
        )
      }
      const { argumentBytes, requestBytes } = this.#allowed()
      this.#argumentBytes += length
      if (length > argumentBytes) throw new ProtocolError('unauthenticated bulk length')
      if (this.#argumentBytes > requestBytes) {
        throw new ProtocolError(
          `too big request: more than ${requestBytes} bytes of arguments; send them in several commands`,
        )
      }
      this.#length = length
    }
    const end = this.#at + this.#length
    if (this.#bytes.length < end + 2) return undefined
    const before = this.#before[this.#arguments.length]
    const argument = this.#isNext(before) ? before : this.#bytes.toString('latin1', this.#at, end)
    this.#at = end + 2
    this.#looked = this.#at
    this.#length = -1
    return argument
  }

  /** Tells whether the next argument is this text. */
  #isNext(text: string | undefined): text is string {
    if (text === undefined || text.length !== this.#length || text.length > SHORT) return false
    const [bytes, at] = [this.#bytes, this.#at]
    // Compared from the end, where texts usually differ.
    for (let i = text.length - 1; i >= 0; i--) if (text.charCodeAt(i) !== bytes[at + i]) return false
    return true
  }

  #allowed(): RequestLimits {
    return this.isTrusted ? this.#limits : UNAUTHENTICATED
  }

  /** Returns a number of one or two digits whose whole line is there, as most are, without making a text of it. */
  #shortNumber(): number | undefined {
    const bytes = this.#bytes
    const first = digitOf(bytes[this.#at + 1])
    const second = digitOf(bytes[this.#at + 2])
    const end = this.#at + (second === undefined ? 2 : 3)
    if (first === undefined || bytes[end] !== RETURN || bytes[end + 1] !== NEWLINE) return undefined
    if (second !== undefined && first === 0) return undefined
    this.#at = end + 2
    this.#looked = this.#at
    return second === undefined ? first : first * 10 + second
  }

  /** Returns the next line without its end. */
  #line(tooLong: string): string | undefined {
    const newline = this.#bytes.indexOf(NEWLINE, Math.max(this.#at, this.#looked))
    if (newline < 0) {
      this.#looked = this.#bytes.length
      const most = this.isTrusted ? LINE_BYTES : UNAUTHENTICATED.requestBytes
      if (this.#bytes.length - this.#at > most) throw new ProtocolError(tooLong)
      return undefined
    }
    const end = this.#bytes[newline - 1] === RETURN && newline > this.#at ? newline - 1 : newline
    const line = this.#bytes.toString('latin1', this.#at, end)
    this.#at = newline + 1
    this.#looked = this.#at
    return line
  }
}

function digitOf(byte = 0): number | undefined {
  return byte >= ZERO && byte <= NINE ? byte - ZERO : undefined
}

function lengthNumber(text: string): number | undefined {
  return /^(0|-?[1-9]\d{0,14})$/.test(text) ? Number(text) : undefined
}
