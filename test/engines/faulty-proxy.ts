import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { Pool } from 'undici'

/** The fate of a call: `lose` carries it out and breaks the connection instead of answering. */
export type Fate = 'forward' | 'throttle' | 'lose' | 'hang'

/** A proxy before a DynamoDB API on the loopback interface. */
export interface FaultyProxy extends AsyncDisposable {
  readonly endpoint: string
  /** Calls that came, by operation. */
  readonly calls: Readonly<Record<string, number>>
  /** Calls that were throttled or lost, by operation. */
  readonly befallen: Readonly<Record<string, number>>
}

interface Call {
  /** The operation: `PutItem`. */
  readonly operation: string
  readonly input: Input
}

interface Input {
  readonly TransactItems?: readonly unknown[]
  readonly RequestItems?: Readonly<Record<string, Batch>>
}
type Batch = readonly unknown[] | { readonly Keys: readonly unknown[] }

/** Starts a proxy that decides the fate of each call; the first throttle of a batch hits its second half. */
export async function startFaultyProxy(endpoint: string, fateOf: (call: Call) => Fate): Promise<FaultyProxy> {
  const { href, protocol, pathname } = new URL(endpoint)
  const pool =
    protocol === 'unix:' ? new Pool('http://localhost', { connect: { socketPath: pathname } }) : new Pool(href)
  const calls: Record<string, number> = {}
  const befallen: Record<string, number> = {}

  const forward = async ({ headers }: IncomingMessage, body: string): Promise<Answered> => {
    const { host: _, connection: __, 'content-length': ___, expect: ____, ...passed } = headers
    const answer = await pool.request({ path: '/', method: 'POST', headers: passed, body })
    return { status: answer.statusCode, body: await answer.body.text() }
  }
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request)
    const target = String(request.headers['x-amz-target'])
    const operation = target.replace(/^.*\./, '')
    const input = JSON.parse(body || '{}') as Input
    const fate = fateOf({ operation, input })
    calls[operation] = (calls[operation] ?? 0) + 1
    if (fate !== 'forward') befallen[operation] = (befallen[operation] ?? 0) + 1
    if (fate === 'hang') return
    if (fate === 'throttle')
      return send(response, await throttled({ operation, input }, (part) => forward(request, part)))
    const answer = await forward(request, body)
    if (fate === 'lose') return void response.destroy()
    send(response, answer)
  }
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy())
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    befallen,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await pool.destroy()
    },
  }
}

interface Answered {
  readonly status: number
  readonly body: string
}

function send(response: ServerResponse, { status, body }: Answered): void {
  response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' }).end(body)
}

/** Answers a throttled call as its operation does: a transaction by its reasons, a batch by what it leaves, the stream by its own error. */
async function throttled({ operation, input }: Call, forward: (body: string) => Promise<Answered>): Promise<Answered> {
  const { TransactItems, RequestItems } = input
  if (TransactItems !== undefined) {
    const reason = { Code: 'ThrottlingError', Message: 'Throughput exceeds the current capacity of your table' }
    const CancellationReasons = TransactItems.map((_, i) =>
      i === TransactItems.length - 1 ? reason : { Code: 'None' },
    )
    return refused('TransactionCanceledException', { CancellationReasons })
  }
  if (RequestItems !== undefined) {
    const [taken, left] = halves(RequestItems)
    if (Object.keys(taken).length === 0) return refused('ProvisionedThroughputExceededException')
    const { status, body } = await forward(JSON.stringify({ ...input, RequestItems: taken }))
    const unprocessed = operation === 'BatchGetItem' ? 'UnprocessedKeys' : 'UnprocessedItems'
    return { status, body: JSON.stringify({ ...JSON.parse(body), [unprocessed]: left }) }
  }
  if (/^(GetRecords|GetShardIterator|DescribeStream)$/.test(operation)) return refused('LimitExceededException')
  const isOfAccount = /Table|TimeToLive/.test(operation)
  return refused(isOfAccount ? 'ThrottlingException' : 'ProvisionedThroughputExceededException')
}

function refused(name: string, more: object = {}): Answered {
  const __type = `com.amazonaws.dynamodb.v20120810#${name}`
  return { status: 400, body: JSON.stringify({ __type, message: `${name} of the proxy`, ...more }) }
}

function halves(all: Readonly<Record<string, Batch>>): [Record<string, Batch>, Record<string, Batch>] {
  const [taken, left]: [Record<string, Batch>, Record<string, Batch>] = [{}, {}]
  for (const [table, batch] of Object.entries(all)) {
    const parts = 'Keys' in batch ? batch.Keys : batch
    const half = Math.floor(parts.length / 2)
    const of = (some: readonly unknown[]): Batch => ('Keys' in batch ? { ...batch, Keys: some } : some)
    if (half > 0) taken[table] = of(parts.slice(0, half))
    left[table] = of(parts.slice(half))
  }
  return [taken, left]
}
