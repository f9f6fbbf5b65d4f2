import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { request } from 'node:http'
import { createServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { Address } from './guard.ts'
import { identify, isLive, type ProcessIdentity } from './process-identity.ts'

/** Options of a dynoxide process. */
export interface DynoxideOptions {
  readonly binary: string
  readonly databaseFile: string
  readonly logFile: string
  /** Whether this process has a network of its own. */
  readonly isolated: boolean
}

/** A running dynoxide that answers requests. */
export interface Dynoxide {
  readonly process: ChildProcess
  readonly identity: ProcessIdentity
  readonly address: Address
}

const startMilliseconds = 60_000
const stopMilliseconds = 2_000
const tries = 5

/** Starts dynoxide and waits until it answers. It takes another port where another program took the first meanwhile. */
export async function startDynoxide(options: DynoxideOptions): Promise<Dynoxide> {
  for (let attempt = 1; ; attempt++) {
    const address = await freeAddress(options.isolated)
    const child = spawnDynoxide(options, address)
    if (await answers(child, address)) return { process: child, identity: identify(child.pid ?? 0), address }
    const log = readFileSync(options.logFile, 'utf8').trim()
    if (!/address.*in use/i.test(log) || attempt === tries) {
      throw new Error(
        `The embedded DynamoDB (${options.binary}) did not start: ${log.slice(-500) || 'it said nothing'}`,
      )
    }
  }
}

/** Ends a process by its number, first by SIGTERM, then by force, and waits until it is gone. */
export async function endProcess(identity: ProcessIdentity): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    if (!isLive(identity)) return
    try {
      process.kill(identity.pid, signal)
    } catch {
      return
    }
    const deadline = Date.now() + stopMilliseconds
    while (isLive(identity) && Date.now() < deadline) await delay(5)
  }
}

function spawnDynoxide({ binary, databaseFile, logFile }: DynoxideOptions, { host, port }: Address): ChildProcess {
  const command = [binary, 'serve', '--host', host, '--port', String(port), '--db-path', databaseFile]
  const [file = binary, ...options] = canFollowItsParent() ? ['setpriv', '--pdeathsig', 'KILL', ...command] : command
  const log = openSync(logFile, 'w')
  try {
    return spawn(file, options, { stdio: ['ignore', log, log] }).on('error', () => {})
  } finally {
    closeSync(log)
  }
}

let followsItsParent: boolean | undefined

/** Tells whether the system can end a child when its parent is killed (util-linux's setpriv; not BusyBox's). */
function canFollowItsParent(): boolean {
  followsItsParent ??= spawnSync('setpriv', ['--pdeathsig', 'KILL', 'true'], { stdio: 'ignore' }).status === 0
  return followsItsParent
}

async function answers(child: ChildProcess, address: Address): Promise<boolean> {
  const deadline = Date.now() + startMilliseconds
  const runs = () => child.pid !== undefined && child.exitCode === null && child.signalCode === null
  while (runs() && Date.now() < deadline) {
    if ((await listTables(address)) && runs()) return true
    await delay(5)
  }
  if (child.pid !== undefined) await endProcess(identify(child.pid))
  return false
}

function listTables(address: Address): Promise<boolean> {
  return new Promise((resolve) => {
    const headers = {
      'x-amz-date': '20200101T000000Z',
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': 'DynamoDB_20120810.ListTables',
      authorization:
        'AWS4-HMAC-SHA256 Credential=local/20200101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=none',
    }
    const outgoing = request({ ...address, method: 'POST', headers, agent: false, timeout: 2_000 })
    outgoing.on('response', (response) => resolve(response.resume().statusCode === 200))
    outgoing.on('timeout', () => outgoing.destroy())
    outgoing.on('error', () => resolve(false))
    outgoing.end('{}')
  })
}

/**
 * Chooses where to listen. Without a network of its own dynoxide listens on one of Linux's 16 million loopback addresses and a random port,
 * which a page in a browser can't find by trying; a program of another user that reads /proc/net/tcp can.
 */
async function freeAddress(isolated: boolean): Promise<Address> {
  if (isolated) return { host: '127.0.0.1', port: 8000 }
  const random = `127.${randomInt(1, 255)}.${randomInt(0, 256)}.${randomInt(1, 255)}`
  return (await freePort(random).catch(() => undefined)) ?? freePort('127.0.0.1')
}

async function freePort(host: string): Promise<Address> {
  const server = createServer().listen(0, host)
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('The system gave no free port.')
  return { host, port: address.port }
}
