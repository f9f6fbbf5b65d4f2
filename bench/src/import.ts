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

/** 100,000 comments through `importItems`, each way, over plain BatchWriteItem calls with as many in flight. */
export async function importComments({ random, quick }: BenchContext): Promise<Report> {
  const count = quick ? 2_000 : 100_000
  const seed = Math.floor(random() * 2 ** 31)
  // The collection of the benches has no version: of new items both are inserted alike.
  const newer = await imported(count, seed, 'skip')
  const replace = await imported(count, seed, 'replace')
  const rate = (items: number, ms: number): number => (items / ms) * 1000
  const over = ({ ms, plain }: ImportFigures): number => rate(count, ms.library) / rate(plain, ms.plain)
  const megabytes = rounded(Math.max(newer.peakBytes, replace.peakBytes) / 2 ** 20, 0)
  const row = (way: string, figures: ImportFigures): (string | number)[] => [
    way,
    rounded(rate(count, figures.ms.library), 0),
    rounded(rate(figures.plain, figures.ms.plain), 0),
    rounded(over(figures), 3),
  ]
  return {
    tables: [
      {
        title: `Import of ${count} new comments, 6 requests in flight, items a second`,
        columns: ['way', 'importItems', 'plain BatchWriteItem', 'share'],
        rows: [
          row('`newer` or `skip`: 25 INSERTs of PartiQL in a request', newer),
          row('`replace`: BatchWriteItem', replace),
        ],
      },
    ],
    targets: [
      {
        name: 'items a second, importItems over plain BatchWriteItem',
        value: over(replace),
        limit: 0.8,
        kind: 'at least',
      },
      { name: 'the same where nothing newer is overwritten', value: over(newer), limit: 0.6, kind: 'at least' },
      { name: 'peak memory of the process, MB', value: megabytes, limit: 300, kind: 'at most' },
    ],
    figures: { count, newer, replace, megabytes },
  }
}

async function imported(count: number, seed: number, onConflict: string): Promise<ImportFigures> {
  const program = fileURLToPath(new URL('import-process.ts', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, [
    ...process.execArgv,
    ...[program, String(count), String(seed), onConflict],
  ])
  return JSON.parse(stdout) as ImportFigures
}
