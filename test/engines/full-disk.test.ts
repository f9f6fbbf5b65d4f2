import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { CreateTableCommand, DynamoDBClient, ListTablesCommand, PutItemCommand } from '@aws-sdk/client-dynamodb'
import { clientConfig } from 'lapidary-engine'
import { afterEach, expect, test } from 'vitest'
import { findBinary } from '../../packages/engine/src/binary.ts'
import { createTableClient } from '../../packages/lapidary/src/table/table-client.ts'
import { uniqueTableName } from './index.ts'

/** The most size of a file, in blocks of 512 bytes: 2 MB. A further write fails as on a full disk, on any Linux and for any user. */
const BLOCKS = 4_000
const folder = mkdtempSync(join(tmpdir(), 'lapidary-test-'))
let engine: ChildProcess | undefined

afterEach(async () => {
  if (engine?.kill('SIGKILL') === true) await once(engine, 'exit')
  rmSync(folder, { recursive: true })
})

test('a database whose disk is full says so at once, and not that it is throttled', async () => {
  const client = new DynamoDBClient(clientConfig(await startLimited(), {}))
  const tableName = uniqueTableName()
  await client.send(
    new CreateTableCommand({
      TableName: tableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'PK', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'PK', KeyType: 'HASH' }],
    }),
  )
  let slept = 0
  const sleepNot = async (): Promise<void> => {
    slept++
  }
  const table = createTableClient({ client, tableName, random: Math.random, sleep: sleepNot })
  const fill = async (): Promise<void> => {
    for (let i = 0; i < 10_000; i++) {
      const Item = { PK: { S: String(i) }, text: { S: 'x'.repeat(10_000) } }
      await table.send(new PutItemCommand({ TableName: tableName, Item }))
    }
  }
  await expect(fill()).rejects.toMatchObject({
    code: 'unavailable',
    message: `DynamoDB can't write to the table ${tableName}: the disk of its data is full; free some space, then try again`,
  })
  expect(slept).toBe(0)
  client.destroy()
})

/** Starts dynoxide with a limit on the size of its files. */
async function startLimited(): Promise<string> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as { port: number }
  await new Promise((resolve) => probe.close(resolve))
  const serve = ['serve', '--host', '127.0.0.1', '--port', String(port), '--db-path', join(folder, 'db.sqlite')]
  const limited = `trap '' XFSZ; ulimit -f ${BLOCKS}; exec "$@"`
  engine = spawn('sh', ['-c', limited, 'sh', findBinary(), ...serve], { stdio: 'ignore' })
  const endpoint = `http://127.0.0.1:${port}`
  const client = new DynamoDBClient({ ...clientConfig(endpoint, {}), maxAttempts: 1 })
  while (!(await client.send(new ListTablesCommand({})).catch(() => false))) await sleep(10)
  client.destroy()
  return endpoint
}
