import type { BaseFile } from './base-file.ts'
import { BLOCK_BYTES, damaged, isSound, PAYLOAD_BYTES } from './block.ts'

/** Read at a time. */
const CHUNK_BLOCKS = 256

/** Reads the records of one section of a base file from front to back, in large pieces; every block is checked. */
export class SectionReader {
  readonly bytes: Buffer = Buffer.allocUnsafe(CHUNK_BLOCKS * BLOCK_BYTES)
  readonly #base: BaseFile
  readonly #firstBlock: number
  readonly #endBlock: number
  readonly #recordBytes: number
  readonly #perBlock: number
  #loaded = 0
  #loadedEnd = 0

  constructor(base: BaseFile, firstBlock: number, endBlock: number, recordBytes: number) {
    this.#base = base
    this.#firstBlock = firstBlock
    this.#endBlock = endBlock
    this.#recordBytes = recordBytes
    this.#perBlock = Math.floor(PAYLOAD_BYTES / recordBytes)
  }

  /** Whether a record is in `bytes`; otherwise {@link load} comes first. */
  has(index: number): boolean {
    const block = this.#blockOf(index)
    return block >= this.#loaded && block < this.#loadedEnd
  }

  /** @throws `page_index_damaged`. */
  async load(index: number): Promise<void> {
    const first = this.#blockOf(index)
    const blocks = Math.min(CHUNK_BLOCKS, this.#endBlock - first)
    const { file, name, header } = this.#base
    const length = await file.readLater(this.bytes, 0, blocks * BLOCK_BYTES, first * BLOCK_BYTES)
    for (let i = 0; i < blocks; i++) {
      const isThere = (i + 1) * BLOCK_BYTES <= length
      if (!isThere || !isSound(this.bytes, i * BLOCK_BYTES, { generation: header.generation, number: first + i })) {
        throw damaged(name, `block ${first + i} is not as it was written`)
      }
    }
    this.#loaded = first
    this.#loadedEnd = first + blocks
  }

  /** Where in `bytes` a record is. */
  offsetOf(index: number): number {
    return (this.#blockOf(index) - this.#loaded) * BLOCK_BYTES + (index % this.#perBlock) * this.#recordBytes
  }

  /** How many records are one behind the other from this one on. */
  runFrom(index: number): number {
    return this.#perBlock - (index % this.#perBlock)
  }

  #blockOf(index: number): number {
    return this.#firstBlock + Math.floor(index / this.#perBlock)
  }
}
