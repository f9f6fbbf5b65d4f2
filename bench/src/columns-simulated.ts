import { columnBytes, placeBytes } from 'lapidary-testing'
import type { BenchContext } from './bench.ts'
import { columnsData, columnsFilter, FACETS, MIXES, type Mix } from './columns-data.ts'
import { mean, rounded } from './measure.ts'
import { type Random, seededRandom } from './random.ts'
import type { Report } from './report.ts'

const PAGE = 20
const ITEM_BYTES = 500
const READ_UNIT = 4_096
const CHUNK_BYTES = 3_500
/** What a block's own node takes beside the places of its chunks and its delta. */
const BLOCK_HEAD_BYTES = 90
const FENCE_BYTES = 16
/** A changed row in a delta, as deflated together with others. */
const DELTA_ROW_BYTES = 34
const BLOCK_ROWS = [500, 1_000, 2_000, 4_000, 8_000] as const
const CHOSEN_ROWS = 4_000
/** Bytes of a delta above which it is folded into the columns. */
const DELTA_BYTES = [512, 1_024, 2_048, 4_096] as const
const CHOSEN_DELTA = 1_024
/** Standard deviations by which a first read is longer than what a page should take. */
const MARGINS = [0, 0.5, 1, 2] as const
const CHOSEN_MARGIN = 1

/** A scope as blocks of so many rows: what its columns weigh. */
interface Blocks {
  readonly rows: number
  /** By facet, the oldest block first. */
  readonly bytes: readonly (readonly number[])[]
  readonly chunksEach: number
}

interface Taken {
  readonly page: number
  readonly count: number
  readonly rounds: number
  readonly index: number
  readonly all: number
}

/** Shows what block size, deltas and the order of reading make of columns, simulated with the encoding that they have. */
export async function columnsSimulated({ random, quick }: BenchContext): Promise<Report> {
  const filters = quick ? 30 : 300
  const largest = quick ? 100_000 : 1_000_000
  const sizes = [10_000, 100_000, 1_000_000].filter((items) => items <= largest)
  const byRows: (readonly (string | number)[])[] = []
  const data = columnsData(100_000, 'uniform', random)
  for (const rows of BLOCK_ROWS) {
    const blocks = blocksOf(data, rows)
    for (const narrowed of [3, 5, 8]) {
      const taken = takenBy(data, blocks, narrowed, { filters, margin: CHOSEN_MARGIN })
      byRows.push([rows, narrowed, ...shown(taken), rounded(writesOf(blocks, CHOSEN_DELTA).anywhere)])
    }
  }
  const byMargin = MARGINS.map((margin) => {
    const taken = takenBy(data, blocksOf(data, CHOSEN_ROWS), 5, { filters, margin })
    return [margin, rounded(taken.page, 1), rounded(taken.rounds)]
  })
  const byDelta = DELTA_BYTES.map((delta) => {
    const blocks = blocksOf(data, CHOSEN_ROWS)
    const { newest, anywhere } = writesOf(blocks, delta)
    return [delta, rounded(unitsOf((blocks.bytes[0]?.length ?? 0) * (delta / 2))), rounded(newest), rounded(anywhere)]
  })
  const bySize: (readonly (string | number)[])[] = []
  for (const items of sizes) {
    for (const mix of MIXES) bySize.push(...sizeRows(items, mix, seededRandom(items + MIXES.indexOf(mix)), filters))
  }
  return {
    tables: [
      {
        title: `Rows of a block: RCU among 100,000 items, ${FACETS.length} facets of 2 to 100 values, ${filters} filters each, simulated`,
        columns: ['rows of a block', 'facets narrowed', 'page of 20', 'rounds', 'exact count', 'WCU a change anywhere'],
        rows: byRows,
      },
      {
        title: 'Margin of the first read, in standard deviations, 5 facets narrowed among 100,000',
        columns: ['margin', 'page of 20', 'rounds'],
        rows: byMargin,
      },
      {
        title:
          'Bytes of a full delta: RCU that half-full ones add to an exact count, and WCU a change in batches of 25',
        columns: ['bytes', 'RCU of deltas', 'WCU newest end', 'WCU anywhere'],
        rows: byDelta,
      },
      {
        title: `Blocks of ${CHOSEN_ROWS}, by size and mix`,
        columns: [
          'items',
          'mix',
          'narrowed',
          'page of 20',
          'rounds',
          'exact count',
          'one index and a filter',
          'all and a filter',
        ],
        rows: bySize,
      },
    ],
    targets: [],
    figures: { byRows, byMargin, byDelta, bySize },
  }
}

function sizeRows(items: number, mix: Mix, random: Random, filters: number): readonly (readonly (string | number)[])[] {
  const data = columnsData(items, mix, random)
  const blocks = blocksOf(data, CHOSEN_ROWS)
  return [3, 5, 8].map((narrowed) => {
    const taken = takenBy(data, blocks, narrowed, { filters, margin: CHOSEN_MARGIN })
    return [items, mix, narrowed, ...shown(taken), rounded(taken.index, 0), rounded(taken.all, 0)]
  })
}

