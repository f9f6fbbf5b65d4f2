import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb'
import { clientConfig } from 'lapidary-engine'
import { findBinary } from '../../packages/engine/src/binary.ts'
import { prepareDatabase } from '../../packages/engine/src/database-file.ts'

/** The embedded engine's database without the guard, which passes its bytes on and takes a quarter of a request's work. */
export interface BareEngine extends AsyncDisposable {
  readonly endpoint: string
}

/** Starts it on the loopback interface; it ends when it is disposed of, or with this process. */
export async function startBareEngine(): Promise<BareEngine> {
  const folder = mkdtempSync(join(tmpdir(), 'bare-engine-'))
  const databaseFile = join(folder, 'dynamodb.sqlite')
  await prepareDatabase(databaseFile)
  const port = await freePort()
  const serve = ['serve', '--host', '127.0.0.1', '--port', String(port), '--db-path', databaseFile]
  const child = spawn(findBinary(), serve, { stdio: 'ignore' })
  const end = (): void => void child.kill('SIGKILL')
  process.once('exit', end)
  const endpoint = `http://127.0.0.1:${port}`
  const client = new DynamoDBClient({ ...clientConfig(endpoint, {}), maxAttempts: 1 })
  while (!(await client.send(new ListTablesCommand({})).catch(() => false))) {
    if (child.exitCode !== null) throw new Error(`the engine ended with ${child.exitCode}`)
    await sleep(10)
  }
  client.destroy()
  return {
    endpoint,
    async [Symbol.asyncDispose]() {
      process.off('exit', end)
      const ended = once(child, 'exit')
      end()
      await ended
      rmSync(folder, { recursive: true })
    },
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as { port: number }
  await new Promise((resolve) => probe.close(resolve))
  return port
}
