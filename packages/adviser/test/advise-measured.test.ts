import { type Collection, defineCollection, indexes, oneOf } from 'lapidary'
import { deflated, trainDictionary } from 'lapidary/codecs'
import { advise, priceLayout, TIED } from 'lapidary-adviser'
import { seededRandom } from 'lapidary-testing'
import { describe, expect, test } from 'vitest'
import { anySchema } from '../../../bench/src/adviser/any-schema.ts'
import { measuredLoad, scenarioOf } from '../../../bench/src/adviser/measured-load.ts'
import { randomWorkload } from '../../../bench/src/adviser/random-workload.ts'
import { drawFrom, filling, idOf, type Shares, type WorkloadCase } from '../../../bench/src/adviser/workload-case.ts'
import { testEngines } from '../../../test/engines/index.ts'
import { charged } from './charged.ts'
import { LAYOUTS, measuredPrice, type Rival, rivalsOf } from './rivals.ts'

const [engine, ...others] = testEngines()
const local = others.find(({ name }) => name === 'dynamodb-local')
if (engine === undefined || local === undefined) throw new Error('an engine is missing')
const WORKLOADS = Number(process.env.WORKLOADS ?? 10)
/** A page takes a few whole blocks, so it needs the pages of several scopes to tell what one takes on average. */
const SCOPES = 8
const RIVAL_SCOPES = 4
/** A layout that is expected to cost this many times the choice is dearer, whatever the engine says. */
const FAR = 1.5
const { 'native keys': nativeKeys, ...storable } = LAYOUTS

let compared = 0

/** Things of a few prices, open to more, with ranges of them as filters. */
function rangedWorkload(random: () => number): WorkloadCase {
  const made = filteredWorkload(random)
  const { pick } = drawFrom(random)
  const prices: Shares = [
    [5, 0.4],
    [10, 0.3],
    [20, 0.2],
    [50, 0.1],
  ]
  const facets = { ...made.collection.facets, price: oneOf('number') }
  const collection: Collection = { ...made.collection, indexes: undefined, facets }
  return {
    ...made,
    collection,
    workload: {
      ...made.workload,
      queries: [
        { where: { price: { from: 20 } }, limit: 10, share: 0.4 },
        { where: { half: 'left', price: { to: 20 } }, limit: 10, share: 0.6 },
      ],
      frequencies: { price: Object.fromEntries(prices) },
    },
    item: (number, parent) => ({ ...made.item(number, parent), price: pick(prices) }),
  }
}

/** Lists of some 60 items, of which a page wants six of a tenth: about as many as there are. */
function filteredWorkload(random: () => number): WorkloadCase {
  const { pick } = drawFrom(random)
  const halves: Shares = [
    ['left', 0.5],
    ['right', 0.5],
  ]
  const kinds: Shares = [
    ['rare', 0.1],
    ['usual', 0.9],
  ]
  const collection = defineCollection({
    ...{ name: 'THING', schema: anySchema, id: 'id', order: 'at', version: 'version' },
    scope: { name: 'PARENT', attribute: 'parent' },
    facets: {
      half: oneOf(['left', 'right'], { frequencies: Object.fromEntries(halves) }),
      kind: oneOf(['rare', 'usual'], { frequencies: Object.fromEntries(kinds) }),
    },
    indexes: { byHalf: { partition: ['half'] } },
  }) as unknown as Collection
  const itemBytes = 300
  return {
    collection,
    workload: {
      ...{ writesPerSecond: 1, readsPerSecond: 1, writes: { create: 1 }, itemBytes },
      queries: [{ where: { kind: 'rare' }, limit: 6, share: 1 }],
      scopes: [{ scopes: 4, items: 125, reads: 1, writes: 1 }],
    },
    item(number, parent) {
      const at = new Date(Date.UTC(2026, 0, 1) + number * 1000).toISOString()
      const item = { id: idOf(number), parent, at, version: 1, half: pick(halves), kind: pick(kinds) }
      return { ...item, ...filling(collection, item, 'text', itemBytes) }
    },
    otherValue: () => 'usual',
  }
}

