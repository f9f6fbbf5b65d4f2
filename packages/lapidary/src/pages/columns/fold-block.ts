import { comparePlaces, type Place, placeText } from '../place.ts'
import type { ListEntry } from '../sorted-lists.ts'
import type { StoredNode } from '../tree/node.ts'
import type { NodeWrite } from '../tree/node-store.ts'
import {
  BLOCKS,
  type Block,
  type Chunk,
  chunkFence,
  emptyBlock,
  FIRST_COLUMN,
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

/** A block with all that is stored of it. */
export interface WholeBlock {
  readonly block: Block
  /** The places of its rows in columns. */
  readonly places: readonly KnownPlace[]
  readonly columns: readonly Column[]
  /** Nodes as they are stored, by their row and fence. */
  readonly stored: ReadonlyMap<string, StoredNode>
}

/** A row, with the texts of its facets. */
export type FullRow = Pick<ListEntry, 'place' | 'cell'>

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
  /** When it is made, in milliseconds since 1970. */
  readonly now: number
  /** Whether the block may be removed where nothing is left of it. */
  readonly mayGo: boolean
}

/** Writes rows into columns in place of a block, as one block or several. A node that stays as it was is not written. */
export function foldBlock(whole: WholeBlock, rows: readonly FullRow[], folding: Folding): readonly NodeWrite[] {
  const { block, stored } = whole
  const writes: NodeWrite[] = []
  const pieces = cutRows(block, rows, folding.sizes)
  if (pieces.length === 0 && folding.mayGo && block.buried.length === 0) {
    for (const [key, before] of stored) writes.push({ ...keyFrom(key), before, bytes: undefined })
    return writes
  }
  const own = pieces.length === 0 ? [[]] : pieces
  own.forEach((piece, i) => {
    const [first] = piece
    const before = i === 0 || first === undefined ? block : emptyBlock(placeText(first.place), folding.now)
    const buried = block.buried.filter((place) => isWithin(place, i === 0 ? undefined : first, own[i + 1]?.[0]))
    writes.push(...pieceWrites({ ...before, buried }, piece, i === 0 ? stored : new Map(), folding))
  })
  return writes
}

function isWithin(place: Place, from: FullRow | undefined, to: FullRow | undefined): boolean {
  const isAfter = from === undefined || comparePlaces(place, from.place) >= 0
  return isAfter && (to === undefined || comparePlaces(place, to.place) < 0)
}

/** Where only newer rows came, all blocks but the last are full, since little comes into them any more; else each has room for what comes next. */
function cutRows(
  { last }: Block,
  rows: readonly FullRow[],
  { blockRows }: ColumnSizes,
): readonly (readonly FullRow[])[] {
  if (rows.length === 0) return []
  if (rows.length <= blockRows * CUT_ABOVE) return [rows]
  const middle = rows[Math.floor(rows.length / 2)] as FullRow
  const isAppended = last === undefined || comparePlaces(last, middle.place) < 0 || isRun(rows, last, blockRows)
  const each = isAppended ? blockRows : Math.ceil(rows.length / Math.ceil(rows.length / blockRows))
  return Array.from({ length: Math.ceil(rows.length / each) }, (_, i) => rows.slice(i * each, (i + 1) * each))
}

/** Blocks with more rows than this times what they should have are cut. */
const CUT_ABOVE = 1.5

/** Whether at least a quarter of a block came behind what was there. */
function isRun(rows: readonly FullRow[], last: Place, blockRows: number): boolean {
  const came = rows.length - rows.findLastIndex(({ place }) => comparePlaces(place, last) <= 0) - 1
  return came >= blockRows / 4
}

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
