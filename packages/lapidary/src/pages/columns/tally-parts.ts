import { comparePlaces, type Place } from '../place.ts'
import type { Block, DeltaRow } from './block.ts'
import { textsOf } from './cell-columns.ts'
import type { ChunkReader } from './chunk-reader.ts'
import type { Column } from './column.ts'
import type { CutBlock, Passing } from './cut-blocks.ts'

/** Parts of a range, each of which is counted by itself. */
export interface PartsAsked {
  /** Columns whose texts are counted in each part. */
  readonly columns: readonly number[]
  /** Where parts begin, in ascending order and the first not above `first`, given the first and the last place that blocks of the range hold. */
  starts(first: Place, last: Place): readonly Place[]
}

/** What is counted of a part. */
export interface PartTally {
  readonly start: Place
  /** Entries that pass, and all. */
  total: number
  entries: number
  /** How many entries have each text, in the order of the columns. */
  readonly counts: readonly Map<string, number>[]
}

/** Counts the entries of each part. A part that begins inside a block takes a look at the places there. */
export class PartsTally {
  readonly parts: readonly PartTally[]
  readonly #chunks: ChunkReader
  readonly #columns: readonly number[]

  constructor({ columns, starts }: PartsAsked, blocks: readonly CutBlock[], chunks: ChunkReader) {
    const [first, last] = endsOf(blocks.map(({ read }) => read.block))
    const begins = first === undefined || last === undefined ? [] : starts(first, last)
    this.#columns = columns
    this.#chunks = chunks
    this.parts = begins.map((start) => ({ start, total: 0, entries: 0, counts: columns.map(() => new Map()) }))
  }

  async add(
    { read: { block } }: CutBlock,
    { mask, changed }: Passing,
    columnOf: (column: number) => Column,
  ): Promise<void> {
    for (const row of changed) this.#addRow(row)
    for (const { place, cell } of block.delta) {
      const part = this.parts[this.#partAt(place)]
      if (cell !== undefined && part !== undefined) part.entries += 1
    }
    const [first, last] = [block.chunks[0]?.first, block.last]
    if (first === undefined || last === undefined) return
    const begun = this.#partAt(first)
    const inside: PartTally[] = []
    for (let i = begun + 1; i < this.parts.length; i++) {
      const part = this.parts[i] as PartTally
      if (comparePlaces(part.start, last) > 0) break
      inside.push(part)
    }
    const rows = await Promise.all(inside.map(({ start }) => this.#chunks.rowAt(block, start)))
    const held = [this.parts[begun], ...inside]
    held.forEach((part, i) => {
      const [from, to] = [rows[i - 1] ?? 0, rows[i] ?? block.rows]
      if (part === undefined) return
      const changedRows = block.delta.filter(({ isBase, row }) => isBase && row >= from && row < to).length
      part.entries += to - from - changedRows
      this.#addRows(part, mask, { from, to }, columnOf)
    })
  }

  #addRows(
    part: PartTally,
    mask: Uint8Array,
    { from, to }: Pick<CutBlock, 'from' | 'to'>,
    columnOf: (column: number) => Column,
  ): void {
    const own = new Uint8Array(mask.length)
    own.set(mask.subarray(from, to), from)
    for (const each of own) part.total += each
    this.#columns.forEach((column, i) => {
      for (const [text, count] of columnOf(column).tally(own)) add(part.counts[i], text, count)
    })
  }

  #addRow({ place, cell = '' }: DeltaRow): void {
    const part = this.parts[this.#partAt(place)]
    if (part === undefined) return
    part.total += 1
    const texts = textsOf(cell)
    this.#columns.forEach((column, i) => void add(part.counts[i], texts[column] ?? '', 1))
  }

  /** The part that a place is in; -1 for one before all. */
  #partAt(place: Place): number {
    let [low, high] = [0, this.parts.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (comparePlaces((this.parts[middle] as PartTally).start, place) <= 0) low = middle + 1
      else high = middle
    }
    return low - 1
  }
}

function add(counts: Map<string, number> | undefined, text: string, count: number): void {
  counts?.set(text, (counts.get(text) ?? 0) + count)
}

/** The first and the last place that some blocks in ascending order hold; undefined where they hold none. */
function endsOf(blocks: readonly Block[]): readonly [Place | undefined, Place | undefined] {
  const places = blocks.flatMap(({ chunks, last, delta }) => [
    ...[chunks[0]?.first, last].filter((place) => place !== undefined),
    ...delta.filter(({ cell }) => cell !== undefined).map(({ place }) => place),
  ])
  places.sort(comparePlaces)
  return [places[0], places.at(-1)]
}
