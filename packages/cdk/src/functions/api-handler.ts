import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { type Authorize, byTokens } from 'lapidary-http'
import { budgetedClient, createMetrics, observeCapacity } from 'lapidary-http/internal'
import { createApi } from 'lapidary-http/internal/server'
import { type LambdaHandler, lambdaHandler, lambdaLog, rotatedSecret, withRotatedSecrets } from 'lapidary-http/lambda'
import { embeddedMetrics, measuredFunction } from 'lapidary-telemetry'
import { type FunctionConfig, openDatabase, required } from './open-database.ts'

const METRICS_MS = 10_000

/** The options of {@link apiHandler}. */
export interface ApiHandlerOptions {
  /** Decides what a request may see and do; the tokens of the stack when not given. */
  readonly authorize?: Authorize
  /** What the description of the API is headed with. */
  readonly title?: string
}

/**
 * Makes the function that serves the collections over HTTP, as `lapidaryRoutes` does: lists, counts, items, and `/docs`.
 *
 * @example
 * ```ts
 * export const handler = apiHandler({ collections: { comments } }, { authorize: () => ({ reads: ['42'] }) })
 * ```
 */
export function apiHandler(config: FunctionConfig, { authorize, title }: ApiHandlerOptions = {}): LambdaHandler {
  const client = new DynamoDBClient({})
  const logger = lambdaLog()
  const embedded = embeddedMetrics({ table: required('TABLE_NAME') })
  const metrics = createMetrics({ process: false, also: embedded })
  observeCapacity(client, metrics.observeCapacity)
  const { CURSOR_SECRET_ID, ADMIN_TOKEN_ID, WRITER_TOKEN_ID, MAX_CAPACITY, BEHIND_CLOUDFRONT } = process.env
  const secret = (secretId: string) =>
    rotatedSecret({ secretId, onError: (err) => logger.error({ err }, 'a secret could not be read again') })
  const secrets = {
    cursor: secret(CURSOR_SECRET_ID ?? required('CURSOR_SECRET_ID')),
    ...(ADMIN_TOKEN_ID === undefined ? {} : { admin: secret(ADMIN_TOKEN_ID) }),
    ...(WRITER_TOKEN_ID === undefined ? {} : { writer: secret(WRITER_TOKEN_ID) }),
  }
  const open = withRotatedSecrets(secrets, ({ cursor, admin, writer }) => {
    const database = openDatabase(config, {
      client: budgetedClient(client),
      cursorSecret: cursor,
      observers: [metrics.observer],
    })
    return createApi(database, {
      ...{ logger, metrics, authorize: authorize ?? byTokens({ admin: admin ?? [], writer }) },
      ...(title === undefined ? {} : { title }),
      ...(MAX_CAPACITY === undefined ? {} : { maxCapacity: Number(MAX_CAPACITY) }),
      readiness: {
        derivedData: async () => ({ ok: true, deadLetters: await database.stream.deadLetters.count() }),
      },
    })
  })
  const handler = lambdaHandler(open, { behindCloudFront: BEHIND_CLOUDFRONT === '1' })
  // A line for each request would cost more than the request.
  return measuredFunction(handler, { metrics: embedded, afterMs: METRICS_MS })
}
