import { expect, test } from 'vitest'
import { seededRandom } from '../../packages/lapidary/src/model/seeded-random.ts'
import { chaos } from './chaos.ts'

/** A longer run by hand: `CHAOS_REQUESTS=20000 CHAOS_SEED=7 npx vitest run test/chaos`; `npm run bench -- chaos` prints one. */
const SEED = Number(process.env.CHAOS_SEED ?? Date.now() % 1_000_000)
const REQUESTS = Number(process.env.CHAOS_REQUESTS ?? 300)
const TROUBLE = { throttled: 0.15, lost: 0.02 }

test.each(['indexes', 'power-set'] as const)(
  `${REQUESTS} requests to a database that throttles 15 % of all calls get no 500, and nothing is lost or wrong, in %s (seed ${SEED})`,
  { timeout: 600_000 + REQUESTS * 500 },
  async (layout) => {
    const report = await chaos({ layout, requests: REQUESTS, trouble: TROUBLE, draw: seededRandom(SEED) })
    console.log(`seed ${SEED}: ${JSON.stringify(report.answers)}, befallen: ${JSON.stringify(report.befallen)}`)
    expect(report.wrong).toEqual([])
    const statuses = Object.values(report.answers).flatMap((byStatus) => Object.keys(byStatus))
    expect(statuses).not.toContain('500')
    const { befallen, calls } = report
    for (const operation of ['Query', 'GetItem', 'TransactWriteItems'])
      expect(befallen[operation] ?? 0, operation).toBeGreaterThan(0)
    const sum = (of: object): number => Object.values(of).reduce((total: number, n: number) => total + n, 0)
    expect(sum(befallen) / sum(calls)).toBeGreaterThan(0.1)
  },
)
