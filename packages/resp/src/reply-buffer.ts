const FIRST_BYTES = 512
/** Longer texts are copied at once, shorter ones byte by byte, which is faster for them. */
const SHORT = 48
const ZERO = 48
const CARRIAGE_RETURN = 13
const NEWLINE = 10

/** Bytes that grow at the end. */
export class ReplyBuffer {
  #bytes: Buffer = Buffer.allocUnsafe(FIRST_BYTES)
  #length = 0

  get length(): number {
    return this.#length
  }

  /** Appends bytes, one for each character. */
  text(text: string): void {
    const { length } = text
    this.#room(length)
    if (length > SHORT) this.#bytes.write(text, this.#length, length, 'latin1')
    else for (let i = 0; i < length; i++) this.#bytes[this.#length + i] = text.charCodeAt(i)
    this.#length += length
  }

  /** Appends a mark, a whole number, and the end of the line. */
  line(mark: number, value: number): void {
    this.#room(24)
    this.#bytes[this.#length++] = mark
    if (value >= 0 && value < 10) this.#bytes[this.#length++] = ZERO + value
    else if (value >= 0 && value < 100) {
      this.#bytes[this.#length++] = ZERO + Math.floor(value / 10)
      this.#bytes[this.#length++] = ZERO + (value % 10)
    } else this.text(String(value))
    this.end()
  }

  /** Appends the end of a line. */
  end(): void {
    this.#room(2)
    this.#bytes[this.#length++] = CARRIAGE_RETURN
    this.#bytes[this.#length++] = NEWLINE
  }

  /** Everything so far. What is appended later goes elsewhere. */
  take(): Buffer {
    const taken = this.#bytes.subarray(0, this.#length)
    this.#bytes = Buffer.allocUnsafe(FIRST_BYTES)
    this.#length = 0
    return taken
  }

  #room(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#length + bytes))
    this.#bytes.copy(larger, 0, 0, this.#length)
    this.#bytes = larger
  }
}
