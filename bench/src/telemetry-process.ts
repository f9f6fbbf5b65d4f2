import { Readable } from 'node:stream'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node'
import type { Observer } from 'lapidary'
import { openEngine } from 'lapidary-engine'
import { measuring } from 'lapidary-telemetry'
import { openTelemetry } from 'lapidary-telemetry/opentelemetry'
import { prometheusMetrics } from 'lapidary-telemetry/prometheus'
import { Registry } from 'prom-client'
import { comments, generateComments, PRODUCT } from './comments.ts'
import { seededRandom } from './random.ts'
import { createCommentsTable, entryOf, storeComments, TABLE_NAME } from './stored-comments.ts'

/**
 * Lists in one way: `telemetry-process.ts WAY [LIBRARY]`. A message asks for so many lists, and the answer is the processor's microseconds that one
 * took. LIBRARY is the built entry of another version.
 */

const OBSERVERS: Readonly<Record<string, () => readonly Observer[]>> = {
  none: () => [],
  metrics: () => [measuring(prometheusMetrics(new Registry()))],
  traces: () => {
    // It keeps what it is given, and sends it nowhere.
    const exporter = {
      export: (_: unknown, done: (result: { code: number }) => void) => done({ code: 0 }),
      shutdown: async () => {},
    }
    new NodeTracerProvider({ spanProcessors: [new BatchSpanProcessor(exporter)] }).register()
    return [openTelemetry()]
  },
}

interface HttpRequest {
  readonly body?: unknown
  readonly headers: Readonly<Record<string, string>>
}

interface HttpAnswer {
  readonly response: { readonly statusCode: number; readonly headers: Record<string, string>; readonly body: Readable }
}

const [way = 'none', library = 'lapidary'] = process.argv.slice(2)
const { createLapidary } = (await import(library)) as typeof import('lapidary')
const engine = await openEngine()
const client = new DynamoDBClient(engine.clientConfig)
await createCommentsTable(client)
await storeComments(client, generateComments(400, seededRandom(1)).map(entryOf))

/** Answers of the engine by their requests: once it has given them, what is measured is the work of this process alone. */
const known = new Map<string, { readonly headers: Record<string, string>; readonly body: Buffer }>()
const { requestHandler } = client.config
const send = requestHandler.handle.bind(requestHandler) as (
  request: HttpRequest,
  options: unknown,
) => Promise<HttpAnswer>
const remembering = async (request: HttpRequest, options: unknown): Promise<HttpAnswer> => {
  const key = `${request.headers['x-amz-target']} ${new TextDecoder().decode(request.body as Uint8Array)}`
  let answer = known.get(key)
  if (answer === undefined) {
    const { response } = await send(request, options)
    answer = { headers: response.headers, body: Buffer.concat(await response.body.toArray()) }
    known.set(key, answer)
  }
  return { response: { statusCode: 200, headers: answer.headers, body: Readable.from([answer.body]) } }
}
requestHandler.handle = remembering as never

const lapidary = createLapidary({
  ...{ client, tableName: TABLE_NAME, collections: { comments }, cursorSecret: 'a secret of the bench' },
  // An earlier version has no such option.
  ...(way === 'none' ? {} : { observers: OBSERVERS[way]?.() ?? [] }),
})
const query = { scope: PRODUCT, where: { rating: [4, 5] }, limit: 20 } as const

process.on('message', async (lists: number) => {
  const before = process.cpuUsage()
  for (let i = 0; i < lists; i++) await lapidary.comments.list(query)
  const { user, system } = process.cpuUsage(before)
  process.send?.((user + system) / lists)
})
process.on('disconnect', async () => {
  await engine.close()
  process.exit(0)
})
process.send?.('ready')
