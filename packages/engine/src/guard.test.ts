import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Claim, isVacant, readClaim } from './claim.ts'
import { clientConfig, type Engine, openEngine } from './index.ts'

let dataDir: string
let engine: Engine

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'lapidary-test-'))
  // An older version, or a copy from elsewhere, may have left them like this.
  mkdirSync(join(dataDir, 'engine'), { mode: 0o755 })
  engine = await openEngine({ dataDir })
})
afterEach(async () => {
  await engine.close()
  await ended(dataDir)
  rmSync(dataDir, { recursive: true })
})

test('no file of the engine can be read, and no folder entered, by another user', async () => {
  const sockets = dirname(engine.endpoint?.replace('unix:', '') ?? '')
  expect(mode(sockets)).toBe('700')
  expect(mode(join(dataDir, 'engine'))).toBe('700')
  const files = [...filesIn(dataDir), ...filesIn(join(dataDir, 'engine')), ...filesIn(sockets)]
  expect(files.length).toBeGreaterThan(4)
  expect(files.filter((file) => Number.parseInt(mode(file), 8) & 0o077)).toEqual([])
})

test('a database file that others could read is closed to them at the next start', async () => {
  await engine.close()
  await ended(dataDir)
  const file = join(dataDir, 'dynamodb.sqlite')
  chmodSync(file, 0o644)
  engine = await openEngine({ dataDir })
  expect(mode(file)).toBe('600')
})

test('a program that knows nothing of the folder does not reach the database itself', async () => {
  const { pid } = claim().engine ?? { pid: 0 }
  const listening = tcpListeners(pid)
  expect(listening.length).toBe(1)
  const ownNetwork = readlinkSync(`/proc/${pid}/ns/net`) !== readlinkSync('/proc/self/ns/net')
  for (const { host, port } of listening) {
    if (ownNetwork) await expect(reach(host, port)).rejects.toThrow('ECONNREFUSED')
    else expect(host).not.toBe('127.0.0.1')
  }
})

test('where the system gives it no network of its own, the database is at an address of many', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'lapidary-test-'))
  const script = `
    import { openEngine } from ${JSON.stringify(new URL('../dist/index.js', import.meta.url).href)}
    setInterval(() => {}, 1000)
    console.log((await openEngine({ dataDir: ${JSON.stringify(dataDir)} })).endpoint)`
  // Without a PATH there are no unshare and no setpriv, as on other systems.
  const holder = spawn(process.execPath, ['--input-type=module', '-e', script], { env: { ...process.env, PATH: '' } })
  await once(createInterface({ input: holder.stdout }), 'line')
  const hosts = tcpListeners(claim(dataDir).engine?.pid ?? 0).map(({ host }) => host)
  expect(hosts).toEqual([expect.stringMatching(/^127\.(?!0\.0\.1$)/)])
  holder.kill('SIGKILL')
  await ended(dataDir)
  rmSync(dataDir, { recursive: true })
})

test('who may enter the folder is served, by the address alone', async () => {
  const client = new DynamoDBClient(clientConfig(engine.endpoint, {}))
  expect((await client.send(new ListTablesCommand({}))).TableNames).toEqual([])
  client.destroy()
})

function claim(folder: string = dataDir): Claim {
  const found = readClaim(join(folder, 'engine'))
  if (found === undefined) throw new Error(`there is no claim on ${folder}`)
  return found
}

async function ended(folder: string): Promise<void> {
  await expect.poll(() => isVacant(readClaim(join(folder, 'engine')))).toBe(true)
}

function mode(path: string): string {
  return (statSync(path).mode & 0o777).toString(8)
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [] : [join(folder, entry.name)],
  )
}

/** Lists the addresses in a process's network on which its own sockets listen. */
function tcpListeners(pid: number): { host: string; port: number }[] {
  const own = new Set(
    readdirSync(`/proc/${pid}/fd`).map((fd) => /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1]),
  )
  return readFileSync(`/proc/${pid}/net/tcp`, 'utf8')
    .trim()
    .split('\n')
    .slice(1)
    .flatMap((line) => {
      const fields = line.trim().split(/\s+/)
      const [address = '', port = ''] = (fields[1] ?? '').split(':')
      const host = (address.match(/../g) ?? []).reverse().map((byte) => Number.parseInt(byte, 16))
      const LISTEN = '0A'
      return fields[3] === LISTEN && own.has(fields[9])
        ? [{ host: host.join('.'), port: Number.parseInt(port, 16) }]
        : []
    })
}

async function reach(host: string, port: number): Promise<void> {
  const socket = connect(port, host)
  try {
    await once(socket, 'connect')
  } finally {
    socket.destroy()
  }
}
