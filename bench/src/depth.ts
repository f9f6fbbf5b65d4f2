import type { BenchContext } from './bench.ts'
import { PRODUCT } from './comments.ts'
import { mean, median, rounded, timed } from './measure.ts'
import type { Report } from './report.ts'

const PAGE = 20
const DEEP_PAGE = 2_000
const COMPARED = 20

/** Walks by cursor from the first page to page 2,000, and compares the pages at both ends. */
export async function depth({ quick, stored }: BenchContext): Promise<Report> {
  const { lapidary } = await stored()
  const deepest = quick ? 150 : DEEP_PAGE
  const pages: { readonly rcu: number; readonly rounds: number; readonly ms: number; readonly cursor: number }[] = []
  let cursor: string | undefined
  for (let number = 1; number <= deepest; number++) {
    const { ms, value } = await timed(() => lapidary.comments.list({ scope: PRODUCT, limit: PAGE, cursor }))
    const { actual } = value.plan
    cursor = value.cursors.next ?? undefined
    if (actual === null || cursor === undefined) throw new Error(`the list ends at page ${number}`)
    pages.push({ rcu: actual.rcu, rounds: actual.rounds, ms, cursor: cursor.length })
  }
  const ends = { first: pages.slice(1, 1 + COMPARED), last: pages.slice(-COMPARED) }
  const rows = Object.entries(ends).map(([end, some]) => [
    end === 'first' ? `2 to ${1 + COMPARED}` : `${deepest - COMPARED + 1} to ${deepest}`,
    rounded(mean(some.map(({ rcu }) => rcu)), 2),
    rounded(mean(some.map(({ rounds }) => rounds)), 2),
    rounded(median(some.map(({ ms }) => ms)), 1),
    Math.max(...some.map((one) => one.cursor)),
  ])
  return {
    tables: [
      {
        title: 'Pages by cursor, all comments',
        columns: ['page', 'RCU', 'rounds', 'ms p50', 'characters of the cursor'],
        rows,
      },
    ],
    targets: [
      {
        name: `RCU of page ${deepest} over page 1`,
        value: mean(ends.last.map(({ rcu }) => rcu)) / (pages[0]?.rcu ?? Number.NaN),
        limit: 1,
        kind: 'at most',
      },
      {
        name: 'characters of the longest cursor',
        value: Math.max(...pages.map((one) => one.cursor)),
        limit: 160,
        kind: 'at most',
      },
    ],
    figures: rows,
  }
}
