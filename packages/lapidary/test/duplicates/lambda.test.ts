import { chosenSeed, seededRandom } from 'lapidary-testing'
import { expect, test } from 'vitest'
import { createTestStreams, testEngines } from '../../../../test/engines/index.ts'
import { streamArn } from '../../src/stream/shards.ts'
import { startEventSourceMapping } from '../stream/event-source-mapping.ts'
import { type Entry, expectedLists, foundLists, openPowerSet, QUICK, writeComments } from './power-set-table.ts'

const [engine] = testEngines()
if (engine === undefined) throw new Error('there is no engine')
const seed = chosenSeed(process.env.FC_SEED)
console.info(`duplicates by Lambda: FC_SEED=${seed}`)

test('a Lambda function keeps them, is given batches twice now and then, and is not invoked for what it wrote', async () => {
  await using table = await openPowerSet(engine, { kept: 'stream' })
  const { lapidary } = table
  const streams = createTestStreams(engine)
  const handler = lapidary.stream.handler()
  const invokedFor: (string | undefined)[] = []
  const mapping = startEventSourceMapping({
    ...{ streams, arn: await streamArn(lapidary.comments.context.table), random: seededRandom(seed) },
    ...{ batchSize: 20, pollMs: 10, windowMs: 60_000 },
    invoke: (event) => {
      invokedFor.push(...event.Records.map(({ dynamodb }) => (dynamodb?.Keys as Entry | undefined)?.SK?.S))
      return handler(event)
    },
    // The filter of `stream.filterPatterns()`.
    isWanted: ({ dynamodb }) => dynamodb?.Keys?.SK?.S === '~' && dynamodb.Keys.PK?.S?.startsWith('COMMENT#') === true,
  })
  const left = await writeComments(lapidary, seededRandom(seed), 40)
  await table.counted()
  await mapping.close()
  streams.destroy()
  expect(foundLists(await table.entries())).toEqual(expectedLists(left.values()))
  expect(await lapidary.derived.verify(QUICK)).toMatchObject({ differenceCount: 0 })
  expect(invokedFor.length).toBeGreaterThanOrEqual(20)
  expect(new Set(invokedFor)).toEqual(new Set(['~']))
})
