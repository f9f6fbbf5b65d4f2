import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { BenchContext } from './bench.ts'
import { rounded } from './measure.ts'
import type { Report } from './report.ts'

interface ImportFigures {
  /** Items through the library, and by plain calls. */
  readonly count: number
  readonly plain: number
  readonly ms: { readonly library: number; readonly plain: number }
  readonly peakBytes: number
}

/** 100,000 comments through `importItems` over plain BatchWriteItem calls with as many in flight. */
export async function importComments({ random, quick }: BenchContext): Promise<Report> {
  const count = quick ? 2_000 : 100_000
  const seed = Math.floor(random() * 2 ** 31)
  const program = fileURLToPath(new URL('import-process.ts', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, [
    ...process.execArgv,
    program,
    String(count),
    String(seed),
  ])
  const { ms, plain, peakBytes } = JSON.parse(stdout) as ImportFigures
  const rates = { library: (count / ms.library) * 1000, plain: (plain / ms.plain) * 1000 }
  const megabytes = rounded(peakBytes / 2 ** 20, 0)
  return {
    tables: [
      {
        title: `Import of ${count} comments, 6 requests in flight`,
        columns: ['way', 'items a second'],
        rows: [
          ['importItems', rounded(rates.library, 0)],
          ['plain BatchWriteItem', rounded(rates.plain, 0)],
        ],
      },
    ],
    targets: [
      {
        name: 'items a second, importItems over plain BatchWriteItem',
        value: rates.library / rates.plain,
        limit: 0.8,
        kind: 'at least',
      },
      { name: 'peak memory of the process, MB', value: megabytes, limit: 300, kind: 'at most' },
    ],
    figures: { count, plain, ms, megabytes },
  }
}
