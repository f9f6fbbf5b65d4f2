import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { findBinary } from './binary.ts'
import { isVacant, readClaim } from './claim.ts'
import { EngineError } from './engine-error.ts'
import { type Hold, takeHold } from './hold.ts'
import type { SupervisorOptions } from './supervisor.ts'

/** A held embedded engine. */
export interface EmbeddedEngine {
  readonly endpoint: string
  /** Lets go; the engine ends with its last holder. */
  close(): Promise<void>
}

const openMilliseconds = 30_000
const pollMilliseconds = 10
const graceMilliseconds = 300

/**
 * Holds the embedded engine of a data folder, and starts it if nobody has; without a folder a private one in memory.
 *
 * @throws {EngineError} `engine_unavailable` when there is no binary, or it does not start.
 */
export async function openEmbedded(dataDir: string | undefined): Promise<EmbeddedEngine> {
  const options = supervisorOptions(dataDir)
  let hold = await holdEngine(options)
  const { enginePort } = hold
  let closed = false
  const watch = ({ socket }: Hold) => {
    socket.once('close', () => {
      if (!closed && dataDir !== undefined) void holdAgain()
    })
  }
  // The supervisor was killed: its successor takes the same port, so the holder's client goes on.
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
    endpoint: `http://127.0.0.1:${enginePort}`,
    close: async () => {
      closed = true
      hold.socket.destroy()
    },
  }
}

function supervisorOptions(dataDir: string | undefined): SupervisorOptions {
  const binary = findBinary()
  if (dataDir === undefined) {
    return { binary, folder: mkdtempSync(join(tmpdir(), 'lapidary-engine-')), grace: 0 }
  }
  const folder = resolve(dataDir, 'engine')
  mkdirSync(folder, { recursive: true })
  return { binary, folder, databaseFile: resolve(dataDir, 'dynamodb.sqlite'), grace: graceMilliseconds }
}

async function holdEngine(options: SupervisorOptions): Promise<Hold> {
  const deadline = Date.now() + openMilliseconds
  let supervisor: ChildProcess | undefined
  while (Date.now() < deadline) {
    const claim = readClaim(options.folder)
    if (claim?.state === 'failed' && claim.supervisor.pid === supervisor?.pid) {
      throw unavailable(claim.failure ?? 'The embedded DynamoDB did not start.', options)
    }
    const vacant = isVacant(claim)
    if (!vacant && claim?.state === 'ready' && claim.holdPort !== undefined) {
      const hold = await takeHold(claim.holdPort)
      if (hold !== undefined) return hold
    } else if (vacant && (supervisor === undefined || hasEnded(supervisor))) {
      supervisor = spawnSupervisor(options)
    }
    await delay(pollMilliseconds)
  }
  throw unavailable(`The embedded DynamoDB did not start within ${openMilliseconds / 1000} s.`, options)
}

function spawnSupervisor(options: SupervisorOptions): ChildProcess {
  const file = supervisorFile()
  // What loads TypeScript or measures coverage here has no place in the supervisor, which is plain JavaScript.
  const { NODE_OPTIONS: _, NODE_V8_COVERAGE: __, ...env } = process.env
  const child = spawn(process.execPath, [file, JSON.stringify(options)], {
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

function unavailable(message: string, { folder }: SupervisorOptions): EngineError {
  return new EngineError('engine_unavailable', `${message} Its log is ${join(folder, 'engine.log')}.`, { folder })
}
