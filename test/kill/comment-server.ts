import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('../../apps/comments/dist/main.js', import.meta.url))
const START_MS = 240_000

export const ADMIN_TOKEN = 'the-admin-token-1'

/** The real server in a process of its own. */
export interface CommentServer {
  readonly address: string
  /** Kills it by SIGKILL: it finishes and flushes nothing. */
  kill(): Promise<void>
}

/** Starts the server on a folder and any free port, and waits until it listens. */
export async function startCommentServer(dataDir: string): Promise<CommentServer> {
  const { child, output, kill } = spawnServer(dataDir)
  for (const deadline = Date.now() + START_MS; Date.now() < deadline; await sleep(10)) {
    const address = /^listening on (http:\S+)$/m.exec(output())?.[1]
    if (address !== undefined) return { address, kill }
    if (child.exitCode !== null) break
  }
  await kill()
  throw new Error(`the server did not start: ${output()}`)
}

/** Starts the server and kills it some time later, whether it listens by then or not. */
export async function killWhileStarting(dataDir: string, ms: number): Promise<void> {
  const { kill } = spawnServer(dataDir)
  await sleep(ms)
  await kill()
}

function spawnServer(dataDir: string) {
  const { PATH = '' } = process.env
  const child = spawn(process.execPath, [MAIN], {
    env: { PATH, NODE_NO_WARNINGS: '1', PORT: '0', DEMO: '0', DATA_DIR: dataDir, ADMIN_TOKEN, LOG_LEVEL: 'error' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = once(child, 'exit')
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL')
    await exited
  }
  return { child, output: () => output, kill }
}
