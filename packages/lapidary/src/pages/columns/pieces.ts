import { comparePlaces, type Place, placeText } from '../place.ts'
import type { Block, FullRow } from './block.ts'
import { idIn, textsOf } from './cell-columns.ts'
import type { ColumnSizes } from './column-sizes.ts'
import { PLACE_BYTES } from './delta-bytes.ts'

/** A part of what a block holds, which becomes a block. */
export interface Piece {
  /** Where it begins. */
  readonly fence: string
  readonly rows: readonly FullRow[]
  readonly buried: readonly Place[]
}

/** Blocks that are fuller than this times what they should be are cut. */
const CUT_ABOVE = 1.5

/**
 * Cuts what a block holds into one piece or several. Where only newer rows came, all pieces but the last are full, since little comes into them
 * any more; else each has room for what comes next.
 */
export function piecesOf(
  block: Block,
  rows: readonly FullRow[],
  { sizes, facets, most }: { readonly sizes: ColumnSizes; readonly facets: number; readonly most: number },
): readonly [Piece, ...Piece[]] {
  const held = heldOf(rows, block.buried)
  const whole = new Fullness(sizes, facets)
  for (const each of held) whole.add(each)
  const full = whole.share
  const target =
    full <= CUT_ABOVE ? Number.POSITIVE_INFINITY : isAppended(block, rows, sizes) ? 1 : full / Math.ceil(full)
  const pieces: { fence: string; rows: FullRow[]; buried: Place[] }[] = [{ fence: block.fence, rows: [], buried: [] }]
  let own = new Fullness(sizes, facets)
  for (const each of held) {
    if (own.share >= target && pieces.length < most) {
      pieces.push({ fence: placeText(each.place), rows: [], buried: [] })
      own = new Fullness(sizes, facets)
    }
    own.add(each)
    const piece = pieces.at(-1)
    if (each.cell === undefined) piece?.buried.push(each.place)
    else piece?.rows.push({ place: each.place, cell: each.cell })
  }
  return pieces as readonly Piece[] as readonly [Piece, ...Piece[]]
}

/** A row, or without a cell a place that is remembered as removed. */
interface Held {
  readonly place: Place
  readonly cell: string | undefined
}

function heldOf(rows: readonly FullRow[], buried: readonly Place[]): readonly Held[] {
  if (buried.length === 0) return rows
  const all: Held[] = [...rows, ...buried.map((place) => ({ place, cell: undefined }))]
  return all.sort((a, b) => comparePlaces(a.place, b.place))
}

/** Tells how full a block is of what is added, 1 being full. */
class Fullness {
  readonly #sizes: ColumnSizes
  readonly #columns: number[]
  #rows = 0
  #bytes = 0
  #columnBytes = 0
  #buriedBytes = 0

  constructor(sizes: ColumnSizes, facets: number) {
    this.#sizes = sizes
    this.#columns = Array.from({ length: facets }, () => 0)
  }

  get share(): number {
    const { blockRows, blockBytes, columnBytes, buriedBytes } = this.#sizes
    return Math.max(
      ...[this.#rows / blockRows, this.#bytes / blockBytes],
      ...[this.#columnBytes / columnBytes, this.#buriedBytes / buriedBytes],
    )
  }

  add({ place, cell }: Held): void {
    const placeBytes = PLACE_BYTES + Buffer.byteLength(place.member)
    if (cell === undefined) {
      this.#buriedBytes += placeBytes
      return
    }
    this.#rows += 1
    this.#bytes += placeBytes + Buffer.byteLength(idIn(cell) ?? '')
    const texts = textsOf(cell)
    for (let i = 0; i < this.#columns.length; i++) {
      const bytes = Buffer.byteLength(texts[i] ?? '')
      this.#bytes += bytes
      this.#columns[i] = (this.#columns[i] as number) + bytes
      this.#columnBytes = Math.max(this.#columnBytes, this.#columns[i] as number)
    }
  }
}

function isAppended({ last }: Block, rows: readonly FullRow[], { blockRows }: ColumnSizes): boolean {
  const middle = rows[Math.floor(rows.length / 2)]
  if (last === undefined || middle === undefined) return true
  return comparePlaces(last, middle.place) < 0 || isRun(rows, last, blockRows)
}

/** Whether at least a quarter of a block came behind what was there. */
function isRun(rows: readonly FullRow[], last: Place, blockRows: number): boolean {
  const came = rows.length - rows.findLastIndex(({ place }) => comparePlaces(place, last) <= 0) - 1
  return came >= blockRows / 4
}
