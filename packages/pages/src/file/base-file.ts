import {
  type BaseHeader,
  type BaseSections,
  NAME_BYTES,
  NAME_OFFSET,
  parseHeader,
  SCORE_BYTES,
  sectionsOf,
} from './base-format.ts'
import { BLOCK_BYTES, damaged } from './block.ts'
import { BlockCache } from './block-cache.ts'
import type { ByteString } from './byte-string.ts'
import type { ReadableFile } from './disk.ts'
import { compareBytes, type DiskEntry, type MemberSink } from './disk-list.ts'
import { type HashPiece, pieceByHash } from './hash-order.ts'
import { firstByHash } from './hash-search.ts'
import { keyedHash } from './keyed-hash.ts'
import { readPacked } from './packed-text.ts'
import type { Section } from './section.ts'
import { compareField, type HeapPlace, heapPlace, IN_HEAP } from './text-field.ts'

/** A list as the directory has it. */
export interface DirectoryEntry {
  readonly name: ByteString
  readonly hash: number
  /** Its entries begin here, in the whole file's order. */
  readonly start: number
  readonly count: number
}

/** The place of a name in the directory; its count is 0 when there is no such list, and its start is where its entries would be. */
export interface FoundName extends DirectoryEntry {
  /** How many lists come before it. */
  readonly index: number
}

/** An open base file. Nothing in it changes; every block that is read is checked. */
export class BaseFile {
  readonly header: BaseHeader
  readonly sections: BaseSections
  readonly name: string
  readonly file: ReadableFile
  readonly cache: BlockCache

  private constructor(name: string, file: ReadableFile, header: BaseHeader, cacheBytes: number) {
    this.name = name
    this.file = file
    this.header = header
    this.sections = sectionsOf(header)
    this.cache = new BlockCache(file, name, header.generation, cacheBytes)
  }

  /** @throws `page_index_damaged`, when its first block or its length is wrong. */
  static open(
    disk: { open(path: string, mode: 'read'): ReadableFile },
    path: string,
    generation: number,
    cacheBytes: number,
  ): BaseFile {
    const file = disk.open(path, 'read')
    try {
      const block = Buffer.alloc(BLOCK_BYTES)
      file.read(block, 0, BLOCK_BYTES, 0)
      return new BaseFile(path, file, parseHeader(path, block, generation, file.size()), cacheBytes)
    } catch (error) {
      file.close()
      throw error
    }
  }

