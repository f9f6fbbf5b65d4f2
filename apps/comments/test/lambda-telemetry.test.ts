import { randomUUID } from 'node:crypto'
import { createLapidary } from 'lapidary'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createSdkClient, dropTables, testEngines, uniqueTableName } from '../../../test/engines/index.ts'
import { comments } from '../src/comment.ts'

const [engine] = testEngines()
if (engine === undefined) throw new Error('no engine')
const tableName = uniqueTableName()
const client = createSdkClient(engine)
const written: string[] = []

beforeAll(async () => {
  for (const [name, value] of Object.entries({
    ...{ TABLE_NAME: tableName, CURSOR_SECRET: 'the cursor secret of a test', ADMIN_TOKEN: 'the-admin-token-1' },
    ...{ AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' },
    AWS_ENDPOINT_URL: engine.endpoint,
    LOG_LEVEL: 'silent',
  }))
    vi.stubEnv(name, value)
  await createLapidary({
    client,
    tableName,
    collections: { comments },
    cursorSecret: 'a secret of the tests',
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
  const { handler: stream } = await import('../src/lambda/stream.ts')
  const item = { PK: { S: 'COMMENT#no comment' }, SK: { S: '~' } }
  const record = {
    eventName: 'INSERT',
    dynamodb: {
      ...{ Keys: item, NewImage: item, SequenceNumber: '1', StreamViewType: 'NEW_AND_OLD_IMAGES' },
      ApproximateCreationDateTime: Math.floor(Date.now() / 1000) - 10,
    },
  }
  const invocation = { awsRequestId: randomUUID() }
  const failures = await stream({ Records: [record], shardId: 'shardId-of-no-stream' }, invocation)
  expect(failures.batchItemFailures).toEqual([])
  const ofStream = embeddedLines().filter(({ Lag }) => Lag !== undefined)
  expect(ofStream).toMatchObject([{ table: tableName, Gaps: 0 }])
  expect(ofStream[0]?.Lag).toBeGreaterThanOrEqual(9)

  const { handler: catchUp } = await import('../src/lambda/catch-up.ts')
  await catchUp({}, invocation)
  expect(embeddedLines()).toContainEqual(
    expect.objectContaining({
      table: tableName,
      Gaps: 0,
      DeadLetters: expect.any(Number),
      Unready: expect.any(Number),
    }),
  )

  const { handler: http } = await import('../src/lambda/http.ts')
  const event = {
    ...{ version: '2.0', routeKey: '$default', rawPath: '/products/42/comments', rawQueryString: '', headers: {} },
    requestContext: { domainName: 'comments.example', http: { method: 'GET', sourceIp: '203.0.113.7' } },
    isBase64Encoded: false,
  }
  const answer = await http(event as never, invocation as never)
  // The answer has the id by which Lambda's own lines name the invocation.
  expect(answer).toMatchObject({ statusCode: 200, headers: { 'x-request-id': invocation.awsRequestId } })
  expect(embeddedLines()).toContainEqual(
    expect.objectContaining({ collection: 'COMMENT', operation: 'list', ReadUnits: expect.any(Number) }),
  )
  await http(event as never, invocation as never)
  expect(embeddedLines()).toEqual([])
})
