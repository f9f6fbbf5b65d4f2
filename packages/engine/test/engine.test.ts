import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { CreateTableCommand, DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb'
import { afterEach, expect, test } from 'vitest'
import { type Claim, isVacant, readClaim } from '../src/claim.ts'
import { type Engine, openEngine } from '../src/index.ts'
import { isLive } from '../src/process-identity.ts'

const folders: string[] = []
const holders: ChildProcess[] = []

afterEach(async () => {
  for (const holder of holders.splice(0)) holder.kill('SIGKILL')
  for (const folder of folders.splice(0)) {
    await ended(folder)
    rmSync(folder, { recursive: true, force: true })
  }
})

test('an engine without a folder is private to its holder', async () => {
  await using mine = await openEngine()
  await using theirs = await openEngine()
  await createTable(mine, 'mine')
  expect(await listTables(mine)).toEqual(['mine'])
  expect(await listTables(theirs)).toEqual([])
})

test('what was written is there after the engine ended and started again', async () => {
  const dataDir = newFolder()
  const first = await openEngine({ dataDir })
  await createTable(first, 'comments')
  await first.close()
  await ended(dataDir)
  await using second = await openEngine({ dataDir })
  expect(await listTables(second)).toEqual(['comments'])
})

test('opening a folder that is open shares its engine, also from another process', async () => {
  const dataDir = newFolder()
  const other = await startHolder(dataDir)
  await using engine = await openEngine({ dataDir })
  await using again = await openEngine({ dataDir })
  expect([engine.endpoint, again.endpoint]).toEqual([other.endpoint, other.endpoint])
})

test('two processes that open at the same moment start one engine', async () => {
  const dataDir = newFolder()
  const opened = await Promise.all([startHolder(dataDir), startHolder(dataDir), openEngine({ dataDir })])
  expect(new Set(opened.map(({ endpoint }) => endpoint)).size).toBe(1)
  await opened[2].close()
})

test('the engine goes on while one of two holders is left, and ends with the last one when it is killed', async () => {
  const dataDir = newFolder()
  const other = await startHolder(dataDir)
  const engine = await openEngine({ dataDir })
  const claim = claimOf(dataDir)
  await engine.close()
  await delay(600)
  expect(await listTables(engine)).toEqual([])
  other.process.kill('SIGKILL')
  await ended(dataDir)
  // The supervisor gives up the claim a moment before its process is gone.
  await expect.poll(() => isRunning(claim)).toBe(false)
})

test('an engine without a folder ends with its holder when that is killed', async () => {
  const holder = await startHolder(undefined)
  holder.process.kill('SIGKILL')
  await expect.poll(() => answers(holder.endpoint)).toBe(false)
})

test('an interrupt to the whole process group leaves the engine to its holders', async () => {
  const dataDir = newFolder()
  const holder = await startHolder(dataDir, "process.on('SIGINT', () => {})")
  process.kill(-(holder.process.pid ?? 0), 'SIGINT')
  await delay(300)
  expect(await answers(holder.endpoint)).toBe(true)
})

test('a holder that opens while the engine is ending gets a working one', async () => {
  const dataDir = newFolder()
  for (const pause of [0, 290, 300, 310]) {
    const engine = await openEngine({ dataDir })
    await listTables(engine)
    await engine.close()
    await delay(pause)
  }
  await using engine = await openEngine({ dataDir })
  expect(await listTables(engine)).toEqual([])
})

test('a claim that a crash left behind is taken over', async () => {
  const dataDir = newFolder()
  const supervisor = { pid: process.pid, startedAt: 'another process with this number' }
  writeClaim(dataDir, JSON.stringify({ number: 7, state: 'ready', supervisor, sockets: '/nowhere' }))
  await using engine = await openEngine({ dataDir })
  expect(await listTables(engine)).toEqual([])
  expect(claimOf(dataDir).number).toBe(8)
})

test('a claim cut short by a crash is taken over', async () => {
  const dataDir = newFolder()
  writeClaim(dataDir, '')
  await using engine = await openEngine({ dataDir })
  expect(await listTables(engine)).toEqual([])
})

test('a database that was killed comes back at the same address with its data', async () => {
  const dataDir = newFolder()
  await using engine = await openEngine({ dataDir })
  await createTable(engine, 'comments')
  process.kill(claimOf(dataDir).engine?.pid ?? 0, 'SIGKILL')
  await expect.poll(() => answers(engine.endpoint ?? '')).toBe(true)
  expect(await listTables(engine)).toEqual(['comments'])
})

test('a supervisor that was killed is replaced, at the same address, while another process holds the engine', async () => {
  const dataDir = newFolder()
  await using engine = await openEngine({ dataDir })
  await createTable(engine, 'comments')
  const claim = claimOf(dataDir)
  process.kill(claim.supervisor.pid, 'SIGKILL')
  await expect.poll(() => readClaim(join(dataDir, 'engine'))?.state).toBe('ready')
  await expect.poll(() => answers(engine.endpoint ?? '')).toBe(true)
  expect(await listTables(engine)).toEqual(['comments'])
})

test('a database file that cannot be opened is an error that names the log', async () => {
  const dataDir = newFolder()
  writeFileSync(join(dataDir, 'dynamodb.sqlite'), 'not a database'.repeat(1_000))
  await expect(openEngine({ dataDir })).rejects.toMatchObject({
    code: 'engine_unavailable',
    message: expect.stringContaining('engine.log'),
  })
})

test('a holder that forgot to close does not stay alive for it', async () => {
  const holder = await startHolder(newFolder(), 'clearInterval(stay)')
  await once(holder.process, 'exit')
  expect(holder.process.exitCode).toBe(0)
})

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'lapidary-test-'))
  folders.push(folder)
  return folder
}