  /** Finds a name in the directory, by hash, and by bytes where hashes are equal. */
  find(name: ByteString): FoundName {
    const hash = keyedHash(this.header.hashKey, name)
    let index = this.findHash(hash)
    for (; index < this.header.lists; index++) {
      const offset = this.offsetOf(this.sections.directory, index)
      if (this.cache.view.getUint32(offset, true) !== hash) break
      if (this.#compareText(offset + NAME_OFFSET, NAME_BYTES, name) >= 0) break
    }
    const next = index < this.header.lists ? this.directoryEntry(index) : undefined
    const count = next?.name === name ? next.count : 0
    return { name, hash, index, start: next?.start ?? this.header.entries, count }
  }

  /** The first list in the directory with this hash or a higher one. */
  findHash(hash: number): number {
    const { directory } = this.sections
    return firstByHash(hash, this.header.lists, (i) => this.cache.view.getUint32(this.offsetOf(directory, i), true))
  }

  directoryEntry(index: number): DirectoryEntry {
    const offset = this.offsetOf(this.sections.directory, index)
    return this.directoryEntryIn(this.cache.bytes, offset)
  }

  /** Reads a record of the directory, which is anywhere in memory. */
  directoryEntryIn(bytes: Buffer, offset: number): DirectoryEntry {
    const hash = bytes.readUInt32LE(offset)
    const start = bytes.readUIntLE(offset + 4, 6)
    const count = bytes.readUInt32LE(offset + 10)
    if (start + count > this.header.entries) throw damaged(this.name, 'a list is not within it')
    return { hash, start, count, name: this.#textIn(bytes, offset + NAME_OFFSET, NAME_BYTES) }
  }

  /** Returns where in the cache a record of a section is. */
  offsetOf(section: Section, index: number): number {
    const { firstBlock, perBlock, recordBytes } = section
    // Quicker than a remainder.
    const block = Math.floor(index / perBlock)
    return this.cache.offsetOf(firstBlock + block) + (index - block * perBlock) * recordBytes
  }

  /** Returns where in the cache an entry is. */
  orderOffset(index: number): number {
    return this.offsetOf(this.sections.order, index)
  }

  /** Entries that are one behind the other from a place of the cache on. */
  readRun(offset: number, count: number, into: DiskEntry[]): void {
    const { bytes, view } = this.cache
    const { recordBytes } = this.sections.order
    const { memberBytes } = this.header
    const inHeap: { readonly index: number; readonly place: HeapPlace }[] = []
    // One text of all of them, of which the members are parts: many times faster than a text for each.
    const text = bytes.toString('latin1', offset, offset + count * recordBytes)
    for (let at = 0; at < text.length; at += recordBytes) {
      const from = at + SCORE_BYTES
      const length = text.charCodeAt(from)
      let member = ''
      if (length === IN_HEAP) inHeap.push({ index: into.length, place: heapPlace(bytes, offset + from) })
      else if (length >= memberBytes) member = readPacked(bytes, offset + from + 1, length)
      else member = text.slice(from + 1, from + 1 + length)
      into.push({ score: view.getFloat64(offset + at, true), member })
    }
    // Only now: a look into the heap may take the place of this block in the cache.
    for (const { index, place } of inHeap) {
      into[index] = { score: (into[index] as DiskEntry).score, member: this.heapText(place) }
    }
  }

  /**
   * Copies members that are one behind the other, and returns how many: fewer where one was read from elsewhere, which may have taken their
   * place in the cache.
   */
  copyRun(index: number, count: number, into: MemberSink): number {
    const { bytes, view } = this.cache
    const { memberBytes } = this.header
    let offset = this.orderOffset(index) + SCORE_BYTES
    for (let i = 1; i <= count; i++) {
      const length = bytes[offset] as number
      if (length === IN_HEAP) {
        into.takeText(this.#textIn(bytes, offset, memberBytes))
        return i
      }
      if (length < memberBytes) into.takeBytes(view, offset + 1, length)
      else into.takeText(readPacked(bytes, offset + 1, length))
      offset += this.sections.order.recordBytes
    }
    return count
  }

  /** Returns where in the cache a record of the index is. */
  indexOffset(index: number): number {
    return this.offsetOf(this.sections.index, index)
  }

  /** The member of the entry at this place of the cache; what the place was for may be gone after it. */
  memberAt(orderOffset: number): ByteString {
    return this.#textIn(this.cache.bytes, orderOffset + SCORE_BYTES, this.header.memberBytes)
  }

  /** Below zero when the member of the entry at this place of the cache comes before the given one. */
  compareMember(orderOffset: number, member: ByteString): number {
    return this.#compareText(orderOffset + SCORE_BYTES, this.header.memberBytes, member)
  }

  #compareText(offset: number, fieldBytes: number, text: ByteString): number {
    const { bytes } = this.cache
    const length = bytes[offset] as number
    if (length < fieldBytes && length !== IN_HEAP) return compareField(bytes, offset, text)
    return compareBytes(this.#textIn(bytes, offset, fieldBytes), text)
  }

  #textIn(bytes: Buffer, offset: number, fieldBytes: number): ByteString {
    const length = bytes[offset] as number
    if (length === IN_HEAP) return this.heapText(heapPlace(bytes, offset))
    if (length >= fieldBytes) return readPacked(bytes, offset + 1, length)
    return bytes.toString('latin1', offset + 1, offset + 1 + length)
  }

  heapText(place: HeapPlace): ByteString {
    if (place.at + place.length > this.header.heapBytes) throw damaged(this.name, 'a text is not within it')
    const { heap } = this.sections
    let text = ''
    for (let { at } = place; text.length < place.length; ) {
      const length = Math.min(heap.runFrom(at), place.length - text.length)
      const from = this.offsetOf(heap, at)
      text += this.cache.bytes.toString('latin1', from, from + length)
      at += length
    }
    return text
  }

  /** A piece of the names in the order of their hashes. */
  names(from: number, limit: number): HashPiece {
    return pieceByHash(this.findHash(from), this.header.lists, limit, (index) => {
      const { hash, name } = this.directoryEntry(index)
      return { hash, text: name }
    })
  }

  close(): void {
    this.file.close()
  }
}
