import { type PythonServer, startPythonServer } from './python-server.ts'

/** Starts MiniStack with DynamoDB and its change streams alone. */
export function startMinistack(): Promise<PythonServer> {
  return startPythonServer('ministack', (port) => ({
    args: ['-m', 'ministack'],
    env: {
      // Without these it listens on every interface.
      ...{ BIND_HOST: '127.0.0.1', MINISTACK_HOST: '127.0.0.1' },
      ...{ GATEWAY_PORT: port, SERVICES: 'dynamodb,dynamodbstreams', LOG_LEVEL: 'ERROR' },
    },
  }))
}
