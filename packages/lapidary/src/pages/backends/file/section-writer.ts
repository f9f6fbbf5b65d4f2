import { BLOCK_BYTES, PAYLOAD_BYTES, sealBlock } from './block.ts'
import type { DiskFile } from './disk.ts'

/** Written at a time. */
const CHUNK_BLOCKS = 256

/** Writes the records of one section of a base file, from its first block on. */
export class SectionWriter {
  readonly #file: DiskFile
  readonly #generation: number
  readonly #recordBytes: number
  readonly #perBlock: number
  readonly #chunk: Buffer = Buffer.alloc(CHUNK_BLOCKS * BLOCK_BYTES)
  #block: number
  /** Whole blocks in the chunk, and records in the one after them. */
  #blocks = 0
  #records = 0

  constructor(file: DiskFile, generation: number, firstBlock: number, recordBytes: number) {
    this.#file = file
    this.#generation = generation
    this.#block = firstBlock
    this.#recordBytes = recordBytes
    this.#perBlock = Math.floor(PAYLOAD_BYTES / recordBytes)
  }

  /** Whether {@link flush} must come before more records. */
  get isFull(): boolean {
    return this.#blocks === CHUNK_BLOCKS
  }

  /** How many records fit before the block, and perhaps the chunk, is full; at least one unless the chunk is. */
  get room(): number {
    return this.#perBlock - this.#records
  }

  get bytes(): Buffer {
    return this.#chunk
  }

  /** Where the next record goes, in `bytes`; so many are then taken as written. */
  take(records: number): number {
    const offset = this.#blocks * BLOCK_BYTES + this.#records * this.#recordBytes
    this.#records += records
    if (this.#records === this.#perBlock) {
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
    this.#chunk.copy(this.#chunk, 0, length, length + this.#records * this.#recordBytes)
    this.#chunk.fill(0, this.#records * this.#recordBytes)
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
