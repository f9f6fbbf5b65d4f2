import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { provisioned } from './provisioned.ts'

/** A PostgreSQL of a test's own, on loopback. */
export interface TestPostgres extends AsyncDisposable {
  readonly port: number
  /** The address: `postgres://postgres@127.0.0.1:…/postgres`. */
  readonly url: string
  /** Kills the server as a lost machine would, and keeps its data. */
  kill(): Promise<void>
  /** Starts it again on the same port. */
  restart(): Promise<void>
}

/** Any user that is not root: PostgreSQL refuses to run as root. */
const OTHER_USER = 65_534
const ROOT = '/usr/lib/postgresql'
const PATIENCE_MS = 60_000

/**
 * Returns the folder of PostgreSQL's programs: the one that the provision script has fetched, the system's, or that of the PATH.
 *
 * @throws {Error} that says what provides it.
 */
export function postgresPrograms(): string {
  const versions = [join(provisioned('postgres', 'root'), ROOT), ROOT].flatMap((root) =>
    existsSync(root) ? readdirSync(root).map((version) => join(root, version, 'bin')) : [],
  )
  const folders = [...versions, ...(process.env.PATH ?? '').split(delimiter)]
  const found = folders.find((folder) => ['initdb', 'postgres'].every((name) => existsSync(join(folder, name))))
  if (found === undefined) throw new Error('there is no PostgreSQL: node scripts/provision.mjs provides it')
  return found
}

/** Starts one on a free port, with its data in a temporary folder; it also ends with this process. */
export async function startPostgres(): Promise<TestPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'lapidary-test-'))
  const data = join(folder, 'data')
  mkdirSync(data, { mode: 0o700 })
  if (isRoot()) chownSync(data, OTHER_USER, OTHER_USER)
  const options = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-locale', '--no-sync']
  const { status, stderr } = spawnSync(...asOtherUser('initdb', options), { encoding: 'utf8', ...settings() })
  if (status !== 0) throw new Error(`initdb fails: ${stderr}`)
  let port = 0
  let child = await start()
  const end = (): void => void child.kill('SIGQUIT')
  process.once('exit', end)
  return {
    get port() {
      return port
    },
    get url() {
      return urlAt(port)
    },
    async kill() {
      await ended(child, 'SIGKILL')
    },
    async restart() {
      child = await start()
    },
    async [Symbol.asyncDispose]() {
      process.off('exit', end)
      await ended(child, 'SIGQUIT')
      rmSync(folder, { recursive: true, force: true })
    },
  }

  async function start(): Promise<ChildProcess> {
    for (let tries = 0; tries < 20; tries++) {
      const tried = port || 20_000 + Math.floor(Math.random() * 12_000)
      const own = ['-D', data, '-p', String(tried), '-h', '127.0.0.1', '-k', '']
      // Processes of a killed server release its data a moment later; data in files is left nowhere else.
      const safe = ['-c', 'dynamic_shared_memory_type=mmap', '-c', 'fsync=off', '-c', 'max_connections=40']
      const started = spawn(...asOtherUser('postgres', [...own, ...safe]), { stdio: 'ignore', ...settings() })
      if (await answers(started, tried)) {
        port = tried
        return started
      }
      await ended(started, 'SIGKILL')
      await sleep(200)
    }
    throw new Error('postgres does not start')
  }
}

function urlAt(port: number): string {
  return `postgres://postgres@127.0.0.1:${port}/postgres`
}

function isRoot(): boolean {
  return process.getuid?.() === 0
}

/**
 * Runs a program as another user, who may read what is root's own: the folder of programs or of a test's files may be in one that others can't
 * enter.
 */
function asOtherUser(program: string, options: readonly string[]): [command: string, options: readonly string[]] {
  const path = join(postgresPrograms(), program)
  if (!isRoot()) return [path, options]
  const user = [`--reuid=${OTHER_USER}`, `--regid=${OTHER_USER}`, '--clear-groups']
  const rights = ['--inh-caps=+dac_override', '--ambient-caps=+dac_override']
  return ['setpriv', [...user, ...rights, path, ...options]]
}

/** Returns the settings that the fetched programs need. */
function settings(): { readonly cwd: string; readonly env: NodeJS.ProcessEnv } {
  const libraries = provisioned('postgres', 'root', 'usr', 'lib')
  const folders = existsSync(libraries) ? readdirSync(libraries).map((part) => join(libraries, part)) : []
  const path = folders.length === 0 ? {} : { LD_LIBRARY_PATH: [libraries, ...folders].join(delimiter) }
  return { cwd: '/', env: { ...process.env, ...path, TZ: 'UTC' } }
}

/** Tells whether it answers before it ends: the port may be taken, and while it recovers it listens and refuses. */
async function answers(child: ChildProcess, port: number): Promise<boolean> {
  child.once('error', () => undefined)
  for (const until = Date.now() + PATIENCE_MS; child.exitCode === null && Date.now() < until; await sleep(50)) {
    if (child.pid === undefined) return false
    const client = new Client({ connectionString: urlAt(port), connectionTimeoutMillis: 5_000 })
    client.on('error', () => undefined)
    try {
      await client.connect()
      const { rows } = await client.query<{ folder: string }>("SELECT current_setting('data_directory') AS folder")
      // The port may be another program's, on which this one could not listen.
      return child.spawnargs.includes(rows[0]?.folder ?? '')
    } catch {
      // Not yet.
    } finally {
      await client.end().catch(() => undefined)
    }
  }
  return false
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode === null && child.signalCode === null && child.kill(signal)) await once(child, 'exit')
}
