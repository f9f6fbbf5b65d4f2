import type { Column } from './column.ts'
import type { ReadBlock } from './read-blocks.ts'
import type { RowTest } from './row-test.ts'

/** Rows of each block that are kept, of so many blocks of a column, and of so many groups. */
const ROWS = 256
const BLOCKS = 8
const GROUPS = 200
/** A new figure counts as much beside what was seen before. */
const NEWEST = 1 / 8
/** How many hits the share counts for that conditions have together if each holds by itself. */
const PRIOR_HITS = 4

/** Rows of a column of a block, spread over it: the same ones of each column of the block. */
interface Sample {
  readonly version: number | undefined
  readonly column: Column
}

/** By block, the longest unread first. */
type ColumnSample = Map<string, Sample>

/** What a process has seen of columns: how often conditions hold, also together, and how many bytes a value takes. */
export class ColumnSamples {
  /** By group and number of the column; the longest unused group first. */
  readonly #groups = new Map<string, Map<number, ColumnSample>>()
  readonly #weights = new Map<number, number>()
  readonly #chunks = new Map<string, number>()

  learn(group: string, columns: readonly number[], blocks: readonly ReadBlock[]): void {
    const known = this.#groups.get(group) ?? new Map<number, ColumnSample>()
    this.#groups.delete(group)
    this.#groups.set(group, known)
    if (this.#groups.size > GROUPS) this.#groups.delete(this.#groups.keys().next().value as string)
    for (const { block, columns: read, bytes } of spread(blocks.filter(({ block: { rows } }) => rows > 0))) {
      const id = `${block.fence} ${block.born}`
      const rows = Math.min(ROWS, block.rows)
      read.forEach((column, i) => {
        const number = columns[i] as number
        const samples: ColumnSample = known.get(number) ?? new Map()
        known.set(number, samples)
        const version = block.columns[number]
        const seen = samples.get(id)
        samples.delete(id)
        // Most pages read what others have read before.
        const isSame = seen !== undefined && seen.version === version && seen.column.rows === rows
        samples.set(id, isSame ? seen : { version, column: column.sample(rows) })
        if (samples.size > BLOCKS) samples.delete(samples.keys().next().value as string)
        if (isSame) return
        const weight = (bytes[i] as number) / block.rows
        const before = this.#weights.get(number) ?? weight
        this.#weights.set(number, before + (weight - before) * NEWEST)
      })
    }
  }

  /** Told how many chunks of places had the places of some rows. */
  placed(group: string, rows: number, chunks: number): void {
    if (rows === 0) return
    const before = this.#chunks.get(group) ?? chunks / rows
    this.#chunks.delete(group)
    this.#chunks.set(group, before + (chunks / rows - before) * NEWEST)
    if (this.#chunks.size > GROUPS) this.#chunks.delete(this.#chunks.keys().next().value as string)
  }

  /** How many chunks a row's place takes: less than one where rows that are found lie together. */
  chunksOf(group: string): number {
    return this.#chunks.get(group) ?? 1
  }

  /** Bytes that a value of a column takes; undefined before one was read. */
  weightOf(column: number): number | undefined {
    return this.#weights.get(column)
  }

  /**
   * The share of rows that pass all of some tests: as if each passed by itself, and by the rows that were seen. With the mean p of the former and
   * h hits as its weight, that is the mean of a gamma distribution, `(h + hits) / (h / p + rows)`.
   *
   * @param expected The share that is taken for a test of whose columns nothing was read, by its place.
   */
  shareOf(group: string, tests: readonly RowTest[], expected: (test: number) => number): number {
    const known = this.#groups.get(group)
    const blocks = new Set(
      tests.flatMap(({ columns }) => columns.flatMap((each) => [...(known?.get(each)?.keys() ?? [])])),
    )
    const masks = [...blocks].map((block) =>
      tests.map((test) => {
        const read = test.columns.map((column) => known?.get(column)?.get(block)?.column)
        const rows = read[0]?.rows ?? 0
        return read.every((column) => column?.rows === rows) ? test.mask(read as readonly Column[], rows) : undefined
      }),
    )
    const apart = tests.reduce((share, _, i) => {
      const { hits, rows } = hitsOf(masks.map((each) => each.slice(i, i + 1)))
      return share * (rows === 0 ? expected(i) : Math.max(hits, 0.5) / rows)
    }, 1)
    const { hits, rows } = hitsOf(masks)
    return apart === 0 ? 0 : (PRIOR_HITS + hits) / (PRIOR_HITS / apart + rows)
  }
}

/** Rows that all masks of a sample mark, of the samples that have all of them. */
function hitsOf(samples: readonly (readonly (Uint8Array | undefined)[])[]): {
  readonly hits: number
  readonly rows: number
} {
  let [hits, rows] = [0, 0]
  for (const masks of samples) {
    const whole = masks.filter((mask) => mask !== undefined)
    const [first] = whole
    // A block may have been written between two reads of it.
    const isWhole = whole.length === masks.length && whole.every(({ length }) => length === first?.length)
    if (first === undefined || !isWhole) continue
    rows += first.length
    for (let row = 0; row < first.length; row++) if (whole.every((mask) => mask[row] === 1)) hits += 1
  }
  return { hits, rows }
}

/** So many blocks as are kept, spread over those that were read, and the same ones each time. */
function spread(blocks: readonly ReadBlock[]): readonly ReadBlock[] {
  const step = Math.max(1, blocks.length / BLOCKS)
  return Array.from({ length: Math.min(BLOCKS, blocks.length) }, (_, i) => blocks[Math.floor(i * step)] as ReadBlock)
}
