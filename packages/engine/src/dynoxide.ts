import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { request } from 'node:http'
import { createServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { identify, isLive, type ProcessIdentity } from './process-identity.ts'

/** What a dynoxide process is started with. */
export interface DynoxideOptions {
  readonly binary: string
  /** The database's file; in memory without. */
  readonly databaseFile?: string | undefined
  readonly logFile: string
  /** The port to try first; any free one without. */
  readonly port?: number | undefined
}

/** A running dynoxide that answers requests. */
export interface Dynoxide {
  readonly process: ChildProcess
  readonly identity: ProcessIdentity
  readonly port: number
}

const startMilliseconds = 10_000
const stopMilliseconds = 2_000
const portTries = 5

/** Starts dynoxide and waits until it answers. A port that somebody else took meanwhile is given up for another. */
export async function startDynoxide(options: DynoxideOptions): Promise<Dynoxide> {
  for (let tries = 1; ; tries++) {
    const port = (tries === 1 ? options.port : undefined) ?? (await freePort())
    const child = spawnDynoxide(options, port)
    if (await answers(child, port)) return { process: child, identity: identify(child.pid ?? 0), port }
    const log = readFileSync(options.logFile, 'utf8').trim()
    if (!/address.*in use/i.test(log) || tries === portTries) {
      throw new Error(
        `The embedded DynamoDB (${options.binary}) did not start: ${log.slice(-500) || 'it said nothing'}`,
      )
    }
  }
}

/** Ends a process by its number: politely, then by force. Resolves when it is gone. */
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

function spawnDynoxide({ binary, databaseFile, logFile }: DynoxideOptions, port: number): ChildProcess {
  const command = [binary, 'serve', '--host', '127.0.0.1', '--port', String(port)]
  if (databaseFile !== undefined) command.push('--db-path', databaseFile)
  const [file = binary, ...options] = canFollowItsParent() ? ['setpriv', '--pdeathsig', 'KILL', ...command] : command
  const log = openSync(logFile, 'w')
  try {
    return spawn(file, options, { stdio: ['ignore', log, log] }).on('error', () => {})
  } finally {
    closeSync(log)
  }
}

let followsItsParent: boolean | undefined

/** Whether the system can end a child when its parent is killed (util-linux's setpriv; not BusyBox's). */
function canFollowItsParent(): boolean {
  followsItsParent ??= spawnSync('setpriv', ['--pdeathsig', 'KILL', 'true'], { stdio: 'ignore' }).status === 0
  return followsItsParent
}

async function answers(child: ChildProcess, port: number): Promise<boolean> {
  const deadline = Date.now() + startMilliseconds
  const runs = () => child.pid !== undefined && child.exitCode === null && child.signalCode === null
  while (runs() && Date.now() < deadline) {
    if ((await listTables(port)) && runs()) return true
    await delay(5)
  }
  if (child.pid !== undefined) await endProcess(identify(child.pid))
  return false
}

function listTables(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const headers = {
      'x-amz-date': '20200101T000000Z',
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': 'DynamoDB_20120810.ListTables',
      authorization:
        'AWS4-HMAC-SHA256 Credential=local/20200101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=none',
    }
    const outgoing = request({ host: '127.0.0.1', port, method: 'POST', headers, agent: false, timeout: 2_000 })
    outgoing.on('response', (response) => resolve(response.resume().statusCode === 200))
    outgoing.on('timeout', () => outgoing.destroy())
    outgoing.on('error', () => resolve(false))
    outgoing.end('{}')
  })
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('The system gave no free port.')
  return address.port
}
