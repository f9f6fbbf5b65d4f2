import { type ChildProcess, fork, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Engine, openEngine } from 'lapidary-engine'

const BINARY = fileURLToPath(new URL('../bin/lapidary.js', import.meta.url))
const HOST = fileURLToPath(new URL('./command-host.mjs', import.meta.url))
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
  /** Returns a path in the folder. */
  file(name: string): string
  /** Runs the built command line in a process that stays for the next command; not for several at the same time. */
  run(args: readonly string[], options?: RunOptions): Promise<CliResult>
  /** Runs it as a user does, in a process of its own. */
  runAlone(args: readonly string[], options?: RunOptions & { readonly input?: string | Buffer }): Promise<CliResult>
  start(args: readonly string[], options?: RunOptions): ChildProcess
}

export interface RunOptions {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
}

export async function openCliHome(): Promise<CliHome> {
  const folder = mkdtempSync(join(tmpdir(), 'lapidary-cli-'))
  const engine = await openEngine({ dataDir: folder })
  const host = openHost()
  const environment = (env: RunOptions['env']): NodeJS.ProcessEnv => ({
    ...cleanEnvironment(),
    DATA_DIR: folder,
    ...env,
  })
  const start = (args: readonly string[], { cwd = ROOT, env }: RunOptions = {}): ChildProcess =>
    spawn(process.execPath, [BINARY, ...args], { cwd, env: environment(env) })
  return {
    folder,
    engine,
    file: (name) => join(folder, name),
    start,
    run: (args, { cwd = ROOT, env } = {}) => host.run({ args, cwd, env: environment(env) }),
    runAlone: (args, options = {}) => finished(start(args, options), options.input),
    async [Symbol.asyncDispose]() {
      host.close()
      await engine.close()
      rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    },
  }
}

/** Runs a command that needs no engine, in a process of its own. */
export function spawnCli(args: readonly string[], env: Readonly<Record<string, string>>): ChildProcess {
  return spawn(process.execPath, [BINARY, ...args], { cwd: ROOT, env: { ...cleanEnvironment(), ...env } })
}

interface HostedCommand {
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
}

/** Starts a process that runs commands, with the first of them; it ends with the process of the tests. */
function openHost() {
  let child: ChildProcess | undefined
  let commands = 0
  return {
    run(command: HostedCommand): Promise<CliResult> {
      const number = ++commands
      child ??= fork(HOST, { env: cleanEnvironment(), stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
      const host = child
      return new Promise((resolve, reject) => {
        const done = (): void => void host.off('message', receive).off('exit', fail)
        const receive = (result: CliResult & { readonly number: number }): void => {
          if (result.number !== number) return
          done()
          resolve(result)
        }
        const fail = (code: number | null): void => {
          done()
          reject(new Error(`lapidary ${command.args.join(' ')} ended its process with ${code}`))
        }
        host
          .on('message', receive)
          .on('exit', fail)
          .send({ number, ...command })
      })
    },
    close: () => child?.disconnect(),
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
