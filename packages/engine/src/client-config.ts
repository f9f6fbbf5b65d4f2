import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb'
import { EngineError } from './engine-error.ts'
import { shownEndpoint } from './shown-endpoint.ts'

const maxSockets = 128
const madeUp = { accessKeyId: 'local', secretAccessKey: 'local' }

/**
 * Configures a client for an endpoint: a URL, the `unix:` address of an embedded engine, or AWS for none (or `aws`).
 *
 * AWS gets the usual credentials, a URL those of the environment if it has any, an embedded engine never real ones.
 *
 * @throws {EngineError} `bad_request` for any other endpoint.
 * @example
 * ```ts
 * const client = new DynamoDBClient(clientConfig('http://127.0.0.1:8000'))
 * ```
 */
export function clientConfig(endpoint: string | undefined, env: NodeJS.ProcessEnv = process.env): DynamoDBClientConfig {
  const agent = { keepAlive: true, maxSockets }
  if (endpoint === undefined || endpoint === 'aws') return { requestHandler: { httpAgent: agent, httpsAgent: agent } }
  const region = env.AWS_REGION || 'us-east-1'
  const socketPath = /^unix:(\/.+)$/.exec(endpoint)?.[1]
  if (socketPath !== undefined) {
    const requestHandler = { httpAgent: { ...agent, socketPath } }
    return { endpoint: 'http://localhost', region, requestHandler, credentials: madeUp }
  }
  if (!URL.canParse(endpoint) || !/^https?:$/.test(new URL(endpoint).protocol)) {
    throw new EngineError(
      'bad_request',
      `The DynamoDB endpoint ${JSON.stringify(shownEndpoint(endpoint))} is not a URL: give one like ` +
        'http://127.0.0.1:8000, or aws for AWS.',
    )
  }
  const hasCredentials = env.AWS_ACCESS_KEY_ID || env.AWS_PROFILE
  const requestHandler = { httpAgent: agent, httpsAgent: agent }
  return { endpoint, region, requestHandler, ...(hasCredentials ? {} : { credentials: madeUp }) }
}