// `npm run test:long` has more of them; the bench has other domains too.
describe('the adviser against what the engine charges', () => {
  test.each([1, 2])('a write and a page take what is measured, within a tenth: workload %i', async (seed) => {
    const made = randomWorkload(seededRandom(seed))
    const { choice } = await advise(made.collection, made.workload, { layouts: {} })
    const measured = await measuredLoad(charged(engine), scenarioOf(made, { scopes: SCOPES }), {
      indexes: choice.indexes,
    })
    expect(Math.abs(measured.unitsPerWrite / choice.unitsPerWrite - 1)).toBeLessThan(0.1)
    expect(Math.abs(measured.unitsPerRead / choice.unitsPerRead - 1)).toBeLessThan(0.1)
  })

  test.each(Array.from({ length: WORKLOADS }, (_, i) => 101 + i))(
    'no rival is measured to be cheaper than the choice by more than a tie: workload %i',
    async (seed) => {
      const made = randomWorkload(seededRandom(seed))
      const advice = await advise(made.collection, made.workload, { layouts: storable })
      const [choice, ...rivals] = (await rivalsOf(made, advice)) as [Rival, ...Rival[]]
      const scenario = scenarioOf(made, { scopes: RIVAL_SCOPES })
      const chosen = await measuredPrice(engine, advice, scenario, choice)
      for (const rival of rivals.filter(({ expected }) => expected < FAR * choice.expected)) {
        const price = await measuredPrice(engine, advice, scenario, rival)
        compared += 1
        expect(price / chosen, `${choice.name} beside ${rival.name}`).toBeGreaterThan(1 - TIED)
      }
    },
  )

  test('that is said of more rivals than workloads', () => {
    expect(compared).toBeGreaterThan(WORKLOADS)
  })

  test('a page that is filtered after the read, for few items of short lists, takes what is measured, within a tenth', async () => {
    const made = filteredWorkload(seededRandom(11))
    const { unitsPerRead, indexes: declared } = await priceLayout(made.collection, indexes(), made.workload)
    const scenario = scenarioOf(made, { scopes: 60, items: 10_000, writes: 1 })
    const measured = await measuredLoad(charged(engine), scenario, { indexes: declared })
    expect(Math.abs(measured.unitsPerRead / unitsPerRead - 1)).toBeLessThan(0.1)
  })

  test('a page of a range of numbers takes what is measured, within a tenth', async () => {
    const made = rangedWorkload(seededRandom(12))
    const { choice } = await advise(made.collection, made.workload, { layouts: {} })
    const measured = await measuredLoad(charged(engine), scenarioOf(made, { scopes: 40, items: 10_000 }), {
      indexes: choice.indexes,
    })
    expect(Math.abs(measured.unitsPerRead / choice.unitsPerRead - 1)).toBeLessThan(0.1)
    expect(Math.abs(measured.unitsPerWrite / choice.unitsPerWrite - 1)).toBeLessThan(0.1)
  })

  test('items that are packed take what is measured, within a tenth', async () => {
    const made = randomWorkload(seededRandom(105))
    const scenario = scenarioOf(made, { scopes: RIVAL_SCOPES })
    const dictionary = trainDictionary(made.collection, scenario.stored.slice(0, 50))
    const codec = deflated({ dictionaries: [dictionary] })
    const collection = { ...made.collection, indexes: undefined, codec }
    const workload = { ...made.workload, items: scenario.stored }
    const expected = await priceLayout(collection, indexes(), workload)
    expect(expected.storedBytes).toBeLessThanOrEqual(
      (await priceLayout({ ...collection, codec: undefined }, indexes(), workload)).storedBytes,
    )
    const measured = await measuredLoad(charged(engine), scenario, { indexes: undefined, codec })
    expect(Math.abs(measured.unitsPerWrite / expected.unitsPerWrite - 1)).toBeLessThan(0.1)
    expect(Math.abs(measured.unitsPerRead / expected.unitsPerRead - 1)).toBeLessThan(0.1)
  })

  test('native keys cost what is measured beside the indexes', async () => {
    const made = randomWorkload(seededRandom(105))
    const advice = await advise(made.collection, made.workload, { layouts: { 'native keys': nativeKeys as never } })
    const scenario = scenarioOf(made, { scopes: RIVAL_SCOPES })
    for (const rival of (await rivalsOf(made, advice)).filter(({ name }) => name.includes('the cheapest set'))) {
      const price = await measuredPrice(local, advice, scenario, rival)
      expect(Math.abs(price / rival.expected - 1), rival.name).toBeLessThan(0.1)
    }
  })
})
