import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { budgetedClient, createMetrics, observeCapacity, registeredTracing } from 'lapidary-http/internal'
import { type LambdaHandler, lambdaHandler, lambdaLog, rotatedSecret, withRotatedSecrets } from 'lapidary-http/lambda'
import { embeddedMetrics, measuredFunction } from 'lapidary-telemetry'
import { createApp } from '../app.ts'
import { ConfigError, readConfig } from '../config.ts'
import { createServices } from '../services.ts'
import functions from './functions.config.ts'
import { identity } from './identity.ts'

/**
 * The HTTP API and the web pages as a function, one request at a time. Its variables are those of the server; its tokens and the secret of its
 * cursors are read from Secrets Manager, since functions share no disk, and a variable would need a deployment to change.
 */
const config = readConfig([], process.env)
if (config === 'help') throw new ConfigError('a function has no flags')
const { tableName, maxCapacity, publicUrl, moderation } = config
const client = new DynamoDBClient({})
const { observers, traceIds } = await registeredTracing()
const embedded = embeddedMetrics({ table: tableName })
const metrics = createMetrics({ process: false, also: embedded })
observeCapacity(client, metrics.observeCapacity)
const logger = lambdaLog(config.logLevel === 'warn' || config.logLevel === 'error' ? config.logLevel : 'info', traceIds)

const { WRITER_TOKEN_ID: writerToken, BEHIND_CLOUDFRONT: behindCloudFront } = process.env
const secrets = {
  cursor: secretNamed('CURSOR_SECRET_ID'),
  admin: secretNamed('ADMIN_TOKEN_ID'),
  ...(writerToken === undefined ? {} : { writer: secretNamed('WRITER_TOKEN_ID') }),
}

const open = withRotatedSecrets(secrets, ({ cursor, admin, writer }) => {
  const { layout, derived } = functions
  const { pages } = derived
  const services = createServices({
    ...{ client: budgetedClient(client), tableName, layout, maxCapacity, cursorSecret: cursor },
    observers: [...observers, metrics.observer],
    derived: { counts: true, ...(pages === undefined ? {} : { pages }) },
  })
  return createApp(services, {
    ...{ tokens: { admin, writer }, logger, metrics, observers, publicUrl, moderation },
    ...(identity === undefined ? {} : { identity }),
    readiness: {
      // The check reads the table, too. The event source mapping reports how far the counts are behind, as IteratorAge.
      derivedData: async () => ({ ok: true, deadLetters: await services.database.stream.deadLetters.count() }),
    },
  })
})

/** A line for each request would cost more than the request. */
const METRICS_MS = 10_000

/** Answers events of function URLs, API Gateway and load balancers. */
export const handler: LambdaHandler = measuredFunction(
  lambdaHandler(open, { behindCloudFront: behindCloudFront === '1' }),
  { metrics: embedded, afterMs: METRICS_MS },
)

function secretNamed(variable: string): ReturnType<typeof rotatedSecret> {
  const secretId = process.env[variable]
  if (secretId === undefined || secretId === '')
    throw new ConfigError(`${variable} is not set; give it the name or the ARN of a secret in Secrets Manager`)
  return rotatedSecret({ secretId, onError: (err) => logger.error({ err }, 'a secret could not be read again') })
}
