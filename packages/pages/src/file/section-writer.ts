import { BLOCK_BYTES, sealBlock } from './block.ts'
import type { DiskFile } from './disk.ts'
import type { Section } from './section.ts'

/** Written at a time. */
const CHUNK_BLOCKS = 256

/** Writes the records of one section of a base file, from its first block on. */
export class SectionWriter {
  readonly #file: DiskFile
  readonly #generation: number
  readonly #section: Section
  readonly #chunk: Buffer = Buffer.alloc(CHUNK_BLOCKS * BLOCK_BYTES)
  #block: number
  /** Whole blocks in the chunk, and records in the one after them. */
  #blocks = 0
  #records = 0

  constructor(file: DiskFile, generation: number, section: Section) {
    this.#file = file
    this.#generation = generation
    this.#section = section
    this.#block = section.firstBlock
  }

  /** Whether {@link flush} must come before more records. */
  get isFull(): boolean {
    return this.#blocks === CHUNK_BLOCKS
  }

  /** How many records fit before the block, and perhaps the chunk, is full; at least one unless the chunk is. */
  get room(): number {
    return this.#section.perBlock - this.#records
  }

  get bytes(): Buffer {
    return this.#chunk
  }

  /** Returns where in `bytes` the next record goes; so many then count as written. */
  take(records: number): number {
    const offset = this.#blocks * BLOCK_BYTES + this.#records * this.#section.recordBytes
    this.#records += records
    if (this.#records === this.#section.perBlock) {
      this.#records = 0
      this.#blocks++
    }
    return offset
  }

  /** Writes whole blocks. */
  async flush(): Promise<void> {
    for (let i = 0; i < this.#blocks; i++) {
      sealBlock(this.#chunk, i * BLOCK_BYTES, { generation: this.#generation, number: this.#block + i })
    }
    const length = this.#blocks * BLOCK_BYTES
    if (length > 0) await this.#file.writeLater(this.#chunk, 0, length, this.#block * BLOCK_BYTES)
    this.#block += this.#blocks
    // The block that is not full yet moves to the front.
    this.#chunk.copy(this.#chunk, 0, length, length + this.#records * this.#section.recordBytes)
    this.#chunk.fill(0, this.#records * this.#section.recordBytes)
    this.#blocks = 0
  }

  /** Writes the last block too, the rest of it zero. */
  async finish(): Promise<void> {
    if (this.#blocks === CHUNK_BLOCKS) await this.flush()
    if (this.#records > 0) {
      this.#records = 0
      this.#blocks++
    }
    await this.flush()
  }
}
