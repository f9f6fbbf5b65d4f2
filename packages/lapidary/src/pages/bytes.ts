/** Bytes under construction; numbers take 7 bits a byte, the lowest first. */
export class ByteWriter {
  #bytes: Buffer = Buffer.allocUnsafe(1024)
  #length = 0

  number(value: number): void {
    this.#reserve(8)
    let rest = value
    for (; rest > 127; rest = Math.floor(rest / 128)) this.#bytes[this.#length++] = (rest % 128) | 128
    this.#bytes[this.#length++] = rest
  }

  double(value: number): void {
    this.#reserve(8)
    this.#length = this.#bytes.writeDoubleBE(value, this.#length)
  }

  text(value: string): void {
    const bytes = Buffer.byteLength(value)
    this.number(bytes)
    this.#reserve(bytes)
    this.#length += this.#bytes.write(value, this.#length)
  }

  bytes(value: Uint8Array): void {
    this.#reserve(value.byteLength)
    this.#bytes.set(value, this.#length)
    this.#length += value.byteLength
  }

  done(): Uint8Array {
    return Uint8Array.from(this.#bytes.subarray(0, this.#length))
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return
    const grown = Buffer.allocUnsafe((this.#length + more) * 2)
    this.#bytes.copy(grown)
    this.#bytes = grown
  }
}

/** Reads what a {@link ByteWriter} has made. */
export class ByteReader {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  get isDone(): boolean {
    return this.#at >= this.#bytes.length
  }

  /** All that is left. */
  rest(): Uint8Array {
    const rest = this.#bytes.subarray(this.#at)
    this.#at = this.#bytes.length
    return rest
  }

  bytes(length: number): Uint8Array {
    this.#at += length
    return this.#bytes.subarray(this.#at - length, this.#at)
  }

  number(): number {
    let value = 0
    for (let scale = 1; ; scale *= 128) {
      const byte = this.#bytes.readUInt8(this.#at++)
      value += (byte & 127) * scale
      if (byte < 128) return value
    }
  }

  double(): number {
    const value = this.#bytes.readDoubleBE(this.#at)
    this.#at += 8
    return value
  }

  text(): string {
    const length = this.number()
    const value = this.#bytes.toString('utf8', this.#at, this.#at + length)
    this.#at += length
    return value
  }
}

/** How many bytes {@link ByteWriter.number} takes. */
export function numberBytes(value: number): number {
  let bytes = 1
  for (let rest = value; rest > 127; rest = Math.floor(rest / 128)) bytes++
  return bytes
}
