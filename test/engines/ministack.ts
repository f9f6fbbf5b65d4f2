import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type PythonServer, startPythonServer } from './python-server.ts'

/** Starts MiniStack with DynamoDB and its change streams alone. */
export async function startMinistack(): Promise<PythonServer> {
  const { url, kill } = await startPythonServer('ministack', (port) => ({
    args: ['-m', 'ministack'],
    env: {
      // Without these it listens on every interface.
      ...{ BIND_HOST: '127.0.0.1', MINISTACK_HOST: '127.0.0.1' },
      ...{ GATEWAY_PORT: port, SERVICES: 'dynamodb,dynamodbstreams', LOG_LEVEL: 'ERROR' },
    },
  }))
  const end = async (): Promise<void> => {
    await kill()
    rmSync(join(tmpdir(), `ministack-${new URL(url).port}.pid`), { force: true })
  }
  return { url, kill: end, [Symbol.asyncDispose]: end }
}
