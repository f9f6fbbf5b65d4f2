import { pageMarkers, segments } from 'lapidary'
import type { WriteShares } from 'lapidary-adviser'
import { seededRandom } from 'lapidary-testing'
import { expect, test } from 'vitest'
import { DOMAINS } from '../../../bench/src/adviser/domains.ts'
import { measuredPages } from '../../../bench/src/adviser/measured-pages.ts'
import { testEngines } from '../../../test/engines/index.ts'
import { charged } from './charged.ts'

const [engine] = testEngines()
const { orders } = DOMAINS
if (engine === undefined || orders === undefined) throw new Error('there is no engine, or no domain')

const MIXED = { create: 0.9, delete: 0.05, edit: { status: 0.05 } }

// The bench has more sizes, mixes and domains.
test.each<['dynamodb' | 'page-markers', number, number, WriteShares]>([
  ['dynamodb', 120, 1, MIXED],
  ['dynamodb', 4_200, 12, MIXED],
  ['page-markers', 120, 1, MIXED],
  ['page-markers', 2_400, 4, { create: 1 }],
])('%s, case %#: a write and a look-up take what is measured', async (name, items, together, writes) => {
  const random = seededRandom(7)
  const load = { store: name === 'dynamodb' ? segments() : pageMarkers(), name, items, together, writes }
  const measured = await measuredPages(charged(engine), orders(random, 7), load, random)
  const { expected } = measured
  expect(Math.abs(expected.unitsPerLookUp / measured.unitsPerLookUp - 1), 'read units').toBeLessThan(0.1)
  expect(Math.abs(expected.unitsPerWrite / measured.unitsPerWrite - 1), 'write units').toBeLessThan(0.1)
})
