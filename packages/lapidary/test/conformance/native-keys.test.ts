import { nativeKeys } from 'lapidary'
import { chosenSeed, describeListConformance } from 'lapidary-testing'
import { describe, it } from 'vitest'
import { createSdkClient, testEngines } from '../../../../test/engines/index.ts'
import { canBeKeys } from './feasible.ts'

const seed = chosenSeed(process.env.FC_SEED)
const runs = Number(process.env.FC_RUNS ?? 40)

const engine = testEngines().find(({ name }) => name === 'dynamodb-local')
if (engine === undefined) throw new Error('DynamoDB Local is not there')
console.info(`list conformance of native keys: FC_SEED=${seed} FC_RUNS=${runs}`)
describeListConformance({
  name: `${engine.name}, native keys`,
  layout: nativeKeys(),
  accepts: canBeKeys,
  describe,
  it,
  client: () => createSdkClient(engine),
  runs: runs * 0.2,
  seed,
  timeout: 300_000,
})
