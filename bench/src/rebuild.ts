import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { BenchContext } from './bench.ts'
import { generateComments } from './comments.ts'
import { openCountedTable } from './counted-table.ts'
import { mean, rounded } from './measure.ts'
import type { Report } from './report.ts'
import { entryOf, storeComments } from './stored-comments.ts'

const PRODUCTS = 500
/** Small enough that garbage is collected and what is left shows. */
const HEAP = '--max-old-space-size=128'
const MEGABYTE = 2 ** 20

interface RebuildFigures {
  readonly items: number
  readonly mended: number
  readonly differenceCount: number
  readonly capacity: number
  readonly ms: number
  readonly reports: number
  readonly longestSilenceMs: number
  readonly bytesBefore: number
  /** Bytes of the process, ten times a second. */
  readonly memory: readonly number[]
}

/** Statistics made from nothing: 100,000 comments that no projection has seen. */
export async function rebuild({ random, quick }: BenchContext): Promise<Report> {
  const count = quick ? 3_000 : 100_000
  await using table = await openCountedTable()
  const comments = generateComments(count, random).map((comment, i) => ({ ...comment, productId: `p${i % PRODUCTS}` }))
  await storeComments(table.client, comments.map(entryOf), 8)
  const program = fileURLToPath(new URL('rebuild-process.ts', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, [HEAP, ...process.execArgv, program, table.folder], {
    maxBuffer: 16 * MEGABYTE,
  })
  const figures = JSON.parse(stdout) as RebuildFigures
  if (figures.items !== count) throw new Error(`${figures.items} of ${count} comments were counted`)
  const { memory, bytesBefore, ms, longestSilenceMs } = figures
  const half = Math.ceil(memory.length / 2)
  const megabytes = (bytes: number): number => rounded(bytes / MEGABYTE, 0)
  const peak = Math.max(bytesBefore, ...memory)
  return {
    tables: [
      {
        title: `Rebuild of the statistics of ${count} comments of ${PRODUCTS} products, in a process of its own with a heap of 128 MB at most`,
        columns: [
          's',
          'comments a second',
          'capacity units',
          'MB before',
          'MB in the first half',
          'in the second',
          'most',
        ],
        rows: [
          [
            rounded(ms / 1000, 1),
            rounded((count / ms) * 1000, 0),
            rounded(figures.capacity, 0),
            megabytes(bytesBefore),
            megabytes(mean(memory.slice(0, half))),
            megabytes(mean(memory.slice(half))),
            megabytes(peak),
          ],
        ],
      },
    ],
    targets: [
      { name: 'ms between reports of progress, at most', value: longestSilenceMs, limit: 1000, kind: 'at most' },
      {
        name: 'MB that the rebuild added to its process',
        value: megabytes(peak - bytesBefore),
        limit: 150,
        kind: 'at most',
      },
    ],
    figures: { ...figures, memory: memory.map(megabytes) },
  }
}
