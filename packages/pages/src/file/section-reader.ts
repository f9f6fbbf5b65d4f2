import type { BaseFile } from './base-file.ts'
import { BLOCK_BYTES, requireSound } from './block.ts'
import type { Section } from './section.ts'

/** Read at a time. */
const CHUNK_BLOCKS = 256

/** Reads the records of one section of a base file from front to back, in large pieces; every block is checked. */
export class SectionReader {
  readonly bytes: Buffer = Buffer.allocUnsafe(CHUNK_BLOCKS * BLOCK_BYTES)
  readonly #base: BaseFile
  readonly section: Section
  #loaded = 0
  #loadedEnd = 0

  constructor(base: BaseFile, section: Section) {
    this.#base = base
    this.section = section
  }

  /** Whether a record is in `bytes`; otherwise {@link load} comes first. */
  has(index: number): boolean {
    const block = this.section.blockOf(index)
    return block >= this.#loaded && block < this.#loadedEnd
  }

  /** @throws `page_index_damaged`. */
  async load(index: number): Promise<void> {
    const first = this.section.blockOf(index)
    const blocks = Math.min(CHUNK_BLOCKS, this.section.endBlock - first)
    const { file, name, header } = this.#base
    const length = await file.readLater(this.bytes, 0, blocks * BLOCK_BYTES, first * BLOCK_BYTES)
    // The checksum of a block that is not all there is wrong too.
    this.bytes.fill(0, length)
    for (let i = 0; i < blocks; i++) {
      requireSound(name, this.bytes, i * BLOCK_BYTES, { generation: header.generation, number: first + i })
    }
    this.#loaded = first
    this.#loadedEnd = first + blocks
  }

  /** Returns where in `bytes` a record is. */
  offsetOf(index: number): number {
    return (this.section.blockOf(index) - this.#loaded) * BLOCK_BYTES + this.section.offsetOf(index)
  }
}