function shown({ page, rounds, count }: Taken): readonly number[] {
  return [rounded(page, 1), rounded(rounds), rounded(count, 1)]
}

function blocksOf(data: readonly Uint8Array[], rows: number): Blocks {
  const items = data[0]?.length ?? 0
  const count = Math.ceil(items / rows)
  const bytes = data.map((column) =>
    Array.from({ length: count }, (_, block) => {
      const values = column.subarray(block * rows, (block + 1) * rows)
      return columnBytes(Array.from(values, (value) => `v${value}`)) + 8
    }),
  )
  const places = Array.from({ length: rows }, (_, i) => {
    return { score: 1_750_000_000_000 + i * 61_007, member: `o${((i * 2_654_435_761) % 2 ** 32).toString(36)}` }
  })
  return { rows, bytes, chunksEach: Math.ceil(placeBytes(places) / CHUNK_BYTES) }
}

function unitsOf(bytes: number): number {
  return 0.5 * Math.max(1, Math.ceil(bytes / READ_UNIT))
}

/** Means over filters. */
function takenBy(
  data: readonly Uint8Array[],
  blocks: Blocks,
  narrowed: number,
  { filters, margin }: { readonly filters: number; readonly margin: number },
): Taken {
  const random = seededRandom(narrowed * 1_000 + blocks.rows)
  const items = data[0]?.length ?? 0
  const all = Array.from({ length: filters }, () => {
    const filter = columnsFilter(narrowed, random)
    const shares = [...filter].map(([facet, wanted]) => shareOf(data[facet] as Uint8Array, wanted))
    const share = Math.max(
      1 / items,
      shares.reduce((product, each) => product * each, 1),
    )
    const wanted = [...filter].map(([facet, values]) => [data[facet] as Uint8Array, values] as const)
    const found: number[] = []
    for (let row = items - 1; row >= 0 && found.length <= PAGE; row--) {
      if (wanted.every(([column, values]) => values.has(column[row] as number))) found.push(row)
    }
    const depth = found.length > PAGE ? items - (found[PAGE] as number) : items
    const first = Math.min(items, (PAGE + 1 + margin * Math.sqrt(PAGE)) / share)
    const read = Math.max(first, depth)
    const rounds = depth > first ? 4 : 3
    const shown = found.slice(0, PAGE)
    const chunkRows = blocks.rows / blocks.chunksEach
    const chunks = new Set(shown.map((row) => Math.floor(row / chunkRows))).size
    return {
      page: columnsUnits(blocks, [...filter.keys()], Math.ceil(read / blocks.rows)) + chunks * 0.5 + shown.length * 0.5,
      count: columnsUnits(blocks, [...filter.keys()], Math.ceil(items / blocks.rows)),
      rounds,
      index: unitsOf(depth * Math.min(...shares) * ITEM_BYTES),
      all: unitsOf(depth * ITEM_BYTES),
    }
  })
  return {
    page: mean(all.map(({ page }) => page)),
    count: mean(all.map(({ count }) => count)),
    rounds: mean(all.map(({ rounds }) => rounds)),
    index: mean(all.map(({ index }) => index)),
    all: mean(all.map((each) => each.all)),
  }
}

function shareOf(column: Uint8Array, wanted: ReadonlySet<number>): number {
  let count = 0
  for (const value of column) if (wanted.has(value)) count++
  return count / column.length
}

/** RCU of the newest blocks: each column is read by one Query, and so are the blocks' own nodes. */
function columnsUnits({ bytes, chunksEach }: Blocks, facets: readonly number[], read: number): number {
  const heads = unitsOf(read * (BLOCK_HEAD_BYTES + chunksEach * FENCE_BYTES))
  return facets.reduce((sum, facet) => {
    const newest = (bytes[facet] as readonly number[]).slice(-read)
    return sum + unitsOf(newest.reduce((a, b) => a + b, 0))
  }, heads)
}

/** WCU a change in batches of 25 of one scope: deltas that are written in transactions, and folds of full ones. */
function writesOf(
  { bytes, chunksEach }: Blocks,
  delta: number,
): { readonly newest: number; readonly anywhere: number } {
  const batch = 25
  const head = BLOCK_HEAD_BYTES + chunksEach * FENCE_BYTES
  const kilobytes = (size: number): number => 2 * Math.max(1, Math.ceil(size / 1_024))
  const columns = bytes.reduce((sum, column) => sum + kilobytes(column[0] ?? 0), 0)
  const full = Math.max(1, delta / DELTA_ROW_BYTES)
  const fold = (chunks: number): number => columns + chunks * kilobytes(CHUNK_BYTES) + kilobytes(head)
  const newest = kilobytes(head + Math.max(delta / 2, (batch * DELTA_ROW_BYTES) / 2)) / batch
  const mark = 2 / batch
  return {
    newest: mark + newest + fold(2) / Math.max(full, batch),
    anywhere: mark + kilobytes(head + delta / 2) + fold(chunksEach) / full,
  }
}
