import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { CreateTableCommand, DynamoDBClient, type GlobalSecondaryIndex } from '@aws-sdk/client-dynamodb'
import {
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
  ListStreamsCommand,
} from '@aws-sdk/client-dynamodb-streams'
import { CreateSecretCommand, PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import { clientConfig } from 'lapidary-engine'
import { startBareEngine } from '../../../test/engines/bare-engine.ts'
import { startS3 } from '../../../test/engines/s3.ts'
import { type GuardedEngine, guardedEngine } from './guarded-engine.ts'
import { type LambdaFunction, startLambda } from './lambda-function.ts'
import type { Synthesized } from './synthesized.ts'

/** A stack as it would run: its table on the embedded engine, its secrets in Moto, and its functions by their bundles, roles and variables. */
export interface Deployed extends AsyncDisposable {
  readonly client: DynamoDBClient
  /** The address of the engine. */
  readonly endpoint: string
  /** Starts a function; its requests pass its role. */
  start(name: string, options?: StartOptions): Promise<Running>
  /** Returns all events of the stream so far, as Lambda would deliver them, one for each shard. */
  streamEvents(): Promise<readonly unknown[]>
  /** Gives a secret another value, as an operator does. */
  rotate(secret: string, value: string): Promise<void>
  /** Lets CloudFormation ask the upkeep to prepare the table; returns what it was answered. */
  prepare(
    upkeep: LambdaFunction,
    type?: 'Create' | 'Delete',
  ): Promise<{ readonly Status: string; readonly Reason?: string }>
}

/** How a function is started. */
export interface StartOptions {
  /** The engine that it asks, where that is not the stack's. */
  readonly endpoint?: string
}

/** A function that runs. */
export interface Running extends LambdaFunction {
  readonly guard: GuardedEngine
}

export const TABLE_NAME = 'table-of-a-stack'
const ACCOUNT = { AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' }

/** @param secrets The values of secrets by the beginning of their names in the template. */
export async function deploy(stack: Synthesized, secrets: Readonly<Record<string, string>>): Promise<Deployed> {
  const [engine, moto] = await Promise.all([startBareEngine(), startS3()])
  const client = new DynamoDBClient(clientConfig(engine.endpoint, {}))
  const streams = new DynamoDBStreamsClient(clientConfig(engine.endpoint, {}))
  const secretsManager = new SecretsManagerClient(clientConfig(moto.url, {}))
  await client.send(new CreateTableCommand(tableOf(stack)))
  const nameOf = (start: string): string => {
    const name = Object.keys(stack.resources).find((id) => id.startsWith(start))
    if (name === undefined) throw new Error(`the stack has no secret ${start}`)
    return name
  }
  for (const [start, SecretString] of Object.entries(secrets))
    await secretsManager.send(new CreateSecretCommand({ Name: nameOf(start), SecretString }))

  return {
    ...{ client, endpoint: engine.endpoint },
    async start(name, { endpoint = engine.endpoint } = {}) {
      const { bundle, variables, rights } = stack.function(name)
      const guard = await guardedEngine(endpoint, rights)
      const running = startLambda(bundle, {
        ...Object.fromEntries(Object.entries(variables).map(([key, value]) => [key, variableOf(value)])),
        ...ACCOUNT,
        AWS_ENDPOINT_URL_DYNAMODB: guard.endpoint,
        AWS_ENDPOINT_URL_DYNAMODB_STREAMS: guard.endpoint,
        AWS_ENDPOINT_URL_SECRETS_MANAGER: moto.url,
      })
      return {
        ...{ invoke: running.invoke, guard },
        async [Symbol.asyncDispose]() {
          await running[Symbol.asyncDispose]()
          await guard[Symbol.asyncDispose]()
        },
      }
    },
    async streamEvents() {
      const { Streams = [] } = await streams.send(new ListStreamsCommand({ TableName: TABLE_NAME }))
      const StreamArn = Streams[0]?.StreamArn ?? ''
      const { StreamDescription } = await streams.send(new DescribeStreamCommand({ StreamArn }))
      const events: unknown[] = []
      for (const { ShardId = '' } of StreamDescription?.Shards ?? []) {
        const begin = { StreamArn, ShardId, ShardIteratorType: 'TRIM_HORIZON' } as const
        const { ShardIterator } = await streams.send(new GetShardIteratorCommand(begin))
        const { Records = [] } = await streams.send(new GetRecordsCommand({ ShardIterator }))
        const ofItems = Records.filter(({ dynamodb }) => dynamodb?.Keys?.PK?.S?.startsWith('~') === false)
        const asJson = ofItems.map((record) => ({
          ...record,
          dynamodb: { ...record.dynamodb, ApproximateCreationDateTime: Date.now() / 1000 },
        }))
        if (asJson.length > 0) events.push({ Records: asJson, shardId: ShardId, eventSourceARN: StreamArn, state: {} })
      }
      return events
    },
    async rotate(start, SecretString) {
      await secretsManager.send(new PutSecretValueCommand({ SecretId: nameOf(start), SecretString }))
    },
    async prepare(upkeep, RequestType = 'Create') {
      let answer = ''
      const server = createServer(async (request, response) => {
        answer = await text(request)
        response.end()
      }).listen(0, '127.0.0.1')
      await new Promise((resolve) => server.once('listening', resolve))
      const ResponseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
      const ids = { StackId: 'stack', RequestId: 'request', LogicalResourceId: 'Prepared' }
      try {
        // One that fails has answered before.
        await upkeep.invoke({ RequestType, ResponseURL, ...ids, ResourceProperties: {} }).catch(() => undefined)
      } finally {
        server.closeAllConnections()
        await new Promise((resolve) => server.close(resolve))
      }
      return JSON.parse(answer)
    },
    async [Symbol.asyncDispose]() {
      for (const each of [client, streams, secretsManager]) each.destroy()
      await Promise.all([engine[Symbol.asyncDispose](), moto[Symbol.asyncDispose]()])
    },
  }
}

/** The table is known by its name, and a secret by that of its resource. */
function variableOf(value: unknown): string {
  if (typeof value === 'string') return value
  const { Ref = '' } = value as { readonly Ref?: string }
  return /Table/.test(Ref) ? TABLE_NAME : Ref
}

/** Returns the stack's table as CreateTable takes it. */
function tableOf(stack: Synthesized): ConstructorParameters<typeof CreateTableCommand>[0] {
  const { KeySchema, AttributeDefinitions, GlobalSecondaryIndexes, StreamSpecification } =
    stack.only('AWS::DynamoDB::GlobalTable').Properties
  return {
    ...{ TableName: TABLE_NAME, KeySchema, AttributeDefinitions, BillingMode: 'PAY_PER_REQUEST' },
    GlobalSecondaryIndexes: GlobalSecondaryIndexes.map((index: GlobalSecondaryIndex) => ({
      ...{ IndexName: index.IndexName, KeySchema: index.KeySchema, Projection: index.Projection },
    })),
    StreamSpecification: { ...StreamSpecification, StreamEnabled: true },
  }
}
