import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { CreateTableCommand, type CreateTableCommandInput, DynamoDBClient } from '@aws-sdk/client-dynamodb'
import {
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
  ListStreamsCommand,
} from '@aws-sdk/client-dynamodb-streams'
import { tableFor } from 'lapidary'
import { cdkCode, cloudFormationTemplate } from 'lapidary/schema'
import { clientConfig } from 'lapidary-engine'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type BareEngine, startBareEngine } from '../../../../test/engines/bare-engine.ts'
import { startFaultyProxy } from '../../../../test/engines/faulty-proxy.ts'
import { comments } from '../../src/comment.ts'
import { type LambdaFunction, startLambda } from './lambda-function.ts'
import { type Synthesized, synthesize } from './synthesized.ts'

const AWS = fileURLToPath(new URL('../../aws/', import.meta.url))
const definition = tableFor({ tableName: 'comments', collections: { comments } })
const ADMIN_TOKEN = 'the admin token of a test'.replaceAll(' ', '-')

let stack: Synthesized
let engine: BareEngine
let client: DynamoDBClient
let streams: DynamoDBStreamsClient

beforeAll(async () => {
  ;[stack, engine] = await Promise.all([synthesize(), startBareEngine()])
  client = new DynamoDBClient(clientConfig(engine.endpoint, {}))
  streams = new DynamoDBStreamsClient(clientConfig(engine.endpoint, {}))
  await client.send(new CreateTableCommand(tableOfStack()))
})
afterAll(async () => {
  stack[Symbol.dispose]()
  client.destroy()
  streams.destroy()
  await engine[Symbol.asyncDispose]()
})

/** The stack's table as CreateTable takes it. */
function tableOfStack(): CreateTableCommandInput {
  const { Replicas, TimeToLiveSpecification, StreamSpecification, ...table } =
    stack.only('AWS::DynamoDB::GlobalTable').Properties
  return { ...table, StreamSpecification: { ...StreamSpecification, StreamEnabled: true } }
}

