import type { Column } from './column.ts'
import type { ReadBlock } from './read-blocks.ts'
import type { RowTest } from './row-test.ts'

/** Rows of each block that are kept, of so many blocks of a group, and of so many groups. */
const ROWS = 256
const BLOCKS = 8
const GROUPS = 200
/** A new figure counts as much beside what was seen before. */
const NEWEST = 1 / 8
/** How many hits the share counts for that conditions have together if each holds by itself. */
const PRIOR_HITS = 4

/** Rows of a block, spread over it: the same ones of each column that was read. */
interface Sample {
  readonly block: string
  readonly rows: number
  /** By the number of the column, each with the version that was read. */
  readonly columns: Map<number, { readonly version: number | undefined; readonly column: Column }>
}

/** What a process has seen of columns: how often conditions hold, also together, and how many bytes a value takes. */
export class ColumnSamples {
  /** The longest unused first. */
  readonly #groups = new Map<string, readonly Sample[]>()
  readonly #weights = new Map<number, number>()
  readonly #chunks = new Map<string, number>()

  learn(group: string, columns: readonly number[], blocks: readonly ReadBlock[]): void {
    const known = new Map((this.#groups.get(group) ?? []).map((sample) => [sample.block, sample]))
    for (const { block, columns: read, bytes } of blocks.slice(0, BLOCKS)) {
      if (block.rows === 0) continue
      const id = `${block.fence} ${block.born}`
      const rows = Math.min(ROWS, block.rows)
      const kept = known.get(id)
      const sample = kept?.rows === rows ? kept : { block: id, rows, columns: new Map() }
      read.forEach((column, i) => {
        const number = columns[i] as number
        const version = block.columns[number]
        // Most pages read what others have read before.
        const seen = sample.columns.get(number)
        if (seen !== undefined && seen.version === version) return
        sample.columns.set(number, { version, column: column.sample(sample.rows) })
        const weight = (bytes[i] as number) / block.rows
        const before = this.#weights.get(number) ?? weight
        this.#weights.set(number, before + (weight - before) * NEWEST)
      })
      known.delete(id)
      known.set(id, sample)
    }
    this.#groups.delete(group)
    this.#groups.set(group, [...known.values()].slice(-BLOCKS))
    if (this.#groups.size > GROUPS) this.#groups.delete(this.#groups.keys().next().value as string)
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
    const samples = this.#groups.get(group) ?? []
    const masks = samples.map(({ columns, rows }) =>
      tests.map((test) => {
        const read = test.columns.map((column) => columns.get(column)?.column)
        return read.every((column) => column !== undefined) ? test.mask(read, rows) : undefined
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
    if (first === undefined || whole.length < masks.length) continue
    rows += first.length
    for (let row = 0; row < first.length; row++) if (whole.every((mask) => mask[row] === 1)) hits += 1
  }
  return { hits, rows }
}
