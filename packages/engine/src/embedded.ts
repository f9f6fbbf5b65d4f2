import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync } from 'node:fs'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { findBinary } from './binary.ts'
import { isVacant, readClaim } from './claim.ts'
import { makeDataFolder, unusable } from './data-folder.ts'
import { EngineError } from './engine-error.ts'
import { takeHold } from './hold.ts'
import { isolated } from './isolation.ts'
import { type SocketFolder, socketsIn } from './socket-folder.ts'
import type { SupervisorOptions } from './supervisor.ts'

/** A held embedded engine. */
export interface EmbeddedEngine {
  readonly endpoint: string
  /** Releases the engine; it ends with its last holder. */
  close(): Promise<void>
}

type Options = Omit<SupervisorOptions, 'isolated'>

interface Hold {
  readonly socket: Socket
  readonly sockets: SocketFolder
}

const openMilliseconds = 120_000
const pollMilliseconds = 10
const graceMilliseconds = 300
const spawnLimit = 5

/**
 * Holds the embedded engine of a data folder, and starts it if no process has. Without a folder it starts a private one that is removed
 * afterwards.
 *
 * @throws {EngineError} `engine_unavailable` when the folder can't be used, there is no binary, or it does not start.
 */
export async function openEmbedded(dataDir: string | undefined): Promise<EmbeddedEngine> {
  const options = supervisorOptions(dataDir)
  let hold = await holdEngine(options).catch((error: unknown) => {
    throw unusable(dataDir ?? options.folder, error)
  })
  let closed = false
  const watch = ({ socket }: Hold) => {
    socket.once('close', () => {
      if (!closed && !options.temporary) void holdAgain()
    })
  }
  // The supervisor was killed: its successor takes the same sockets, so the holder's client goes on.
  const holdAgain = async () => {
    try {
      hold = await holdEngine(options)
    } catch {
      return
    }
    if (closed) hold.socket.destroy()
    else watch(hold)
  }
  watch(hold)
  return {
    endpoint: `unix:${hold.sockets.api}`,
    close: async () => {
      closed = true
      hold.socket.destroy()
    },
  }
}

function supervisorOptions(dataDir: string | undefined): Options {
  const binary = findBinary()
  if (dataDir === undefined) {
    const folder = mkdtempSync(join(tmpdir(), 'lapidary-engine-'))
    return { binary, folder, databaseFile: join(folder, 'dynamodb.sqlite'), temporary: true, grace: 0 }
  }
  const folder = resolve(dataDir, 'engine')
  makeDataFolder(resolve(dataDir))
  makeDataFolder(folder)
  const databaseFile = resolve(dataDir, 'dynamodb.sqlite')
  return { binary, folder, databaseFile, temporary: false, grace: graceMilliseconds }
}

async function holdEngine(options: Options): Promise<Hold> {
  const deadline = Date.now() + openMilliseconds
  let supervisor: ChildProcess | undefined
  let spawned = 0
  while (Date.now() < deadline) {
    const claim = readClaim(options.folder)
    if (claim?.state === 'failed' && claim.supervisor.pid === supervisor?.pid) {
      throw engineUnavailable(claim.failure ?? 'The embedded DynamoDB did not start.', options)
    }
    const vacant = isVacant(claim)
    if (!vacant && claim?.state === 'ready' && claim.sockets !== undefined) {
      const sockets = socketsIn(claim.sockets)
      const socket = await takeHold(sockets.hold)
      if (socket !== undefined) return { socket, sockets }
    } else if (vacant && (supervisor === undefined || hasEnded(supervisor))) {
      if (++spawned > spawnLimit)
        throw engineUnavailable('The embedded DynamoDB ended again and again at its start.', options)
      supervisor = spawnSupervisor(options)
    }
    await delay(pollMilliseconds)
  }
  throw engineUnavailable(`The embedded DynamoDB did not start within ${openMilliseconds / 1000} s.`, options)
}

function spawnSupervisor(options: Options): ChildProcess {
  const program = [process.execPath, supervisorFile()]
  const alone = isolated(program)
  const [command = '', ...args] = alone ?? program
  // The supervisor is plain JavaScript, and must not load what loads TypeScript or measures coverage here.
  const { NODE_OPTIONS: _, NODE_V8_COVERAGE: __, ...env } = process.env
  const child = spawn(command, [...args, JSON.stringify({ ...options, isolated: alone !== undefined })], {
    // A session of its own: Ctrl-C in the holder's terminal must not end the database before its holders.
    detached: true,
    stdio: 'ignore',
    cwd: options.folder,
    env,
  })
  child.on('error', () => {}).unref()
  return child
}

function supervisorFile(): string {
  const candidates = ['./supervisor.js', '../dist/supervisor.js']
  const files = candidates.map((candidate) => fileURLToPath(new URL(candidate, import.meta.url)))
  const file = files.find((candidate) => existsSync(candidate))
  if (file !== undefined) return file
  throw new EngineError('engine_unavailable', `The engine's supervisor is not built (${files[1]}): run npm run build.`)
}

function hasEnded(child: ChildProcess): boolean {
  return child.pid === undefined || child.exitCode !== null || child.signalCode !== null
}

function engineUnavailable(message: string, { folder }: Options): EngineError {
  return new EngineError('engine_unavailable', `${message} Its log is ${join(folder, 'engine.log')}.`, { folder })
}
