import { chosenSeed, describeListConformance } from 'lapidary/testing'
import { describe, it } from 'vitest'
import { createTestClient, testEngines } from '../../../../test/engines/index.ts'

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
    client: () => createTestClient(engine),
    runs: runs * share,
    seed,
    timeout: 120_000,
  })
}
