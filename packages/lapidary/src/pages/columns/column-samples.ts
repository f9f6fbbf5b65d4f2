import type { ReadBlock } from './read-blocks.ts'
import type { RowTest } from './row-test.ts'

/** Rows of each block that are kept, of so many blocks of a group, and of so many groups. */
const ROWS = 128
const BLOCKS = 8
const GROUPS = 200
/** A new figure counts as much beside what was seen before. */
const NEWEST = 1 / 8

/** Rows of a block, spread over it: the same ones of each column that was read. */
interface Sample {
  readonly block: string
  readonly rows: number
  /** By the number of the column. */
  readonly texts: Map<number, readonly string[]>
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
      const id = `${block.fence} ${block.born} ${block.rows}`
      const sample = known.get(id) ?? { block: id, rows: Math.min(ROWS, block.rows), texts: new Map() }
      const step = block.rows / sample.rows
      read.forEach((column, i) => {
        const texts = Array.from({ length: sample.rows }, (_, row) => column.textOf(Math.floor(row * step)))
        sample.texts.set(columns[i] as number, texts)
        const weight = (bytes[i] as number) / block.rows
        const before = this.#weights.get(columns[i] as number) ?? weight
        this.#weights.set(columns[i] as number, before + (weight - before) * NEWEST)
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
   * The share of rows that pass all of some tests: as if each passed by itself, and by the rows that were seen. With the mean p of the former and one
   * hit as its weight, that is the mean of a gamma distribution, `(1 + hits) / (1 / p + rows)`.
   *
   * @param expected The share that is taken for a test of whose columns nothing was read, by its place.
   */
  shareOf(group: string, tests: readonly RowTest[], expected: (test: number) => number): number {
    const samples = this.#groups.get(group) ?? []
    const apart = tests.reduce((share, test, i) => {
      const { hits, rows } = hitsOf(samples, [test])
      return share * (rows === 0 ? expected(i) : Math.max(hits, 0.5) / rows)
    }, 1)
    const { hits, rows } = hitsOf(samples, tests)
    return apart === 0 ? 0 : (1 + hits) / (1 / apart + rows)
  }
}

function hitsOf(
  samples: readonly Sample[],
  tests: readonly RowTest[],
): { readonly hits: number; readonly rows: number } {
  let [hits, rows] = [0, 0]
  for (const sample of samples) {
    if (!tests.every(({ columns }) => columns.every((column) => sample.texts.has(column)))) continue
    rows += sample.rows
    for (let row = 0; row < sample.rows; row++) {
      const texts: string[] = []
      for (const [column, own] of sample.texts) texts[column] = own[row] as string
      if (tests.every((test) => test.passes(texts))) hits += 1
    }
  }
  return { hits, rows }
}
