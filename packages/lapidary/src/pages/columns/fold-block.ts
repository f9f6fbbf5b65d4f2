import type { StoredNode } from '../tree/node.ts'
import type { NodeWrite } from '../tree/node-store.ts'
import {
  BLOCKS,
  type Block,
  type Chunk,
  chunkFence,
  emptyBlock,
  FIRST_COLUMN,
  type FullRow,
  type KnownPlace,
  PLACES,
  packBlock,
  packColumnNode,
  packPlaces,
  placesBytes,
  unpackColumnNode,
} from './block.ts'
import { cellOf, columnsOf, idIn, withId } from './cell-columns.ts'
import { type Column, packColumn } from './column.ts'
import type { ColumnSizes } from './column-sizes.ts'
import { piecesOf } from './pieces.ts'

/** A block with all that is stored of it. */
export interface WholeBlock {
  readonly block: Block
  /** The places of its rows in columns. */
  readonly places: readonly KnownPlace[]
  readonly columns: readonly Column[]
  /** Nodes as they are stored, by their row and fence. */
  readonly stored: ReadonlyMap<string, StoredNode>
}

/** Every row that a block holds, in the order of places. */
export function rowsOf({ block, places, columns }: WholeBlock): readonly FullRow[] {
  const rows: FullRow[] = []
  let next = 0
  const takeUntil = (row: number): void => {
    for (; next < row; next++) {
      const { id, ...place } = places[next] as KnownPlace
      rows.push({ place, cell: withId(cellOf(columns, next), id) })
    }
  }
  for (const { place, cell, row, isBase } of block.delta) {
    takeUntil(row)
    if (isBase) next++
    if (cell !== undefined) rows.push({ place, cell })
  }
  takeUntil(places.length)
  return rows
}

/** What a fold is made by. */
export interface Folding {
  readonly sizes: ColumnSizes
  /** How many facets have a column. */
  readonly facets: number
  /** The most blocks that are made of one. */
  readonly most: number
  /** The block before, which takes the range over where nothing is left of this one; then this one stays when not given. */
  readonly previous?: Block | undefined
}

/** A fold of one block makes two at most, which is one transaction, however many columns there are. */
export const MOST_FOLDED = 2

/** Writes rows into columns in place of a block, as one block or several. A node that stays as it was is not written. */
export function foldBlock(
  { block, stored }: Pick<WholeBlock, 'block' | 'stored'>,
  rows: readonly FullRow[],
  folding: Folding,
): readonly NodeWrite[] {
  const { previous } = folding
  if (rows.length === 0 && previous !== undefined && block.buried.length === 0) {
    const longer = { ...previous, next: block.next, latest: Math.max(previous.latest, block.latest) }
    return [
      { row: BLOCKS, fence: previous.fence, before: previous.stored, bytes: packBlock(longer) },
      ...[...stored].map(([key, before]): NodeWrite => ({ ...keyFrom(key), before, bytes: undefined })),
    ]
  }
  const pieces = piecesOf(block, rows, folding)
  const latest = block.latest + pieces.length - 1
  return pieces.flatMap((piece, i) => {
    const before = i === 0 ? block : emptyBlock(piece.fence, block.latest + i)
    const next = pieces[i + 1]?.fence ?? block.next
    const own = i === 0 ? stored : NOTHING_STORED
    return pieceWrites({ ...before, next, latest, buried: piece.buried }, piece.rows, own, folding)
  })
}

const NOTHING_STORED: ReadonlyMap<string, StoredNode> = new Map()

function pieceWrites(
  before: Block,
  rows: readonly FullRow[],
  stored: ReadonlyMap<string, StoredNode>,
  { sizes, facets }: Folding,
): readonly NodeWrite[] {
  const { fence, born } = before
  const writes: NodeWrite[] = []
  const write = (row: number, at: string, bytes: Uint8Array | undefined): void => {
    writes.push({ row, fence: at, before: stored.get(keyOf(row, at)), bytes })
  }
  const places = rows.map(({ place, cell }): KnownPlace => {
    const id = idIn(cell)
    return id === undefined ? place : { ...place, id }
  })
  const chunkRows = places.length === 0 ? 0 : chunkRowsOf(places, before, sizes)
  const chunks = Array.from({ length: chunkRows === 0 ? 0 : Math.ceil(places.length / chunkRows) }, (_, i): Chunk => {
    const own = places.slice(i * chunkRows, (i + 1) * chunkRows)
    const known = before.chunks[i]
    const at = chunkFence(before, i)
    const was = stored.get(keyOf(PLACES, at))
    const same = known && packPlaces({ born, version: known.version, places: own })
    if (known !== undefined && was !== undefined && isSame(was.bytes, same)) return known
    const version = (known?.version ?? 0) + 1
    write(PLACES, at, packPlaces({ born, version, places: own }))
    return { first: own[0] as KnownPlace, version }
  })
  before.chunks.slice(chunks.length).forEach((_, i) => {
    const at = chunkFence(before, chunks.length + i)
    if (stored.has(keyOf(PLACES, at))) write(PLACES, at, undefined)
  })
  const columns = columnsOf(rows, facets).map((texts, i) => {
    const row = FIRST_COLUMN + i
    const was = stored.get(keyOf(row, fence))
    const known = before.columns[i] ?? 0
    const bytes = packColumn(texts)
    if (was !== undefined && isSame(unpackColumnNode(was).bytes, bytes)) return known
    if (rows.length === 0) {
      if (was !== undefined) write(row, fence, undefined)
      return known
    }
    write(row, fence, packColumnNode({ born, version: known + 1, bytes }))
    return known + 1
  })
  const block = { ...before, rows: rows.length, chunkRows, chunks, last: places.at(-1), columns, delta: [] }
  write(BLOCKS, fence, packBlock(block))
  return writes
}

/** As many rows as a chunk takes that costs one read; those that it had before, where they still do. */
function chunkRowsOf(places: readonly KnownPlace[], before: Block, { chunkBytes, mostChunks }: ColumnSizes): number {
  const each = placesBytes(places).byteLength / places.length
  const most = Math.max(1, Math.floor(chunkBytes / each), Math.ceil(places.length / mostChunks))
  const known = before.chunkRows
  return known > most / 2 && known <= most && known * mostChunks >= places.length ? known : most
}

export function keyOf(row: number, fence: string): string {
  return `${row}#${fence}`
}

function keyFrom(key: string): Pick<NodeWrite, 'row' | 'fence'> {
  const end = key.indexOf('#')
  return { row: Number(key.slice(0, end)), fence: key.slice(end + 1) }
}

function isSame(a: Uint8Array, b: Uint8Array | undefined): boolean {
  return b !== undefined && Buffer.compare(a, b) === 0
}
