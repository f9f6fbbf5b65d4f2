import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb'
import { EngineError } from './engine-error.ts'

const maxSockets = 128

/** How a client reaches an engine: local ones take any credentials, AWS takes the usual chain. */
export function clientConfig(
  kind: 'embedded' | 'endpoint' | 'aws',
  endpoint: string | undefined,
  env: NodeJS.ProcessEnv = process.env,
): DynamoDBClientConfig {
  const agent = { keepAlive: true, maxSockets }
  const requestHandler = { httpAgent: agent, httpsAgent: agent }
  if (kind === 'aws' || endpoint === undefined) return { requestHandler }
  if (!URL.canParse(endpoint) || !/^https?:$/.test(new URL(endpoint).protocol)) {
    throw new EngineError(
      'bad_request',
      `The DynamoDB endpoint ${JSON.stringify(endpoint)} is not a URL: give one like http://127.0.0.1:8000, or aws for AWS.`,
    )
  }
  const hasCredentials = kind === 'endpoint' && (env.AWS_ACCESS_KEY_ID || env.AWS_PROFILE)
  return {
    endpoint,
    region: env.AWS_REGION || 'us-east-1',
    requestHandler,
    ...(hasCredentials ? {} : { credentials: { accessKeyId: 'local', secretAccessKey: 'local' } }),
  }
}
