import { indexes } from 'lapidary'
import { advise, priceLayout, TIED } from 'lapidary/advisor'
import { deflated, packed, trainDictionary } from 'lapidary/codecs'
import { seededRandom } from 'lapidary/testing'
import { describe, expect, test } from 'vitest'
import { testEngines } from '../../../../test/engines/index.ts'
import { measuredLoad, scenarioOf } from './measured-load.ts'
import { randomWorkload } from './random-workload.ts'
import { LAYOUTS, measuredPrice, type Rival, rivalsOf } from './rivals.ts'

const [engine, ...others] = testEngines()
const local = others.find(({ name }) => name === 'dynamodb-local')
if (engine === undefined || local === undefined) throw new Error('an engine is missing')
const WORKLOADS = 20
/** A page takes a few whole blocks, so it needs the pages of several scopes to tell what one takes on average. */
const SCOPES = 8
const RIVAL_SCOPES = 4
/** What is expected to cost so many times the choice is dearer, whatever the engine says. */
const FAR = 1.5
const { 'native keys': nativeKeys, ...storable } = LAYOUTS

describe('the adviser against what the engine charges', () => {
  test.each([1, 2, 3, 4, 5, 6])(
    'a write and a page take what is measured, within a tenth: workload %i',
    async (seed) => {
      const made = randomWorkload(seededRandom(seed))
      const { choice } = advise(made.collection, made.workload, { layouts: {} })
      const measured = await measuredLoad(engine, scenarioOf(made, SCOPES), { indexes: choice.indexes })
      expect(Math.abs(measured.unitsPerWrite / choice.unitsPerWrite - 1)).toBeLessThan(0.1)
      expect(Math.abs(measured.unitsPerRead / choice.unitsPerRead - 1)).toBeLessThan(0.1)
    },
  )

  test(`of ${WORKLOADS} random workloads, no rival is measured to be cheaper than the choice by more than a tie`, async () => {
    const cheaper: string[] = []
    let compared = 0
    for (let seed = 101; seed <= 100 + WORKLOADS; seed++) {
      const made = randomWorkload(seededRandom(seed))
      const advice = advise(made.collection, made.workload, { layouts: storable })
      const [choice, ...rivals] = rivalsOf(made, advice) as [Rival, ...Rival[]]
      const scenario = scenarioOf(made, RIVAL_SCOPES)
      const chosen = await measuredPrice(engine, advice, scenario, choice)
      for (const rival of rivals.filter(({ expected }) => expected < FAR * choice.expected)) {
        const price = await measuredPrice(engine, advice, scenario, rival)
        compared += 1
        if (price < chosen * (1 - TIED)) cheaper.push(`${seed}: ${choice.name} ${chosen}, ${rival.name} ${price}`)
      }
    }
    console.info(`${compared} rivals of ${WORKLOADS} choices, cheaper than the choice: ${cheaper.join('; ') || 'none'}`)
    expect(cheaper).toEqual([])
    expect(compared).toBeGreaterThan(WORKLOADS)
  })

  test.each(['packed', 'deflated'])('items that are %s take what is measured, within a tenth', async (name) => {
    const made = randomWorkload(seededRandom(105))
    const scenario = scenarioOf(made, RIVAL_SCOPES)
    const dictionary = trainDictionary(made.collection, scenario.stored.slice(0, 50))
    const codec = name === 'packed' ? packed() : deflated({ dictionaries: [dictionary] })
    const collection = { ...made.collection, indexes: undefined, codec }
    const workload = { ...made.workload, items: scenario.stored }
    const expected = priceLayout(collection, indexes(), workload)
    expect(expected.storedBytes).toBeLessThanOrEqual(
      priceLayout({ ...collection, codec: undefined }, indexes(), workload).storedBytes,
    )
    const measured = await measuredLoad(engine, scenario, { indexes: undefined, codec })
    expect(Math.abs(measured.unitsPerWrite / expected.unitsPerWrite - 1)).toBeLessThan(0.1)
    expect(Math.abs(measured.unitsPerRead / expected.unitsPerRead - 1)).toBeLessThan(0.1)
  })

  test.each([101, 105])('native keys cost what is measured beside the indexes: workload %i', async (seed) => {
    const made = randomWorkload(seededRandom(seed))
    const advice = advise(made.collection, made.workload, { layouts: { 'native keys': nativeKeys as never } })
    const scenario = scenarioOf(made, RIVAL_SCOPES)
    for (const rival of rivalsOf(made, advice).filter(({ name }) => name.includes('the cheapest set'))) {
      const price = await measuredPrice(local, advice, scenario, rival)
      expect(Math.abs(price / rival.expected - 1), rival.name).toBeLessThan(0.1)
    }
  })
})
