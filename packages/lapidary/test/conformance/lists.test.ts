import { chosenSeed, describeListConformance } from 'lapidary/testing'
import { describe, it } from 'vitest'
import { createTestClient, testEngines } from '../../../../test/engines/index.ts'
import { createLightClient } from '../../../../test/engines/light-client.ts'
import { manyEntries } from './many-entries.ts'

const seed = chosenSeed(process.env.FC_SEED)
const runs = Number(process.env.FC_RUNS ?? 40)

for (const engine of testEngines()) {
  // DynamoDB Local is slower; what differs between the engines shows in few cases.
  const share = engine.name === 'embedded' ? 1 : 0.2
  console.info(`list conformance on ${engine.name}: FC_SEED=${seed} FC_RUNS=${runs}`)
  describeListConformance({
    name: engine.name,
    describe,
    it,
    client: () => (engine.name === 'embedded' ? createLightClient(engine) : createTestClient(engine)),
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
  client: () => createLightClient(embedded),
  runs: runs / 2,
  seed,
  timeout: 300_000,
})
