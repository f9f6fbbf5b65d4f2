import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { budgetedClient, createMetrics, observeCapacity } from 'lapidary-http/internal'
import { lambdaHandler, lambdaLog, rotatedSecret, withRotatedSecrets } from 'lapidary-http/lambda'
import { createApp } from '../app.ts'
import { ConfigError, readConfig } from '../config.ts'
import { createServices } from '../services.ts'
import functions from './functions.config.ts'

/**
 * The HTTP API and the web pages as a function, one request at a time. Its variables are those of the server; its tokens and the secret of its
 * cursors are read from Secrets Manager, since functions share no disk, and a variable would need a deployment to change.
 */
const config = readConfig([], process.env)
if (config === 'help') throw new ConfigError('a function has no flags')
const { tableName, maxCapacity, publicUrl } = config
const client = new DynamoDBClient({})
const metrics = createMetrics({ process: false })
observeCapacity(client, metrics.observeCapacity)
const logger = lambdaLog(config.logLevel === 'warn' || config.logLevel === 'error' ? config.logLevel : 'info')

const { WRITER_TOKEN_ID: writerToken, BEHIND_CLOUDFRONT: behindCloudFront } = process.env
const secrets = {
  cursor: secretNamed('CURSOR_SECRET_ID'),
  admin: secretNamed('ADMIN_TOKEN_ID'),
  ...(writerToken === undefined ? {} : { writer: secretNamed('WRITER_TOKEN_ID') }),
}

const open = withRotatedSecrets(secrets, ({ cursor, admin, writer }) => {
  const { layout, derived } = functions
  const services = createServices({
    ...{ client: budgetedClient(client), tableName, layout, maxCapacity, cursorSecret: cursor },
    derived: { counts: true, ...derived },
  })
  return createApp(services, {
    ...{ tokens: { admin, writer }, logger, metrics, publicUrl },
    readiness: {
      // The check reads the table, too. The event source mapping reports how far the counts are behind, as IteratorAge.
      derivedData: async () => ({ ok: true, deadLetters: await services.database.stream.deadLetters.count() }),
    },
  })
})

/** Answers events of function URLs, API Gateway and load balancers. */
export const handler = lambdaHandler(open, { behindCloudFront: behindCloudFront === '1' })

function secretNamed(variable: string): ReturnType<typeof rotatedSecret> {
  const secretId = process.env[variable]
  if (secretId === undefined || secretId === '')
    throw new ConfigError(`${variable} is not set; give it the name or the ARN of a secret in Secrets Manager`)
  return rotatedSecret({ secretId, onError: (err) => logger.error({ err }, 'a secret could not be read again') })
}