function start(name: string, endpoint: string = engine.endpoint): LambdaFunction {
  const { bundle, variables } = stack.function(name)
  const values: Readonly<Record<string, string>> = {
    ...{
      TABLE_NAME: 'comments',
      ADMIN_TOKEN,
      CURSOR_SECRET: 'the cursor secret of a test',
      ASSETS_FOLDER: './assets/',
    },
    NODE_OPTIONS: '--enable-source-maps',
  }
  const given = Object.fromEntries(variables.map((variable) => [variable, values[variable] ?? '']))
  const account = { AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' }
  return startLambda(bundle, { ...given, ...account, AWS_ENDPOINT_URL: endpoint })
}

interface HttpAnswer {
  readonly statusCode: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly isBase64Encoded: boolean
}

interface Sent {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** Makes an event as a function URL sends it. */
function urlEvent(target: string, { method = 'GET', headers = {}, body }: Sent = {}): unknown {
  const [rawPath, rawQueryString = ''] = target.split('?')
  return {
    ...{ version: '2.0', routeKey: '$default', rawPath, rawQueryString },
    headers: { host: 'comments.example', 'content-type': 'application/json', ...headers },
    requestContext: { domainName: 'comments.example', http: { method, path: rawPath, sourceIp: '203.0.113.7' } },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    isBase64Encoded: false,
  }
}

/** Returns all events of the stream so far, as Lambda would deliver them, one for each shard. */
async function streamEvents(): Promise<readonly unknown[]> {
  const { Streams = [] } = await streams.send(new ListStreamsCommand({ TableName: 'comments' }))
  const StreamArn = Streams[0]?.StreamArn ?? ''
  const { StreamDescription } = await streams.send(new DescribeStreamCommand({ StreamArn }))
  const events: unknown[] = []
  for (const { ShardId = '' } of StreamDescription?.Shards ?? []) {
    const begin = { StreamArn, ShardId, ShardIteratorType: 'TRIM_HORIZON' } as const
    const { ShardIterator } = await streams.send(new GetShardIteratorCommand(begin))
    const { Records = [] } = await streams.send(new GetRecordsCommand({ ShardIterator }))
    const ofItems = Records.filter(({ dynamodb }) => dynamodb?.Keys?.PK?.S?.startsWith('COMMENT#')).map((record) => ({
      ...record,
      dynamodb: { ...record.dynamodb, ApproximateCreationDateTime: Date.now() / 1000 },
    }))
    if (ofItems.length > 0) events.push({ Records: ofItems, shardId: ShardId, eventSourceARN: StreamArn, state: {} })
  }
  return events
}

test('the table is what the command line prints, and what the library asks for', () => {
  expect(readFileSync(`${AWS}table.ts`, 'utf8')).toBe(cdkCode(definition))
  const [wanted] = Object.values(
    (cloudFormationTemplate(definition) as { readonly Resources: Readonly<Record<string, { Properties: object }>> })
      .Resources,
  )
  const { AttributeDefinitions, GlobalSecondaryIndexes, KeySchema, StreamSpecification, TimeToLiveSpecification } =
    stack.only('AWS::DynamoDB::GlobalTable').Properties
  expect(wanted?.Properties).toMatchObject({
    GlobalSecondaryIndexes,
    KeySchema,
    StreamSpecification,
    TimeToLiveSpecification,
  })
  expect(AttributeDefinitions).toHaveLength(3 + 4)
})

test('compiles', async () => {
  await promisify(execFile)('npx', ['--no-install', 'tsc', '-p', AWS])
})

test('the event source mapping is as the change stream needs it', () => {
  expect(stack.only('AWS::Lambda::EventSourceMapping').Properties).toMatchObject({
    ...{ StartingPosition: 'TRIM_HORIZON', TumblingWindowInSeconds: 900, ParallelizationFactor: 1, BatchSize: 1000 },
    FunctionResponseTypes: ['ReportBatchItemFailures'],
  })
})

test('the functions answer, count and number, with the rights that they have', async () => {
  await using prepare = start('prepare')
  await using http = start('http')
  await using stream = start('stream')
  await using catchUp = start('catch')
  await prepare.invoke({})

  const authorization = `Bearer ${ADMIN_TOKEN}`
  for (let i = 0; i < 25; i++) {
    const comment = { rating: 1 + (i % 5), language: 'en', title: '', text: `Comment ${i}`, author: 'Ada' }
    const event = urlEvent('/products/42/comments', { method: 'POST', headers: { authorization }, body: comment })
    expect((await http.invoke<HttpAnswer>(event)).statusCode).toBe(201)
  }
  for (const event of await streamEvents())
    expect(await stream.invoke(event)).toEqual({ batchItemFailures: [], state: {} })
  const counted = await http.invoke<HttpAnswer>(urlEvent('/products/42/statistics'))
  expect(JSON.parse(counted.body)).toMatchObject({ total: 25, counts: { 1: 5, 5: 5 } })
  const third = await http.invoke<HttpAnswer>(urlEvent('/products/42/comments?rating=4,5&limit=4&page=3'))
  expect(JSON.parse(third.body)).toMatchObject({ page: { number: 3, count: 3, total: 10 } })
  expect(JSON.parse(third.body).items).toHaveLength(2)

  await catchUp.invoke({})

  for (const [name, { asked }] of Object.entries({ prepare, http, stream, catch: catchUp })) {
    const parts = asked().flatMap((action) => (action === 'TransactWriteItems' ? [] : action))
    expect(
      parts.filter((action) => !stack.function(name).allowed.includes(action)),
      name,
    ).toEqual([])
  }
})

test('a function whose transactions are throttled answers as ever', async () => {
  let transactions = 0
  await using proxy = await startFaultyProxy(engine.endpoint, ({ operation }) =>
    operation === 'TransactWriteItems' && transactions++ % 3 !== 2 ? 'throttle' : 'forward',
  )
  await using http = start('http', proxy.endpoint)
  const comment = { rating: 5, language: 'en', title: '', text: 'Once', author: 'Ada' }
  for (const key of ['first', 'second', 'third']) {
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, 'idempotency-key': key }
    const event = urlEvent('/products/once/comments', { method: 'POST', headers, body: comment })
    const [made, again] = [await http.invoke<HttpAnswer>(event), await http.invoke<HttpAnswer>(event)]
    expect([made.statusCode, again.statusCode]).toEqual([201, 201])
    expect(again.body).toBe(made.body)
  }
  const { body } = await http.invoke<HttpAnswer>(urlEvent('/products/once/comments'))
  expect(JSON.parse(body).items).toHaveLength(3)
  expect(proxy.befallen.TransactWriteItems).toBeGreaterThanOrEqual(6)
})

test('pages come with their style, compressed where that is understood; a stranger writes nothing', async () => {
  await using http = start('http')
  const page = await http.invoke<HttpAnswer>(urlEvent('/p/42', { headers: { 'accept-encoding': 'gzip' } }))
  expect(page).toMatchObject({ statusCode: 200, isBase64Encoded: true, headers: { 'content-encoding': 'gzip' } })
  const html = gunzipSync(Buffer.from(page.body, 'base64')).toString()
  const style = /href="(\/assets\/[^"]+\.css)"/.exec(html)?.[1] ?? ''
  expect(await http.invoke<HttpAnswer>(urlEvent(style))).toMatchObject({ statusCode: 200 })
  const refused = urlEvent('/products/42/comments', { method: 'POST', body: {} })
  expect(await http.invoke<HttpAnswer>(refused)).toMatchObject({ statusCode: 401 })
  // An id of two dots is an id, not a folder.
  const dots = await http.invoke<HttpAnswer>(urlEvent('/products/%2E%2E/comments'))
  expect(JSON.parse(dots.body)).toMatchObject({ items: [] })
})
