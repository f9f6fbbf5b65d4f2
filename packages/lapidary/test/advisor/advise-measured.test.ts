import { type IndexDeclaration, indexes } from 'lapidary'
import { type Advice, advise, type PricedLayout, priceLayout } from 'lapidary/advisor'
import { seededRandom } from 'lapidary/testing'
import { describe, expect, test } from 'vitest'
import { testEngines } from '../../../../test/engines/index.ts'
import { type MeasuredLoad, measuredLoad, scenarioOf } from './measured-load.ts'
import { randomWorkload, type WorkloadCase } from './random-workload.ts'

type Indexes = PricedLayout['indexes']

const [engine] = testEngines()
const WORKLOADS = 20
/** A page takes a few whole blocks, so it needs the pages of several scopes to tell what one takes on average. */
const SCOPES = 8
const RIVAL_SCOPES = 4
/** What so few pages can't tell apart. */
const ALIKE = 0.02

describe('the adviser against what the engine charges', () => {
  test.each([1, 2, 3, 4, 5, 6])(
    'a write and a page take what is measured, within a tenth: workload %i',
    async (seed) => {
      if (engine === undefined) throw new Error('there is no engine')
      const made = randomWorkload(seededRandom(seed))
      const { choice } = advise(made.collection, made.workload, { layouts: {} })
      const measured = await measuredLoad(engine, scenarioOf(made, SCOPES), choice.indexes)
      expect(Math.abs(measured.unitsPerWrite / choice.unitsPerWrite - 1)).toBeLessThan(0.1)
      expect(Math.abs(measured.unitsPerRead / choice.unitsPerRead - 1)).toBeLessThan(0.1)
    },
  )

  test(`of ${WORKLOADS} random workloads, the choice is measured to be cheaper than what comes next`, async () => {
    if (engine === undefined) throw new Error('there is no engine')
    const dearer: string[] = []
    for (let seed = 101; seed <= 100 + WORKLOADS; seed++) {
      const made = randomWorkload(seededRandom(seed))
      const advice = advise(made.collection, made.workload, { layouts: {} })
      const scenario = scenarioOf(made, RIVAL_SCOPES)
      const rival = nearestRival(made, advice)
      const [chosen, other] = [
        dollars(advice, made, await measuredLoad(engine, scenario, advice.choice.indexes)),
        dollars(advice, made, await measuredLoad(engine, scenario, rival)),
      ]
      if (other < chosen * (1 - ALIKE)) dearer.push(`${seed}: ${chosen}, and ${other} with ${JSON.stringify(rival)}`)
    }
    expect(dearer).toEqual([])
  })
})

/** Of the default indexes, one for everything, and the choice without each of its indexes, the one that is expected to cost least. */
function nearestRival({ collection, workload }: WorkloadCase, { choice }: Advice): Indexes {
  const chosen = Object.entries(choice.indexes ?? {})
  const fewer = chosen.map(([name]) => Object.fromEntries(chosen.filter(([other]) => other !== name)))
  const sets: readonly Indexes[] = [undefined, { all: {} }, ...fewer]
  const priced = sets
    .filter((set) => contents(set) !== contents(choice.indexes))
    .flatMap((set) => {
      try {
        return [{ set, price: priceLayout({ ...collection, indexes: set }, indexes(), workload).price.onDemand }]
      } catch {
        return []
      }
    })
  return priced.toSorted((a, b) => a.price - b.price)[0]?.set
}

function contents(set: Indexes): string {
  const parts = ([, { partition = [], only = {} }]: readonly [string, IndexDeclaration]): string =>
    JSON.stringify([partition, only])
  return JSON.stringify(set && Object.entries(set).map(parts).toSorted())
}

function dollars({ prices }: Advice, { workload }: WorkloadCase, measured: MeasuredLoad): number {
  const { millionWriteUnits, millionReadUnits } = prices.onDemand
  const writes = measured.unitsPerWrite * workload.writesPerSecond * millionWriteUnits
  return writes + measured.unitsPerRead * workload.readsPerSecond * millionReadUnits
}
