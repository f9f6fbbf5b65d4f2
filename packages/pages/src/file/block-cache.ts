import { BLOCK_BYTES, requireSound } from './block.ts'
import type { ReadableFile } from './disk.ts'

/**
 * Blocks of one file that were read and found sound. A block has one slot that it can be in, so a lookup is one comparison and nothing is
 * allocated. An offset holds until the next call of {@link offsetOf}.
 */
export class BlockCache {
  readonly bytes: Buffer
  readonly view: DataView
  readonly #file: ReadableFile
  readonly #name: string
  readonly #generation: number
  readonly #numbers: Float64Array

  constructor(file: ReadableFile, name: string, generation: number, cacheBytes: number) {
    const slots = Math.max(1, Math.floor(cacheBytes / BLOCK_BYTES))
    this.bytes = Buffer.allocUnsafeSlow(slots * BLOCK_BYTES)
    this.view = new DataView(this.bytes.buffer, this.bytes.byteOffset, this.bytes.length)
    this.#numbers = new Float64Array(slots).fill(-1)
    this.#file = file
    this.#name = name
    this.#generation = generation
  }

  /**
   * Returns where in `bytes` a block is.
   *
   * @throws `page_index_damaged`.
   */
  offsetOf(number: number): number {
    // Blocks at regular distances, as a binary search reads them, must not share slots.
    const slot = (Math.imul(number, 0x9e3779b1) >>> 0) % this.#numbers.length
    const offset = slot * BLOCK_BYTES
    if (this.#numbers[slot] === number) return offset
    this.#numbers[slot] = -1
    const length = this.#file.read(this.bytes, offset, BLOCK_BYTES, number * BLOCK_BYTES)
    // The checksum of a block that is not all there is wrong too.
    this.bytes.fill(0, offset + length, offset + BLOCK_BYTES)
    requireSound(this.#name, this.bytes, offset, { generation: this.#generation, number })
    this.#numbers[slot] = number
    return offset
  }
}