/** Opens the engine in a process of its own, which stays until it is killed. */
async function startHolder(
  dataDir: string | undefined,
  then = '',
): Promise<{ endpoint: string; process: ChildProcess }> {
  const library = new URL('../dist/index.js', import.meta.url).href
  const script = `
    import { openEngine } from ${JSON.stringify(library)}
    const stay = setInterval(() => {}, 1000)
    const engine = await openEngine({ dataDir: ${JSON.stringify(dataDir)} })
    ${then}
    console.log(engine.endpoint)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  })
  holders.push(child)
  const [endpoint] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  return { endpoint, process: child }
}

async function listTables(engine: Engine): Promise<string[] | undefined> {
  const client = new DynamoDBClient(engine.clientConfig)
  const { TableNames } = await client.send(new ListTablesCommand({}))
  client.destroy()
  return TableNames
}

async function createTable(engine: Engine, TableName: string): Promise<void> {
  const client = new DynamoDBClient(engine.clientConfig)
  await client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'PK', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'PK', KeyType: 'HASH' }],
    }),
  )
  client.destroy()
}

/** Tells whether the API behind `unix:PATH` answers. */
async function answers(endpoint: string): Promise<boolean> {
  return new Promise((resolve) => {
    const outgoing = request({ socketPath: endpoint.slice('unix:'.length), agent: false })
    outgoing.on('response', (response) => resolve(response.resume().statusCode !== undefined))
    outgoing.on('error', () => resolve(false)).end()
  })
}

function claimOf(dataDir: string): Claim {
  const claim = readClaim(join(dataDir, 'engine'))
  if (claim === undefined) throw new Error(`no process ever claimed ${dataDir}`)
  return claim
}

function isRunning({ engine, supervisor }: Claim): boolean {
  return isLive(supervisor) || (engine !== undefined && isLive(engine))
}

async function ended(dataDir: string): Promise<void> {
  await expect.poll(() => isVacant(readClaim(join(dataDir, 'engine')))).toBe(true)
}

function writeClaim(dataDir: string, text: string): void {
  mkdirSync(join(dataDir, 'engine'))
  writeFileSync(join(dataDir, 'engine', 'claim-7.json'), text)
}
