import { type PowerSetOptions, powerSet } from 'lapidary'
import { chosenSeed, describeListConformance } from 'lapidary-testing'
import { describe, it } from 'vitest'
import { createSdkClient, createTestClient, testEngines } from '../../../../test/engines/index.ts'
import { isFeasible } from './feasible.ts'
import { manyEntries } from './many-entries.ts'

const seed = chosenSeed(process.env.FC_SEED)
const runs = Number(process.env.FC_RUNS ?? 24)

for (const engine of testEngines()) {
  // DynamoDB Local is slower; what differs between the engines shows in few cases.
  const share = engine.name === 'embedded' ? 1 : 0.2
  console.info(`list conformance on ${engine.name}: FC_SEED=${seed} FC_RUNS=${runs}`)
  describeListConformance({
    name: engine.name,
    describe,
    it,
    // The SDK is in between where it costs least.
    client: () => (engine.name === 'embedded' ? createTestClient(engine) : createSdkClient(engine)),
    runs: runs * share,
    seed,
    timeout: 300_000,
  })
}

const [embedded] = testEngines()
if (embedded === undefined) throw new Error('there is no engine')
console.info(`list conformance of a layout of many entries: FC_SEED=${seed} FC_RUNS=${runs}`)
describeListConformance({
  name: 'a layout of somebody else, with many entries an item',
  layout: manyEntries(),
  describe,
  it,
  client: () => createTestClient(embedded),
  runs: runs / 2,
  seed,
  timeout: 300_000,
})

const POWER_SETS: readonly PowerSetOptions[] = [
  {},
  { sets: 'mask', duplicates: 'whole' },
  { kept: 'stream', duplicates: 'whole' },
  { sets: 'mask', kept: 'stream' },
]
for (const options of POWER_SETS) {
  const layout = powerSet(options)
  const name = `the embedded engine, by powerSet(${JSON.stringify(options)})`
  console.info(`list conformance on ${name}: FC_SEED=${seed} FC_RUNS=${runs}`)
  describeListConformance({
    ...{ name, layout, describe, it, seed, timeout: 300_000 },
    client: () => createTestClient(embedded),
    accepts: (made) => isFeasible(layout, made),
    runs: runs / 8,
  })
}
