import { mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** The folder of the temporary files of one run's tests. */
export interface RunFolder {
  readonly path: string
  /** Removes it, and returns what the tests left behind: files, and processes that work on them. */
  close(): Promise<readonly string[]>
}

/** Caches of programs that load TypeScript, and what is made once a run. */
const CACHES = /^(jiti|tsx-\d+|node-compile-cache|once-.+)$/
const MEMORY = '/dev/shm'
const LEAST_BYTES = 4 * 2 ** 30
/** Milliseconds for engines to end after their last holder, which may be a process that a test has just ended. */
const PATIENCE_MS = 30_000

/** Makes the folder, in memory where there is room: tests write little that is not forced to a disk at once. */
export function openRunFolder(): RunFolder {
  const path = mkdtempSync(join(hasRoom() ? MEMORY : tmpdir(), 'lapidary-tests-'))
  return {
    path,
    async close() {
      let left = leftBehind(path)
      for (const end = Date.now() + PATIENCE_MS; left.length > 0 && Date.now() < end; left = leftBehind(path)) {
        await sleep(200)
      }
      rmSync(path, { recursive: true, force: true })
      return left
    },
  }
}

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    return bavail * bsize >= LEAST_BYTES
  } catch {
    return false
  }
}

function leftBehind(path: string): readonly string[] {
  const files = readdirSync(path).filter((name) => !CACHES.test(name))
  return [...files.map((name) => `${path}/${name}`), ...processesOn(path)]
}

/** Lists other processes that have the folder in their arguments or their environment, where the system tells. */
function processesOn(path: string): readonly string[] {
  return numbersOfProcesses().flatMap((pid) => {
    const [command = '', environment = ''] = ['cmdline', 'environ'].map((file) => textOf(`/proc/${pid}/${file}`))
    const isOurs = Number(pid) === process.pid || Number(pid) === process.ppid
    return !isOurs && `${command}${environment}`.includes(path)
      ? [`process ${pid}: ${command.replaceAll('\0', ' ')}`]
      : []
  })
}

function numbersOfProcesses(): readonly string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  } catch {
    return []
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
