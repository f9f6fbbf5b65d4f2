import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { paceOf } from '../../src/database/database.ts'

const SECONDS_A_MONTH = 730 * 3_600
const SHARDS = 4

/** In dollars, us-east-1, on demand. */
const PRICES = { reads: 0.02 / 100_000, freeReads: 2_500_000, write: 0.625 / 1_000_000 }

test('the documents say what a process without anything to count costs on AWS', () => {
  const { quietMs, leaseMs } = paceOf({})
  const reads = SHARDS * (1_000 / quietMs) * SECONDS_A_MONTH
  const leases = SHARDS * (1_000 / (leaseMs / 2)) * SECONDS_A_MONTH
  const row = (what: string, times: number, price: number): string =>
    `| ${what} | ${(times / 1e6).toFixed(1)} million | $${price.toFixed(2)} |`
  const costs = readFileSync(new URL('../../../../docs/costs.md', import.meta.url), 'utf8')
  expect(costs).toContain(row('`GetRecords`', reads, (reads - PRICES.freeReads) * PRICES.reads))
  expect(costs).toContain(row('renewals of leases', leases, leases * PRICES.write))
})
