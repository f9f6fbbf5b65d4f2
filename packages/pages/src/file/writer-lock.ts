import { lstatSync, lutimesSync, readdirSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { LapidaryError } from 'lapidary'
import { identifySelf, isLive, type ProcessIdentity, readIdentity, writtenIdentity } from './process-identity.ts'

/** The right to write to a folder. */
export interface WriterLock {
  /** @throws `page_index_locked`, when another process has taken the folder over. */
  confirm(): void
  release(): void
}

/** How often a writer shows that it lives; what a writer of another machine has not shown for so long is taken over. */
const BEAT_MS = 5_000
const STALE_MS = 60_000
/** In the place of a process: it let go. */
const FREE = 'free'

interface Claim {
  readonly number: number
  /** Undefined when it let go. */
  readonly holder: ProcessIdentity | undefined
}

/** Locks of this process, which its number can't tell apart. */
const own = new Set<string>()

/**
 * Takes the lock of a folder: a symbolic link `writer-N.lock` to no file, whose text names its process. The highest number counts. To
 * make one with a name that must not exist is one step on every file system, and the highest one stays for ever, so two contenders never
 * both have it. As its text is in the inode, the lock takes no block: a folder on a full disk can still be opened.
 *
 * @throws `page_index_locked`, which names the holder.
 */
export function lockFolder(folder: string): WriterLock {
  const newest = newestClaim(folder)
  if (newest !== undefined) requireGone(folder, newest)
  const number = (newest?.number ?? 0) + 1
  const path = lockPath(folder, number)
  claim(folder, path)
  const numbers = claimNumbers(folder)
  if (Math.max(...numbers) > number) {
    rmSync(path, { force: true })
    throw locked(folder, newestClaim(folder)?.holder)
  }
  for (const other of numbers) if (other < number) rmSync(lockPath(folder, other), { force: true })
  own.add(path)
  const { ino } = lstatSync(path)
  const beat = setInterval(() => {
    try {
      const now = new Date()
      lutimesSync(path, now, now)
    } catch {
      // Taken over: `confirm` sees it.
    }
  }, BEAT_MS)
  beat.unref()
  return {
    confirm() {
      // A contender removes it before it reads the logs, so what was synced while it is here is in what the contender reads.
      if (inodeOf(path) !== ino) throw locked(folder, newestClaim(folder)?.holder)
    },
    release() {
      clearInterval(beat)
      own.delete(path)
      if (inodeOf(path) !== ino) return
      try {
        // The next one stays: numbers that only grow let a slow contender see that it was passed.
        symlinkSync(FREE, lockPath(folder, number + 1))
      } catch {
        // Another process has taken over, or there is no room: this process holds it no longer either way.
      }
      rmSync(path, { force: true })
    },
  }
}

function claim(folder: string, path: string): void {
  try {
    symlinkSync(writtenIdentity(identifySelf()), path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    throw locked(folder, newestClaim(folder)?.holder)
  }
}

const inodeOf = (path: string): number | undefined => lstatSync(path, { throwIfNoEntry: false })?.ino

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
    const beat = lstatSync(path, { throwIfNoEntry: false })
    return beat === undefined || lstatSync(probe).mtimeMs - beat.mtimeMs > STALE_MS
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
    return { number, holder: readIdentity(readlinkSync(lockPath(folder, number))) }
  } catch (error) {
    // Let go meanwhile, or no link, and so of no writer.
    if (['ENOENT', 'EINVAL'].includes((error as NodeJS.ErrnoException).code ?? '')) return { number, holder: undefined }
    throw error
  }
}

function claimNumbers(folder: string): number[] {
  return readdirSync(folder).flatMap((name) => {
    const match = /^writer-(\d+)\.lock$/.exec(name)
    return match === null ? [] : [Number(match[1])]
  })
}
