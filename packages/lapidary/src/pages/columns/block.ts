import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { compareBytes } from '../../model/key-text.ts'
import { ByteReader, ByteWriter } from '../bytes.ts'
import { comparePlaces, type Place, placeFrom, placeText } from '../place.ts'
import type { ListEntry } from '../sorted-lists.ts'
import type { StoredNode } from '../tree/node.ts'
import { Torn } from '../tree/torn.ts'

/**
 * A run of a group's entries in the order of their places, from its fence to that of the next block. Rows that were written together are in
 * columns, one for each facet, and their places in chunks; what changed since is a delta in the block's own node, which each change writes.
 */
export interface Block {
  readonly fence: string
  /**
   * Where it ends, and the next block begins; undefined for the last one. Blocks that were read at once are of one moment only where each ends
   * where the next begins, and a place that its block does not reach was looked up while another write cut the block.
   */
  readonly next: string | undefined
  /** The number under which it was made: no other block ever has the same fence and the same number. */
  readonly born: number
  /** The highest number of a block that was ever made between its fence and its end; the next one that is cut from it has a higher one. */
  readonly latest: number
  /** Rows in columns. */
  readonly rows: number
  readonly chunks: readonly Chunk[]
  /** Rows of each chunk but the last. */
  readonly chunkRows: number
  /** The place of the last row in columns; undefined where there is none. */
  readonly last: Place | undefined
  /** The version of each column, which counts up with each write of it. */
  readonly columns: readonly number[]
  /** In the order of places, each place once. */
  readonly delta: readonly DeltaRow[]
  /** While it is filled: places of entries that were removed, which a scan may still have seen. */
  readonly buried: readonly Place[]
  /** The node as the store has it; undefined for a new one. */
  readonly stored: StoredNode | undefined
}

/** A part of the places of a block. */
export interface Chunk {
  /** The place of its first row. */
  readonly first: Place
  readonly version: number
}

/** A row that changed since the columns were written. */
export interface DeltaRow {
  readonly place: Place
  /** The texts of its facets; undefined for a row that was removed. */
  readonly cell: string | undefined
  /** The row in columns that it stands for, or before which it comes. */
  readonly row: number
  /** Whether it stands for that row. */
  readonly isBase: boolean
}

/** A row, with the texts of its facets. */
export type FullRow = Pick<ListEntry, 'place' | 'cell'>

/** The row of the tree's nodes in which blocks lie, those of places, and that of the first column. */
export const BLOCKS = 0
export const PLACES = 1
export const FIRST_COLUMN = 2

/** The first block of a group, which is never removed. */
export function firstBlock(): Block {
  return emptyBlock('', FIRST_BORN)
}

const FIRST_BORN = 1

export function emptyBlock(fence: string, born: number): Block {
  return {
    ...{
      fence,
      next: undefined,
      born,
      latest: born,
      rows: 0,
      chunks: [],
      chunkRows: 0,
      last: undefined,
      columns: [],
      delta: [],
      buried: [],
    },
    stored: undefined,
  }
}

/** The fence of a chunk: behind that of its block, and before any other. */
export function chunkFence({ fence }: Pick<Block, 'fence'>, chunk: number): string {
  return `${fence}\u0000${String(chunk).padStart(3, '0')}`
}

/** What sorts after all chunks of a block, and before the next one. */
export function chunksEnd({ fence }: Pick<Block, 'fence'>): string {
  return `${fence}\u0001`
}

const PLAIN = 0
const DEFLATED = 1
const REMOVED = 0
const NEW = 1
const CHANGED = 2

export function packBlock(block: Omit<Block, 'fence' | 'stored'>): Uint8Array {
  const plain = new ByteWriter()
  plain.number(block.born)
  plain.number(block.latest)
  plain.number(Number(block.next !== undefined))
  if (block.next !== undefined) plain.text(block.next)
  plain.number(block.rows)
  plain.number(block.chunkRows)
  plain.number(block.chunks.length)
  for (const { first, version } of block.chunks) {
    plain.text(placeText(first))
    plain.number(version)
  }
  if (block.last !== undefined) plain.text(placeText(block.last))
  plain.number(block.columns.length)
  for (const version of block.columns) plain.number(version)
  plain.number(block.buried.length)
  for (const place of block.buried) plain.text(placeText(place))
  for (const { place, cell, row, isBase } of block.delta) {
    plain.number(cell === undefined ? REMOVED : isBase ? CHANGED : NEW)
    plain.number(row)
    plain.text(placeText(place))
    if (cell !== undefined) plain.text(cell)
  }
  return smaller(plain.done())
}

