import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Engine, openEngine } from 'lapidary-engine'

const BINARY = fileURLToPath(new URL('../bin/lapidary.js', import.meta.url))
const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

export interface CliResult {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A data folder of its own, with its engine held so that commands do not start one each. */
export interface CliHome extends AsyncDisposable {
  readonly folder: string
  readonly engine: Engine
  /** A path in the folder. */
  file(name: string): string
  run(args: readonly string[], options?: RunOptions): Promise<CliResult>
  start(args: readonly string[], options?: RunOptions): ChildProcess
}

export interface RunOptions {
  readonly input?: string | Buffer
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
}

export async function openCliHome(): Promise<CliHome> {
  const folder = mkdtempSync(join(tmpdir(), 'lapidary-cli-'))
  const engine = await openEngine({ dataDir: folder })
  const start = (args: readonly string[], { cwd = ROOT, env = {} }: RunOptions = {}): ChildProcess =>
    spawn(process.execPath, [BINARY, ...args], { cwd, env: { ...cleanEnvironment(), DATA_DIR: folder, ...env } })
  return {
    folder,
    engine,
    file: (name) => join(folder, name),
    start,
    run: (args, options = {}) => finished(start(args, options), options.input),
    async [Symbol.asyncDispose]() {
      await engine.close()
      rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    },
  }
}

/** Waits for a process that was started with pipes. */
export function finished(child: ChildProcess, input?: string | Buffer): Promise<CliResult> {
  const out: Buffer[] = []
  const err: Buffer[] = []
  child.stdout?.on('data', (chunk: Buffer) => out.push(chunk))
  child.stderr?.on('data', (chunk: Buffer) => err.push(chunk))
  child.stdin?.on('error', () => {}).end(input)
  return new Promise((resolve) => {
    child.on('close', (code) => {
      resolve({ code, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() })
    })
  })
}

function cleanEnvironment(): NodeJS.ProcessEnv {
  const { DYNAMODB_ENDPOINT: _, TABLE_NAME: __, LAYOUT: ___, NODE_OPTIONS: ____, ...env } = process.env
  return env
}
