import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams'
import { Pool } from 'undici'
import { startBareEngine } from './bare-engine.ts'

/** Clients of both APIs of one engine, without the SDK: a thousand runs would spend most of their time in its middleware. */
export interface PlainClient {
  readonly client: DynamoDBClient
  readonly streams: DynamoDBStreamsClient
  close(): void
}

/** An engine of its own, in memory, with plain clients. */
export interface PlainEngine extends Pick<PlainClient, 'client' | 'streams'>, AsyncDisposable {
  readonly endpoint: string
}

export async function startPlainEngine(): Promise<PlainEngine> {
  const engine = await startBareEngine()
  const { client, streams, close } = createPlainClient(engine.endpoint)
  return {
    ...{ client, streams, endpoint: engine.endpoint },
    async [Symbol.asyncDispose]() {
      close()
      await engine[Symbol.asyncDispose]()
    },
  }
}

interface SentCommand {
  readonly constructor: { readonly name: string }
  readonly input: unknown
}

const HEADERS = {
  'content-type': 'application/x-amz-json-1.0',
  'x-amz-date': '20200101T000000Z',
  authorization:
    'AWS4-HMAC-SHA256 Credential=local/20200101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=none',
}

/** Makes clients that send the JSON of a command's input, with binary values in base64. */
export function createPlainClient(endpoint: string): PlainClient {
  const { href, protocol, pathname } = new URL(endpoint)
  const connect = (): Pool =>
    protocol === 'unix:' ? new Pool('http://localhost', { connect: { socketPath: pathname } }) : new Pool(href)
  let pool: Pool | undefined
  const sender = (api: string) => ({
    async send(command: SentCommand): Promise<unknown> {
      const operation = command.constructor.name.replace(/Command$/, '')
      const { status, body } = await post(`${api}_20120810.${operation}`, JSON.stringify(command.input, encoded))
      // Few answers hold binary values; looking for them in all answers would cost as much as the rest.
      const answer = JSON.parse(body || '{}', /"BS?":/.test(body) ? decoded : undefined) as Record<string, unknown>
      if (status === 200) return answer
      const name = String(answer.__type).replace(/^.*#/, '')
      throw Object.assign(new Error(String(answer.message ?? answer.Message ?? name)), { ...answer, name })
    },
  })
  const post = async (target: string, body: string): Promise<{ readonly status: number; readonly body: string }> => {
    const headers = { ...HEADERS, 'x-amz-target': target }
    pool ??= connect()
    const answer = await pool.request({ path: '/', method: 'POST', headers, body })
    return { status: answer.statusCode, body: await answer.body.text() }
  }
  return {
    client: sender('DynamoDB') as unknown as DynamoDBClient,
    streams: sender('DynamoDBStreams') as unknown as DynamoDBStreamsClient,
    // A client that is used again connects again, as the SDK's clients do.
    close() {
      // One that has failed is destroyed already.
      pool?.destroy().catch(() => undefined)
      pool = undefined
    },
  }
}

/** Writes a binary value as the API has it. A buffer has already turned itself into another form here. */
function encoded(this: Readonly<Record<string, unknown>>, key: string, value: unknown): unknown {
  const own = this[key]
  return own instanceof Uint8Array ? Buffer.from(own).toString('base64') : value
}

function decoded(key: string, value: unknown): unknown {
  if (key === 'B' && typeof value === 'string') return bytesOf(value)
  return key === 'BS' && Array.isArray(value) ? value.map(bytesOf) : value
}

function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(Buffer.from(text, 'base64'))
}
