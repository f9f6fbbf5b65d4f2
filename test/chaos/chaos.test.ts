import { expect, test } from 'vitest'
import { chaos } from './chaos.ts'
import { TROUBLE } from './trouble.ts'

/** A longer run by hand: `npm run test:long -- test/chaos`, or `CHAOS_SECONDS=600 CHAOS_SEED=7 npx vitest run test/chaos`. */
const SEED = Number(process.env.CHAOS_SEED ?? Date.now() % 1_000_000)
const SECONDS = Number(process.env.CHAOS_SECONDS ?? 16)

test.each(['indexes', 'power-set'] as const)(
  `${SECONDS} s of requests to two processes that are killed and stopped, in a hostile environment, get no 500, and nothing is lost or wrong, in %s (seed ${SEED})`,
  { timeout: 1_200_000 + SECONDS * 4_000 },
  async (layout) => {
    const requests = Number.POSITIVE_INFINITY
    const report = await chaos({ layout, requests, milliseconds: SECONDS * 500, trouble: TROUBLE, seed: SEED })
    console.log(
      `seed ${SEED}: ${JSON.stringify(report.answers)}, ${JSON.stringify(report.injected)}, ${JSON.stringify(report.happened)}`,
    )
    expect(report.wrong).toEqual([])
    const statuses = Object.values(report.answers).flatMap((byStatus) => Object.keys(byStatus))
    expect(statuses).not.toContain('500')
    const { befallen, calls, happened } = report
    for (const operation of ['Query', 'GetItem', 'TransactWriteItems'])
      expect(befallen[operation] ?? 0, operation).toBeGreaterThan(0)
    const sum = (of: object): number => Object.values(of).reduce((total: number, n: number) => total + n, 0)
    expect(sum(befallen) / sum(calls)).toBeGreaterThan(0.05)
    expect(happened.kills + happened.stops).toBeGreaterThan(0)
  },
)
