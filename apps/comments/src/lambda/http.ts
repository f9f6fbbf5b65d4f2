import { Hono } from 'hono'
import { handle, type LambdaContext, type LambdaEvent } from 'hono/aws-lambda'
import { compress } from 'hono/compress'
import type { Bindings } from 'lapidary-http/internal'
import { measuredFunction } from 'lapidary-telemetry'
import { createApp } from '../app.ts'
import { ConfigError } from '../config.ts'
import { openServices } from './services.ts'

/** The HTTP API and the web pages as a function behind a function URL, one request at a time. */
const { config, services, metrics, embedded, observers, logger } = await openServices(process.env)
const { adminToken, writerToken, publicUrl } = config
if (adminToken === undefined) throw new ConfigError('ADMIN_TOKEN is not set; a function has nowhere to keep one')

const app = createApp(services, {
  tokens: { admin: adminToken, writer: writerToken },
  ...{ logger, metrics, observers, publicUrl },
  readiness: {
    // The check reads the table, too. The event source mapping reports how far the counts are behind, as IteratorAge.
    derivedData: async () => ({ ok: true, deadLetters: await services.database.stream.deadLetters.count() }),
  },
})

const compressed = new Hono<{ Bindings: { readonly event: LambdaEvent; readonly lambdaContext?: LambdaContext } }>()
compressed.use(compress())
compressed.all('*', ({ req, env }) => app.fetch(req.raw, asSent(env.event, env.lambdaContext)))

/** A line for each request would cost more than the request. */
const METRICS_MS = 10_000

/** Answers events of payload format 2.0. */
export const handler: ReturnType<typeof handle> = measuredFunction(handle(compressed), {
  metrics: embedded,
  afterMs: METRICS_MS,
})

/** Returns what the request line and the socket say elsewhere. A request has the id of its invocation, by which Lambda's own lines name it. */
function asSent(event: LambdaEvent, invocation: LambdaContext | undefined): Bindings {
  if (!('rawPath' in event)) throw new TypeError('the event is not of payload format 2.0, as function URLs send it')
  const { rawPath, rawQueryString, requestContext } = event
  const url = rawQueryString === '' ? rawPath : `${rawPath}?${rawQueryString}`
  return {
    incoming: { url, socket: { remoteAddress: requestContext.http.sourceIp } },
    requestId: invocation?.awsRequestId,
  }
}
