import { LapidaryError, nativeKeys } from 'lapidary'
import { type CollectionCase, chosenSeed, collectionOf, describeListConformance } from 'lapidary-testing'
import { describe, it } from 'vitest'
import { createSdkClient, testEngines } from '../../../../test/engines/index.ts'

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

/** Whether the layout takes a collection, and what its items hold: no empty text can be a key. */
function canBeKeys(made: CollectionCase): boolean {
  const values: readonly unknown[] = [
    ...made.orderValues,
    ...(made.rank?.values ?? []),
    ...Object.values(made.facets).flatMap((facet) => facet.values),
  ]
  if (made.idOrder !== 'raw' || values.includes('')) return false
  return [made.indexes, made.otherIndexes].every((indexes) => {
    try {
      return nativeKeys().of(collectionOf(made, indexes)).indexes.length > 0
    } catch (error) {
      if (error instanceof LapidaryError) return false
      throw error
    }
  })
}
