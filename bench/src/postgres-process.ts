import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'

/** A PostgreSQL that a bench compares with. */
export interface BenchPostgres extends AsyncDisposable {
  readonly url: string
}

/** Any user that is not root: PostgreSQL refuses to run as root. */
const OTHER_USER = 65_534
const FETCHED = fileURLToPath(new URL('../../.cache/postgres/root', import.meta.url))

/** Starts the one that `node scripts/provision.mjs` has fetched, or that is installed, with its own settings. */
export async function startPostgres(): Promise<BenchPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'lapidary-bench-'))
  const data = join(folder, 'data')
  mkdirSync(data, { mode: 0o700 })
  if (isRoot()) chownSync(data, OTHER_USER, OTHER_USER)
  const made = spawnSync(
    ...command('initdb', ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-locale']),
  )
  if (made.status !== 0) throw new Error(`initdb fails: ${made.stderr}`)
  const port = 20_000 + Math.floor(Math.random() * 12_000)
  const child = spawn(...command('postgres', ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', '']))
  const end = (): void => void child.kill('SIGQUIT')
  process.once('exit', end)
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  while (!(await answers(url))) {
    if (child.exitCode !== null) throw new Error('postgres does not start')
    await sleep(50)
  }
  return {
    url,
    async [Symbol.asyncDispose]() {
      process.off('exit', end)
      if (child.exitCode === null && child.kill('SIGQUIT')) await once(child, 'exit')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function answers(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url })
  client.on('error', () => undefined)
  try {
    await client.connect()
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => undefined)
  }
}

function isRoot(): boolean {
  return process.getuid?.() === 0
}

type Command = [program: string, options: string[], settings: { cwd: string; env: NodeJS.ProcessEnv }]

function command(program: string, options: string[]): Command {
  const libraries = join(FETCHED, 'usr', 'lib')
  const folders = existsSync(libraries) ? readdirSync(libraries).map((part) => join(libraries, part)) : []
  const settings = { cwd: '/', env: { ...process.env, LD_LIBRARY_PATH: [libraries, ...folders].join(':') } }
  const path = join(programs(), program)
  if (!isRoot()) return [path, options, settings]
  const user = [`--reuid=${OTHER_USER}`, `--regid=${OTHER_USER}`, '--clear-groups']
  const rights = ['--inh-caps=+dac_override', '--ambient-caps=+dac_override']
  return ['setpriv', [...user, ...rights, path, ...options], settings]
}

function programs(): string {
  for (const root of [FETCHED, '']) {
    const versions = `${root}/usr/lib/postgresql`
    const version = existsSync(versions) ? readdirSync(versions).at(-1) : undefined
    if (version !== undefined) return join(versions, version, 'bin')
  }
  throw new Error('there is no PostgreSQL: node scripts/provision.mjs provides it')
}
