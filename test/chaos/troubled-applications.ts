import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type FaultRates, type HostileProxy, startHostileProxy } from 'lapidary-testing'
import { startBareEngine } from '../engines/bare-engine.ts'
import { ADMIN_TOKEN } from '../kill/comment-server.ts'

const MAIN = fileURLToPath(new URL('../../apps/comments/dist/main.js', import.meta.url))
const START_MS = 600_000
/** The application gives up a call after 5 s. */
const SILENCE_MS = 8_000
const LAG_MS = 200
const PROCESSES = 2
const LONGEST_STOP_MS = 3_000
const LONGEST_LIFE_MS = 8_000

/** The shares of calls, 0 to 1, that meet each fault. */
export type Trouble = Partial<FaultRates>

/** Two processes of the comments application on one database, behind a proxy that makes trouble. */
export interface TroubledApplications extends AsyncDisposable {
  /** Returns the address of a process that is there. */
  address(draw: () => number): string
  addresses(): readonly string[]
  /** The endpoint of the database itself. */
  readonly endpoint: string
  readonly proxy: HostileProxy
  /** The number of times that a process was killed, and that one was stopped for some time. */
  readonly happened: { readonly kills: number; readonly stops: number }
  /** Kills processes and starts them anew, and stops them for some time, until `calm`. */
  trouble(draw: () => number): void
  /** Ends the trouble; both processes are there then. */
  calm(): Promise<void>
}

/** Starts the built application twice, in processes of their own, and its database. */
export async function startTroubledApplications(
  layout: string,
  trouble: Trouble,
  seed: number,
): Promise<TroubledApplications> {
  const engine = await startBareEngine()
  const target = engine.endpoint
  const proxy = await startHostileProxy({ target, seed, rates: trouble, silenceMs: SILENCE_MS, lagMs: LAG_MS })
  const dataDir = mkdtempSync(join(tmpdir(), 'comments-troubled-'))
  const running: Running[] = []
  const happened = { kills: 0, stops: 0 }
  let isCalm = false
  let troubling: Promise<void> = Promise.resolve()
  const start = async (i: number): Promise<void> => {
    running[i] = await startApplication(join(dataDir, String(i)), layout, proxy.endpoint)
  }
  const makeTrouble = async (draw: () => number): Promise<void> => {
    while (!isCalm) {
      await sleep(draw() * LONGEST_LIFE_MS)
      if (isCalm) return
      const i = Math.floor(draw() * PROCESSES)
      const { child } = running[i] as Running
      if (draw() < 0.5) {
        happened.kills += 1
        await ended(child, 'SIGKILL')
        await start(i)
      } else {
        happened.stops += 1
        child.kill('SIGSTOP')
        await sleep(draw() * LONGEST_STOP_MS)
        child.kill('SIGCONT')
      }
    }
  }
  const dispose = async (): Promise<void> => {
    isCalm = true
    await troubling.catch(() => {})
    await Promise.all(running.map(({ child }) => ended(child, 'SIGTERM')))
    await proxy.close()
    await engine[Symbol.asyncDispose]()
    rmSync(dataDir, { recursive: true, force: true })
  }
  try {
    for (let i = 0; i < PROCESSES; i++) await start(i)
  } catch (error) {
    await dispose()
    throw error
  }
  return {
    address: (draw) => (running[Math.floor(draw() * PROCESSES)] as Running).address,
    addresses: () => running.map(({ address }) => address),
    endpoint: engine.endpoint,
    proxy,
    happened,
    trouble(draw) {
      troubling = makeTrouble(draw)
      troubling.catch(() => {})
    },
    async calm() {
      isCalm = true
      await troubling
      proxy.calm()
      await proxy.settled()
    },
    [Symbol.asyncDispose]: dispose,
  }
}

interface Running {
  readonly child: ChildProcess
  readonly address: string
}

/** Starts one process; one that the database lets down while it starts ends, and is started again as a service manager does. */
async function startApplication(dataDir: string, layout: string, endpoint: string): Promise<Running> {
  const { PATH = '' } = process.env
  for (const deadline = Date.now() + START_MS; ; ) {
    const child = spawn(process.execPath, [MAIN], {
      env: {
        ...{ PATH, NODE_NO_WARNINGS: '1', PORT: '0', DEMO: '0', DATA_DIR: dataDir, ADMIN_TOKEN, LAYOUT: layout },
        ...{ DYNAMODB_ENDPOINT: endpoint, LOG_LEVEL: 'fatal', CURSOR_SECRET: 'a secret of the tests of chaos' },
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text
      })
    }
    for (; Date.now() < deadline && child.exitCode === null; await sleep(10)) {
      const address = /^listening on (http:\S+)$/m.exec(output)?.[1]
      if (address !== undefined) return { child, address }
    }
    await ended(child, 'SIGKILL')
    if (Date.now() >= deadline) throw new Error(`the application did not start: ${output}`)
  }
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill(signal)
  await exited
}