export function unpackBlock(stored: StoredNode): Block {
  const reader = new ByteReader(unsmaller(stored.bytes))
  const [born, latest] = [reader.number(), reader.number()]
  const next = reader.number() === 0 ? undefined : reader.text()
  const [rows, chunkRows] = [reader.number(), reader.number()]
  const chunks = Array.from({ length: reader.number() }, (): Chunk => {
    return { first: placeFrom(reader.text()), version: reader.number() }
  })
  const last = rows === 0 ? undefined : placeFrom(reader.text())
  const columns = Array.from({ length: reader.number() }, () => reader.number())
  const buried = Array.from({ length: reader.number() }, () => placeFrom(reader.text()))
  const delta: DeltaRow[] = []
  while (!reader.isDone) {
    const kind = reader.number()
    const row = reader.number()
    const place = placeFrom(reader.text())
    delta.push({ place, row, isBase: kind !== NEW, cell: kind === REMOVED ? undefined : reader.text() })
  }
  return { fence: stored.fence, next, born, latest, rows, chunks, chunkRows, last, columns, delta, buried, stored }
}

/** A place, and the id of its item where the place has a hash of it. */
export interface KnownPlace extends Place {
  readonly id?: string | undefined
}

/** The places of a chunk, with the version that the block tells. */
export interface PlacesNode {
  readonly born: number
  readonly version: number
  readonly places: readonly KnownPlace[]
}

export function packPlaces({ born, version, places }: PlacesNode): Uint8Array {
  const writer = new ByteWriter()
  writer.number(born)
  writer.number(version)
  writer.bytes(placesBytes(places))
  return writer.done()
}

export function unpackPlaces({ bytes }: Pick<StoredNode, 'bytes'>): PlacesNode {
  const reader = new ByteReader(bytes)
  const [born, version] = [reader.number(), reader.number()]
  const rest = new ByteReader(unsmaller(reader.rest()))
  const places: KnownPlace[] = []
  let score = 0
  for (let left = rest.number(); left > 0; left--) {
    const step = rest.number()
    score = step === ABSOLUTE ? rest.double() : score + (step - 1)
    places.push({ score, member: rest.text() })
  }
  while (!rest.isDone) {
    const at = rest.number()
    places[at] = { ...(places[at] as Place), id: rest.text() }
  }
  return { born, version, places }
}

const ABSOLUTE = 0
const MOST_STEP = 2 ** 48

/** Places as they are packed, without what a chunk says before them. */
export function placesBytes(places: readonly KnownPlace[]): Uint8Array {
  const writer = new ByteWriter()
  writer.number(places.length)
  let before: number | undefined
  for (const { score, member } of places) {
    const step = before === undefined ? Number.NaN : score - before
    if (Number.isInteger(step) && step < MOST_STEP && (before as number) + step === score) writer.number(step + 1)
    else {
      writer.number(ABSOLUTE)
      writer.double(score)
    }
    before = score
    writer.text(member)
  }
  places.forEach(({ id }, at) => {
    if (id === undefined) return
    writer.number(at)
    writer.text(id)
  })
  return smaller(writer.done())
}

/** A column as it is stored, with the version that the block tells. */
export interface ColumnNode {
  readonly born: number
  readonly version: number
  readonly bytes: Uint8Array
}

export function packColumnNode({ born, version, bytes }: ColumnNode): Uint8Array {
  const writer = new ByteWriter()
  writer.number(born)
  writer.number(version)
  writer.bytes(bytes)
  return writer.done()
}

export function unpackColumnNode({ bytes }: Pick<StoredNode, 'bytes'>): ColumnNode {
  const reader = new ByteReader(bytes)
  return { born: reader.number(), version: reader.number(), bytes: reader.rest() }
}

/** The chunk that a place belongs to; -1 for one before all. */
export function chunkOf({ chunks }: Pick<Block, 'chunks'>, place: Place): number {
  let [low, high] = [0, chunks.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (comparePlaces((chunks[middle] as Chunk).first, place) <= 0) low = middle + 1
    else high = middle
  }
  return low - 1
}

/** Rows of all that a block holds now. */
export function rowsIn({ rows, delta }: Pick<Block, 'rows' | 'delta'>): number {
  return delta.reduce((sum, { cell, isBase }) => sum + Number(!isBase) - Number(cell === undefined), rows)
}

/**
 * Requires that a block reaches a fence that is not below its own.
 *
 * @throws {Torn} where it ends before: another write has cut it, of which the block that follows was not seen yet.
 */
export function requireReach({ fence, next }: Pick<Block, 'fence' | 'next'>, at: string): void {
  if (next === undefined || compareBytes(at, next) < 0) return
  throw new Torn(`the block ${fence} ends before ${at}, and no other begins there`)
}

function smaller(bytes: Uint8Array): Uint8Array {
  const deflated = deflateRawSync(bytes)
  const isSmaller = deflated.byteLength < bytes.byteLength
  return Buffer.concat([Buffer.of(isSmaller ? DEFLATED : PLAIN), isSmaller ? deflated : bytes])
}

function unsmaller(bytes: Uint8Array): Uint8Array {
  const rest = bytes.subarray(1)
  return bytes[0] === DEFLATED ? inflateRawSync(rest) : rest
}
