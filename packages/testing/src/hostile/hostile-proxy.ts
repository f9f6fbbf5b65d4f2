import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { crc32 } from 'node:zlib'
import * as sdk from '@aws-sdk/client-dynamodb'
import type { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams'
import { seededRandom } from 'lapidary/internal'
import { createFaultKit } from '../faults/fault-kit.ts'
import { drawFaultRates, type FaultKind, type FaultRates } from '../faults/fault-plan.ts'
import { lateIndexes } from '../faults/late-indexes.ts'
import { limitedPartitions, type PartitionLimits } from '../faults/limited-partitions.ts'
import { errorDocument, type HttpAnswer } from './error-document.ts'
import { type Caller, openTarget, PlainCommand, Refusal } from './target.ts'

/** Options of `startHostileProxy`. */
export interface HostileProxyOptions {
  /** The endpoint of a local engine: `http://127.0.0.1:8000`, or the `unix:` address of an embedded one. */
  readonly target: string
  /** The seed that decides which commands fail, as far as the order of commands does not change. */
  readonly seed: number
  /** The rates of faults; those that {@link drawFaultRates} draws by the seed when not given. */
  readonly rates?: Partial<Omit<FaultRates, 'killed'>>
  /** The limits of each partition key; those of DynamoDB when not given, `false` for none. */
  readonly limits?: Omit<PartitionLimits, 'onThrottle'> | false
  /** The most milliseconds by which an entry of a global index is behind its item; 0 when not given: indexes are those of the engine. */
  readonly lagMs?: number
  /** Milliseconds of a silence; 30,000 when not given. */
  readonly silenceMs?: number
  /** Puts more between: the fault of one test, made with `intercepted`. */
  readonly through?: (client: sdk.DynamoDBClient) => sdk.DynamoDBClient
}

/** A proxy before a DynamoDB API that adds what local engines lack. */
export interface HostileProxy extends AsyncDisposable {
  /** The address for clients of any kind: `http://127.0.0.1:…`. */
  readonly endpoint: string
  /** The number of requests by operation. */
  readonly calls: Readonly<Record<string, number>>
  /** The number of requests by operation that the proxy refused, cut or left without an answer. */
  readonly befallen: Readonly<Record<string, number>>
  /** The number of times that each fault happened. */
  readonly injected: Readonly<Record<FaultKind | 'limited', number>>
  /** Ends all faults, the limits of partitions too. Indexes stay late. */
  calm(): void
  /** Resolves when the database has answered what it was sent by now, late writes too, and indexes show all that was written. */
  settled(): Promise<void>
  /** Ends the proxy, and removes the copies that stand in for late indexes. */
  close(): Promise<void>
}

/**
 * Starts a proxy on the loopback interface that makes, by a seed, the troubles of DynamoDB which local engines do not have: throttles at random and
 * by partition, conflicts and throttled transactions, errors before and after the effect, broken connections, silence, unprocessed items, early ends
 * of queries, and late entries of indexes. A client of any language can be pointed at it. It ends by `close`, and keeps no process alive.
 *
 * @example
 * ```ts
 * await using proxy = await startHostileProxy({ target: 'http://127.0.0.1:8000', seed: 7, lagMs: 500 })
 * const client = new DynamoDBClient({ endpoint: proxy.endpoint })
 * ```
 */
export async function startHostileProxy({
  target,
  seed,
  rates = drawFaultRates(seed),
  limits = {},
  lagMs = 0,
  silenceMs = 30_000,
  through = (client) => client,
}: HostileProxyOptions): Promise<HostileProxy> {
  const database = openTarget(target)
  const underWay = new Set<Promise<unknown>>()
  const faults = createFaultKit({ seed, silenceMs, rates: { ...rates, killed: 0 } })
  const calls: Record<string, number> = {}
  const befallen: Record<string, number> = {}
  let isCalm = false
  let limited = 0
  const onThrottle = (): void => {
    limited += 1
  }

  const asked: Sender = {
    send(command, caller) {
      const answered = database.send(command, caller).finally(() => underWay.delete(answered))
      underWay.add(answered)
      return answered
    },
  }
  const plain = asked as unknown as sdk.DynamoDBClient
  const late = lagMs > 0 ? lateIndexes(plain, { lagMs, random: seededRandom(seed) }) : undefined
  const prompt = late?.client ?? plain
  const calmClient = through(prompt) as Sender
  const limiting = limits === false ? prompt : limitedPartitions(prompt, { ...limits, onThrottle })
  const client = through(faults.dynamodb(limiting)) as Sender
  const streams = faults.streams(database as unknown as DynamoDBStreamsClient) as Sender

  const carryOut = async (request: IncomingMessage): Promise<unknown> => {
    const { headers } = request
    const [api = '', operation = ''] = String(headers['x-amz-target']).split('.')
    calls[operation] = (calls[operation] ?? 0) + 1
    const caller: Caller = { api, headers }
    const command = commandOf(api, operation, JSON.parse((await text(request)) || '{}'))
    try {
      const sender: Sender = isOfStreams(api) ? streams : isCalm ? calmClient : client
      return await sender.send(command, caller)
    } catch (error) {
      if (!(error instanceof Refusal)) befallen[operation] = (befallen[operation] ?? 0) + 1
      throw error
    }
  }
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const answered = await carryOut(request).then(success, errorDocument)
    if (answered === undefined) response.destroy()
    else answer(response, answered)
  }
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy())
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const calm = (): void => {
    isCalm = true
    faults.calm()
  }
  const settled = async (): Promise<void> => {
    await Promise.allSettled(underWay)
    await faults.landed()
    await late?.settled()
  }
  const close = async (): Promise<void> => {
    calm()
    await faults.landed()
    await late?.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    database.close()
  }
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    befallen,
    get injected() {
      return { ...faults.injected, limited }
    },
    calm,
    settled,
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** A client as the proxy uses it: its commands have the caller along. */
interface Sender {
  send(command: object, caller: Caller): Promise<unknown>
}

function isOfStreams(api: string): boolean {
  return api.startsWith('DynamoDBStreams')
}

/** Makes the SDK's command of a request, by which faults tell what it is; nothing looks into its values, so that they stay as they were encoded. */
function commandOf(api: string, operation: string, input: object): object {
  const Command = isOfStreams(api) ? undefined : (sdk as Readonly<Record<string, unknown>>)[`${operation}Command`]
  return typeof Command === 'function'
    ? new (Command as new (input: object) => object)(input)
    : new PlainCommand(operation, input)
}

function success(output: unknown): HttpAnswer {
  return { status: 200, body: JSON.stringify(output) }
}

/** Answers with a checksum, which many SDKs compare. */
function answer(response: ServerResponse, { status, body }: HttpAnswer): void {
  const headers = { 'content-type': 'application/x-amz-json-1.0', 'x-amz-crc32': String(crc32(body)) }
  response.writeHead(status, headers).end(body)
}
