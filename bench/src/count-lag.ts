import { setTimeout as sleep } from 'node:timers/promises'
import { generateComments, PRODUCT } from './comments.ts'
import { openCountedTable, readCounters } from './counted-table.ts'
import { readRegister } from './counts-register.ts'
import { median, quantile, rounded } from './measure.ts'
import type { Random } from './random.ts'
import type { FigureTable, Target } from './report.ts'

const PER_SECOND = 200
const SAMPLE_MS = 10

/**
 * Milliseconds from the acknowledgement of a write until the count includes it, at 200 creates a second of one product. The
 * poller runs in the process that writes, as in the server; the count is sampled a hundred times a second.
 */
export async function countLag(
  random: Random,
  quick: boolean,
): Promise<{ readonly table: FigureTable; readonly targets: readonly Target[]; readonly figures: unknown }> {
  const seconds = quick ? 4 : 30
  const comments = generateComments(seconds * PER_SECOND, random)
  await using table = await openCountedTable({ leaderboard: true })
  await using _poller = await table.startPoller()
  await table.counted()

  const acknowledged: number[] = []
  const lags: number[] = []
  const startedAt = performance.now()
  const write = async (): Promise<void> => {
    const underWay: Promise<void>[] = []
    for (const [i, comment] of comments.entries()) {
      const wait = startedAt + (i / PER_SECOND) * 1000 - performance.now()
      if (wait > 0) await sleep(wait)
      underWay.push(
        table.lapidary.comments.create(comment).then(() => {
          acknowledged.push(performance.now())
        }),
      )
    }
    await Promise.all(underWay)
  }
  const { partition } = await readRegister(table.client)
  const sample = async (): Promise<void> => {
    while (lags.length < comments.length) {
      const { count_total: counted = 0 } = await readCounters(table.client, partition(PRODUCT), '~')
      const now = performance.now()
      // A write may be counted before its answer is here.
      for (const at of acknowledged.slice(lags.length, counted)) lags.push(now - at)
      await sleep(SAMPLE_MS)
    }
  }
  await Promise.all([write(), sample()])
  const rate = comments.length / (((acknowledged.at(-1) ?? 0) - startedAt) / 1000)
  const figures = {
    writes: comments.length,
    rate,
    p50: median(lags),
    p95: quantile(lags, 0.95),
    most: Math.max(...lags),
  }
  return {
    table: {
      title: `Milliseconds until a write is counted, ${PER_SECOND} creates a second for ${seconds} s, database in a file`,
      columns: ['creates a second', 'p50', 'p95', 'most'],
      rows: [[rounded(rate, 0), rounded(figures.p50, 0), rounded(figures.p95, 0), rounded(figures.most, 0)]],
    },
    targets: [
      { name: 'ms until a write is counted, median at 200 a second', value: figures.p50, limit: 1000, kind: 'at most' },
    ],
    figures,
  }
}
