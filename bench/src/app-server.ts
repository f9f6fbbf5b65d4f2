import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ADMIN_TOKEN = 'the-admin-token-of-the-bench'

/** The comments application, running in another process. */
export interface AppServer extends AsyncDisposable {
  readonly address: string
  /** Bytes of its heap after a collection. */
  heap(): Promise<number>
}

/** Starts the application on a folder of its own, without demo data, unless the settings say otherwise. */
export async function startAppServer(settings: Readonly<Record<string, string>> = {}): Promise<AppServer> {
  const folder = mkdtempSync(join(tmpdir(), 'lapidary-bench-'))
  const { PATH = '', CPU_PROFILE } = process.env
  const child = fork(fileURLToPath(new URL('app-process.ts', import.meta.url)), [], {
    execArgv: [
      ...process.execArgv,
      '--expose-gc',
      ...(CPU_PROFILE === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${CPU_PROFILE}`]),
    ],
    env: { PATH, PORT: '0', DEMO: '0', DATA_DIR: folder, LOG_LEVEL: 'silent', ADMIN_TOKEN, ...settings },
  })
  const message = async <T>(): Promise<T> => {
    const [answer] = await Promise.race([
      once(child, 'message'),
      once(child, 'exit').then(([code]) => Promise.reject(new Error(`the application ended with ${code}`))),
    ])
    return answer as T
  }
  const { address } = await message<{ address: string }>()
  return {
    address,
    async heap() {
      child.send('heap')
      return (await message<{ heap: number }>()).heap
    },
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit')
      child.disconnect()
      await ended
      rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    },
  }
}
