import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb'
import { clientConfig } from 'lapidary-engine'

/** The program as its package brings it. */
export function dynoxideBinary(): string {
  return join(dirname(createRequire(import.meta.url).resolve('@dynoxide/linux-x64/package.json')), 'dynoxide')
}

/** dynoxide as it comes, on a port, with a file or in memory. */
export async function startBare({
  inMemory,
}: {
  readonly inMemory: boolean
}): Promise<{ readonly endpoint: string } & AsyncDisposable> {
  const folder = mkdtempSync(join(tmpdir(), 'lapidary-bench-'))
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as { port: number }
  await new Promise((resolve) => probe.close(resolve))
  const options = ['serve', '--host', '127.0.0.1', '--port', String(port)]
  if (!inMemory) options.push('--db-path', join(folder, 'db.sqlite'))
  const child = spawn(dynoxideBinary(), options, { stdio: 'ignore' })
  const endpoint = `http://127.0.0.1:${port}`
  const client = new DynamoDBClient({ ...clientConfig(endpoint), maxAttempts: 1 })
  while (!(await client.send(new ListTablesCommand({})).catch(() => false))) await sleep(10)
  client.destroy()
  return {
    endpoint,
    async [Symbol.asyncDispose]() {
      child.kill()
      await once(child, 'exit')
      rmSync(folder, { recursive: true })
    },
  }
}
