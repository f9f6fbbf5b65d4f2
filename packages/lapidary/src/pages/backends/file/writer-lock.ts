import { linkSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { LapidaryError } from '../../../model/errors.ts'
import { identifySelf, isLive, type ProcessIdentity } from './process-identity.ts'

/** The right to write to a folder. */
export interface WriterLock {
  /** @throws `page_index_locked`, when another process has taken the folder over. */
  confirm(): void
  release(): void
}

/** How often a writer shows that it lives; what a writer of another machine has not shown for so long is taken over. */
const BEAT_MS = 5_000
const STALE_MS = 60_000

interface Claim {
  readonly number: number
  /** Undefined when it let go, or its file was cut short by a crash. */
  readonly holder: ProcessIdentity | undefined
}

/** Locks of this process, which its number can't tell apart. */
const own = new Set<string>()

/**
 * Takes the lock of a folder: a file `writer-N.lock` that names its process. The highest number counts. Giving a file a name that must
 * not exist is one step on every file system, and the highest one stays for ever, so two contenders never both have it.
 *
 * @throws `page_index_locked`, which names the holder.
 */
export function lockFolder(folder: string): WriterLock {
  const newest = newestClaim(folder)
  if (newest !== undefined) requireGone(folder, newest)
  const number = (newest?.number ?? 0) + 1
  const path = lockPath(folder, number)
  link(folder, path)
  const numbers = claimNumbers(folder)
  if (Math.max(...numbers) > number) {
    rmSync(path, { force: true })
    throw locked(folder, newestClaim(folder)?.holder)
  }
  for (const other of numbers) if (other < number) rmSync(lockPath(folder, other), { force: true })
  own.add(path)
  const { ino } = statSync(path)
  const beat = setInterval(() => {
    try {
      const now = new Date()
      utimesSync(path, now, now)
    } catch {
      // Taken over: `confirm` sees it.
    }
  }, BEAT_MS)
  beat.unref()
  return {
    confirm() {
      // A contender removes it before it reads the logs, so what was synced while it is here is in what the contender reads.
      if (statSync(path, { throwIfNoEntry: false })?.ino !== ino) throw locked(folder, newestClaim(folder)?.holder)
    },
    release() {
      clearInterval(beat)
      own.delete(path)
      // It stays, empty: numbers that only grow let a slow contender see that it was passed.
      if (statSync(path, { throwIfNoEntry: false })?.ino === ino) truncateSync(path)
    },
  }
}

function link(folder: string, path: string): void {
  const draft = join(folder, `writer-${process.pid}-${process.hrtime.bigint()}.draft`)
  writeFileSync(draft, JSON.stringify(identifySelf()), { mode: 0o600 })
  try {
    linkSync(draft, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    throw locked(folder, newestClaim(folder)?.holder)
  } finally {
    rmSync(draft, { force: true })
  }
}

function requireGone(folder: string, { number, holder }: Claim): void {
  const path = lockPath(folder, number)
  if (own.has(path)) throw locked(folder, holder)
  if (holder === undefined || isLive(holder) === false) return
  if (isLive(holder) === undefined && isStale(folder, path)) return
  throw locked(folder, holder)
}

/** Whether the holder has not shown for long that it lives, by the clock of the file system and not of two machines. */
function isStale(folder: string, path: string): boolean {
  const probe = join(folder, `writer-${process.pid}-probe.draft`)
  writeFileSync(probe, '')
  try {
    const beat = statSync(path, { throwIfNoEntry: false })
    return beat === undefined || statSync(probe).mtimeMs - beat.mtimeMs > STALE_MS
  } finally {
    rmSync(probe, { force: true })
  }
}

function locked(folder: string, holder: ProcessIdentity | undefined): LapidaryError {
  const who = holder === undefined ? 'another process' : `process ${holder.pid} on ${holder.host}`
  return new LapidaryError(
    'page_index_locked',
    `${who} writes to the page index in ${folder}: end it first, or open the index for reading only`,
    { details: { folder, ...(holder === undefined ? {} : { pid: holder.pid, host: holder.host }) } },
  )
}

const lockPath = (folder: string, number: number): string => join(folder, `writer-${number}.lock`)

function newestClaim(folder: string): Claim | undefined {
  const number = Math.max(0, ...claimNumbers(folder))
  if (number === 0) return undefined
  try {
    return { number, holder: JSON.parse(readFileSync(lockPath(folder, number), 'utf8')) as ProcessIdentity }
  } catch (error) {
    // Let go, or cut short by a crash. What may not be read is another user's, and in force.
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') {
      return { number, holder: undefined }
    }
    throw error
  }
}

function claimNumbers(folder: string): number[] {
  return readdirSync(folder).flatMap((name) => {
    const match = /^writer-(\d+)\.lock$/.exec(name)
    return match === null ? [] : [Number(match[1])]
  })
}
