import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ADMIN_TOKEN = 'the-admin-token-of-the-bench'
export const WRITER_TOKEN = 'the-writer-token-of-the-bench'

/** A server in another process. */
export interface ServerProcess extends AsyncDisposable {
  readonly address: string
  /** Milliseconds of the processor's time that it has taken so far. */
  cpu(): Promise<number>
}

/** The comments application, running in another process. */
export interface AppServer extends ServerProcess {
  /** The folder of its database, which other processes may open beside it. */
  readonly dataDir: string
  /** Bytes of its heap after a collection. */
  heap(): Promise<number>
}

interface Running extends ServerProcess {
  ask<T>(question: string): Promise<T>
}

/** Starts a program of the bench that tells its parent where it listens. With `CPU_PROFILE` a profile is left in that folder. */
export async function startServerProcess(
  program: string,
  settings: Readonly<Record<string, string>>,
): Promise<Running> {
  const { PATH = '', CPU_PROFILE } = process.env
  const profile = CPU_PROFILE === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${CPU_PROFILE}`]
  const child = fork(fileURLToPath(new URL(program, import.meta.url)), [], {
    execArgv: [...process.execArgv, '--expose-gc', ...profile],
    env: { PATH, NODE_NO_WARNINGS: '1', ...settings },
  })
  const ending = new AbortController()
  child.once('exit', (code) => ending.abort(new Error(`${program} ended with ${code}`)))
  const message = async <T>(): Promise<T> => {
    const [answer] = await once(child, 'message', { signal: ending.signal })
    return answer as T
  }
  const ask = <T>(question: string): Promise<T> => {
    child.send(question)
    return message()
  }
  const { address } = await message<{ address: string }>()
  return {
    address,
    ask,
    async cpu() {
      const { user, system } = (await ask<{ cpu: NodeJS.CpuUsage }>('cpu')).cpu
      return (user + system) / 1000
    },
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit')
      child.disconnect()
      await ended
    },
  }
}

/** Starts the application on a folder of its own, without demo data. */
export async function startAppServer(): Promise<AppServer> {
  const dataDir = mkdtempSync(join(tmpdir(), 'lapidary-bench-'))
  const settings = { PORT: '0', DEMO: '0', DATA_DIR: dataDir, LOG_LEVEL: 'silent', ADMIN_TOKEN, WRITER_TOKEN }
  const running = await startServerProcess('app-process.ts', settings)
  return {
    address: running.address,
    dataDir,
    cpu: running.cpu,
    heap: async () => (await running.ask<{ heap: number }>('heap')).heap,
    async [Symbol.asyncDispose]() {
      await running[Symbol.asyncDispose]()
      rmSync(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    },
  }
}
