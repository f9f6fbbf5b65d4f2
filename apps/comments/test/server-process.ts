import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll } from 'vitest'
import { LAYOUT_EMBEDDED as LAYOUT } from './test-app.ts'

export const MAIN: string = fileURLToPath(new URL('../dist/main.js', import.meta.url))

/** The processes that a failed test leaves running; they end with the tests. */
const children = new Set<ChildProcess>()
afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
})

/** A server that listens, in a process of its own. */
export interface Started {
  readonly process: ChildProcess
  readonly address: string
  readonly output: () => string
  readonly log: () => string
  /** Sends a signal and returns the exit code. */
  end(signal?: NodeJS.Signals): Promise<number | null>
}

/** Runs `npm start` without npm, on any free port and without demo data unless told. */
export function run(settings: Record<string, string>): {
  process: ChildProcess
  stdout: () => string
  stderr: () => string
} {
  const { PATH = '' } = process.env
  const child = spawn(process.execPath, [MAIN], {
    env: { PATH, NODE_NO_WARNINGS: '1', HOST: '127.0.0.1', PORT: '0', DEMO: '0', LAYOUT, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.add(child)
  child.once('exit', () => children.delete(child))
  const texts = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text
    })
  }
  return { process: child, stdout: () => texts.stdout, stderr: () => texts.stderr }
}

/** Starts the server as {@link run} does, and waits until it listens. */
export async function start(settings: Record<string, string>): Promise<Started> {
  const { process: child, stdout, stderr } = run(settings)
  const exited = once(child, 'exit')
  let ended = false
  void exited.then(() => {
    ended = true
  })
  for (;;) {
    const address = /^listening on (http:\S+)$/m.exec(stdout())?.[1]
    if (address !== undefined) {
      const end = async (signal: NodeJS.Signals = 'SIGTERM') => {
        child.kill(signal)
        const [code] = await exited
        return code as number | null
      }
      return { process: child, address, output: stdout, log: stderr, end }
    }
    if (ended) throw new Error(`the server did not start: ${stderr()}`)
    await delay(20)
  }
}
