import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { startBareEngine } from '../engines/bare-engine.ts'
import { type FaultyProxy, startFaultyProxy } from '../engines/faulty-proxy.ts'
import { ADMIN_TOKEN } from '../kill/comment-server.ts'

const MAIN = fileURLToPath(new URL('../../apps/comments/dist/main.js', import.meta.url))
const START_MS = 240_000
const WRITES = /^(Put|Update|Delete|TransactWrite)/

/** The shares of calls, 0 to 1, that the database refuses or leaves without an answer. */
export interface Trouble {
  /** The share of all calls that are throttled. */
  readonly throttled: number
  /** The share of writes that are carried out, and whose connection breaks before the answer. */
  readonly lost: number
}

/** The comments application on a database behind a proxy that makes trouble. */
export interface ThrottledServer extends AsyncDisposable {
  readonly address: string
  /** The endpoint of the database itself. */
  readonly endpoint: string
  readonly proxy: FaultyProxy
  /** Ends the trouble. */
  calm(): void
}

/** Starts the built application in a process of its own, and its database. */
export async function startThrottledServer(
  layout: string,
  trouble: Trouble,
  random: () => number,
): Promise<ThrottledServer> {
  const engine = await startBareEngine()
  let isCalm = false
  const proxy = await startFaultyProxy(engine.endpoint, ({ operation }) => {
    const chance = isCalm ? 1 : random()
    if (chance < trouble.throttled) return 'throttle'
    return WRITES.test(operation) && chance < trouble.throttled + trouble.lost ? 'lose' : 'forward'
  })
  const dataDir = mkdtempSync(join(tmpdir(), 'comments-throttled-'))
  const { PATH = '' } = process.env
  const child = spawn(process.execPath, [MAIN], {
    env: {
      ...{ PATH, NODE_NO_WARNINGS: '1', PORT: '0', DEMO: '0', DATA_DIR: dataDir, ADMIN_TOKEN, LAYOUT: layout },
      ...{ DYNAMODB_ENDPOINT: proxy.endpoint, LOG_LEVEL: 'fatal' },
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const dispose = async (): Promise<void> => {
    await ended(child)
    await proxy[Symbol.asyncDispose]()
    await engine[Symbol.asyncDispose]()
    rmSync(dataDir, { recursive: true, force: true })
  }
  try {
    return {
      address: await addressOf(child),
      endpoint: engine.endpoint,
      proxy,
      calm() {
        isCalm = true
      },
      [Symbol.asyncDispose]: dispose,
    }
  } catch (error) {
    await dispose()
    throw error
  }
}

async function addressOf(child: ChildProcess): Promise<string> {
  let output = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  for (const deadline = Date.now() + START_MS; Date.now() < deadline && child.exitCode === null; await sleep(10)) {
    const address = /^listening on (http:\S+)$/m.exec(output)?.[1]
    if (address !== undefined) return address
  }
  throw new Error(`the server did not start: ${output}`)
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill()
  await exited
}
