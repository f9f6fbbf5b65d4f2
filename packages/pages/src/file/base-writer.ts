import { randomBytes } from 'node:crypto'
import { type BaseHeader, headerBlock, NAME_BYTES, NAME_OFFSET, sectionsOf } from './base-format.ts'
import { BLOCK_BYTES } from './block.ts'
import type { ByteString } from './byte-string.ts'
import type { DiskFile } from './disk.ts'
import type { DiskEntry } from './disk-list.ts'
import type { Section } from './section.ts'
import { SectionWriter } from './section-writer.ts'
import { writeField, writeHeapField } from './text-field.ts'

/** Writes a base file without entries, with a hash key of its own. */
export function writeEmptyBase(file: DiskFile, generation: number, memberBytes: number): Promise<void> {
  const hashKey = { low: randomBytes(4).readInt32LE(), high: randomBytes(4).readInt32LE() }
  return new BaseWriter(file, { generation, hashKey, memberBytes, entries: 0, lists: 0 }).finish()
}

/** Writes a base file whose counts are known: its sections side by side, each from front to back. */
export class BaseWriter {
  readonly order: SectionWriter
  readonly index: SectionWriter
  readonly directory: SectionWriter
  readonly #heap: SectionWriter
  readonly #file: DiskFile
  readonly #header: Omit<BaseHeader, 'heapBytes'>
  #heapBytes = 0

  constructor(file: DiskFile, header: Omit<BaseHeader, 'heapBytes'>) {
    const { order, index, directory, heap } = sectionsOf({ ...header, heapBytes: 0 })
    const writerOf = (section: Section): SectionWriter => new SectionWriter(file, header.generation, section)
    this.#file = file
    this.#header = header
    this.order = writerOf(order)
    this.index = writerOf(index)
    this.directory = writerOf(directory)
    this.#heap = writerOf(heap)
  }

  async putEntry({ score, member }: DiskEntry): Promise<void> {
    if (this.order.isFull) await this.order.flush()
    const offset = this.order.take(1)
    this.order.bytes.writeDoubleLE(score, offset)
    await this.putText(this.order, offset + 8, this.#header.memberBytes, member)
  }

  putIndex(hash: number, rank: number): Promise<void> | undefined {
    const offset = this.index.take(1)
    this.index.bytes.writeUInt32LE(hash, offset)
    this.index.bytes.writeUInt32LE(rank, offset + 4)
    return this.index.isFull ? this.index.flush() : undefined
  }

  async putList(hash: number, start: number, count: number, name: ByteString): Promise<void> {
    if (this.directory.isFull) await this.directory.flush()
    const offset = this.directory.take(1)
    const { bytes } = this.directory
    bytes.writeUInt32LE(hash, offset)
    bytes.writeUIntLE(start, offset + 4, 6)
    bytes.writeUInt32LE(count, offset + 10)
    await this.putText(this.directory, offset + NAME_OFFSET, NAME_BYTES, name)
  }

  /** Fills in a field that was taken and is not flushed yet. */
  async putText(section: SectionWriter, offset: number, fieldBytes: number, text: ByteString): Promise<void> {
    if (writeField(section.bytes, offset, fieldBytes, text)) return
    writeHeapField(section.bytes, offset, fieldBytes, this.#heapBytes, text.length)
    this.#heapBytes += text.length
    for (let done = 0; done < text.length; ) {
      if (this.#heap.isFull) await this.#heap.flush()
      const length = Math.min(this.#heap.room, text.length - done)
      const at = this.#heap.take(length)
      this.#heap.bytes.write(text.slice(done, done + length), at, length, 'latin1')
      done += length
    }
  }

  /** Writes what is left, then the first block; all of it is on the disk when it resolves. */
  async finish(): Promise<void> {
    for (const section of [this.order, this.index, this.directory, this.#heap]) await section.finish()
    const block = headerBlock({ ...this.#header, heapBytes: this.#heapBytes })
    await this.#file.writeLater(block, 0, BLOCK_BYTES, 0)
    await this.#file.syncLater()
  }
}
