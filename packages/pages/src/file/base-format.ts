import { BLOCK_BYTES, damaged, isSound, sealBlock } from './block.ts'
import type { HashKey } from './keyed-hash.ts'
import { Section } from './section.ts'

/** The first block of a base file. */
export interface BaseHeader {
  /** The number of the file, and of the first log whose changes are not in it. */
  readonly generation: number
  readonly hashKey: HashKey
  /** Bytes of a member's field: its length, and the member itself where it fits. */
  readonly memberBytes: number
  readonly entries: number
  readonly lists: number
  /** Bytes of what is too long for its field. */
  readonly heapBytes: number
}

/** The sections of a base file, which follow each other behind its first block. */
export interface BaseSections {
  readonly order: Section
  readonly index: Section
  readonly directory: Section
  /** Its records are bytes. */
  readonly heap: Section
  readonly fileBytes: number
}

/** A record of the index: the hash of a member, and its rank in the list. */
export const INDEX_BYTES = 8
/** Bytes of the field for a list's name. */
export const NAME_BYTES = 34
/** A record of the directory: the hash of the name, where the list begins (6 bytes), its count, its name. */
export const DIRECTORY_BYTES: number = 4 + 6 + 4 + NAME_BYTES
export const NAME_OFFSET = 14
/** A record in order: the score, and the member's field. */
export const SCORE_BYTES = 8

const MAGIC = 'LAPIBASE'
const VERSION = 2
/** Its fields have nothing packed; all else is the same. */
const VERSION_BEFORE = 1

export function sectionsOf({ entries, lists, heapBytes, memberBytes }: BaseHeader): BaseSections {
  const order = new Section(1, SCORE_BYTES + memberBytes, entries)
  const index = new Section(order.endBlock, INDEX_BYTES, entries)
  const directory = new Section(index.endBlock, DIRECTORY_BYTES, lists)
  const heap = new Section(directory.endBlock, 1, heapBytes)
  return { order, index, directory, heap, fileBytes: heap.endBlock * BLOCK_BYTES }
}

/** Writes the first block. */
export function headerBlock(header: BaseHeader): Buffer {
  const block = Buffer.alloc(BLOCK_BYTES)
  block.write(MAGIC, 0, 'latin1')
  block.writeUInt32LE(VERSION, 8)
  block.writeUInt32LE(BLOCK_BYTES, 12)
  block.writeUIntLE(header.generation, 16, 6)
  block.writeInt32LE(header.hashKey.low, 24)
  block.writeInt32LE(header.hashKey.high, 28)
  block.writeUInt32LE(header.memberBytes, 32)
  block.writeUInt32LE(NAME_BYTES, 36)
  block.writeUIntLE(header.entries, 40, 6)
  block.writeUIntLE(header.lists, 46, 6)
  block.writeUIntLE(header.heapBytes, 52, 6)
  sealBlock(block, 0, { generation: header.generation, number: 0 })
  return block
}

/**
 * Reads the first block.
 *
 * @throws `page_index_damaged`.
 */
export function parseHeader(file: string, block: Buffer, generation: number, fileBytes: number): BaseHeader {
  if (block.length < BLOCK_BYTES || fileBytes < BLOCK_BYTES) throw damaged(file, `it has ${fileBytes} bytes`)
  if (!isSound(block, 0, { generation, number: 0 })) throw damaged(file, 'its first block is not as it was written')
  if (block.toString('latin1', 0, 8) !== MAGIC) throw damaged(file, 'it is none of a page index')
  const version = block.readUInt32LE(8)
  if (version !== VERSION && version !== VERSION_BEFORE) {
    throw damaged(file, `it has version ${version}, and this program reads ${VERSION_BEFORE} and ${VERSION}`)
  }
  const header: BaseHeader = {
    generation,
    hashKey: { low: block.readInt32LE(24), high: block.readInt32LE(28) },
    memberBytes: block.readUInt32LE(32),
    entries: block.readUIntLE(40, 6),
    lists: block.readUIntLE(46, 6),
    heapBytes: block.readUIntLE(52, 6),
  }
  const expected = sectionsOf(header).fileBytes
  if (fileBytes !== expected) throw damaged(file, `it has ${fileBytes} bytes instead of ${expected}`)
  return header
}
