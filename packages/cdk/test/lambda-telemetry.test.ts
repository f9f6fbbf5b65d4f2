import { createLapidary } from 'lapidary'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { comments } from '../../../apps/comments/src/comment.ts'
import { createSdkClient, dropTables, testEngines, uniqueTableName } from '../../../test/engines/index.ts'
import { streamHandler } from '../src/functions/stream-handler.ts'
import { upkeepHandler } from '../src/functions/upkeep-handler.ts'

const [engine] = testEngines()
if (engine === undefined) throw new Error('no engine')
const tableName = uniqueTableName()
const client = createSdkClient(engine)
const written: string[] = []

beforeAll(async () => {
  for (const [name, value] of Object.entries({
    ...{ TABLE_NAME: tableName, AWS_ENDPOINT_URL: engine.endpoint },
    ...{ AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' },
  }))
    vi.stubEnv(name, value)
  await createLapidary({
    ...{ client, tableName, collections: { comments }, cursorSecret: 'a secret of the tests' },
  }).table.create()
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    written.push(String(text))
    return true
  })
})
afterAll(async () => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  await dropTables(client, [tableName])
})

/** Returns the lines that CloudWatch takes, since the last time. */
function embeddedLines(): readonly Readonly<Record<string, unknown>>[] {
  const lines = written.splice(0).filter((text) => text.startsWith('{"_aws":'))
  return lines.map((text) => JSON.parse(text))
}

test('the functions write what CloudWatch takes, with the names that alarms go by', async () => {
  const item = { PK: { S: 'COMMENT#no comment' }, SK: { S: '~' } }
  const record = {
    eventName: 'INSERT',
    dynamodb: {
      ...{ Keys: item, NewImage: item, SequenceNumber: '1', StreamViewType: 'NEW_AND_OLD_IMAGES' },
      ApproximateCreationDateTime: Math.floor(Date.now() / 1000) - 10,
    },
  }
  const failures = await streamHandler({ collections: { comments } })({
    ...{ Records: [record], shardId: 'shardId-of-no-stream' },
  } as never)
  expect(failures.batchItemFailures).toEqual([])
  const ofStream = embeddedLines().filter(({ Lag }) => Lag !== undefined)
  expect(ofStream).toMatchObject([{ table: tableName, Gaps: 0 }])
  expect(ofStream[0]?.Lag).toBeGreaterThanOrEqual(9)

  await upkeepHandler({ collections: { comments } })({})
  expect(embeddedLines()).toContainEqual(
    expect.objectContaining({
      ...{ table: tableName, Gaps: 0 },
      ...{ DeadLetters: expect.any(Number), Unready: expect.any(Number) },
    }),
  )
})
