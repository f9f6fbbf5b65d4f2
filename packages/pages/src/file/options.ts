import { LapidaryError, shown } from 'lapidary'
import type { OptionNames } from 'lapidary/internal'
import type { DiskChange } from './change.ts'
import type { DiskListsReader } from './lists-reader.ts'
import type { Durability } from './log-writer.ts'

/** The options of `openDiskLists`. */
export interface DiskListsOptions {
  /** Made when it is missing. One process at a time writes to it. */
  readonly folder: string
  /** `always` when not given: what is acknowledged is on the disk. */
  readonly durability?: Durability
  /** Bytes of the log from which on it is merged into a new base file; 8 MiB when not given. */
  readonly commitBytes?: number
  /** Milliseconds after which a log with changes is merged even when it is smaller; ten minutes when not given. */
  readonly commitMs?: number
  /** Bytes of members for which entries have room, 10 to 254, longer ones take more; 19 when not given. Fixed when the folder is made. */
  readonly memberBytes?: number
  /** Memory for blocks of the base file; 8 MiB when not given. */
  readonly cacheBytes?: number
  /** Told what fails while no caller waits for it: a commit that was due, a sync by time. Both are tried again. */
  readonly onError?: (error: LapidaryError) => void
}

/** The names of {@link DiskListsOptions}. */
export const DISK_LISTS_NAMES: OptionNames<DiskListsOptions> = {
  ...{ folder: true, durability: true, commitBytes: true, commitMs: true },
  ...{ memberBytes: true, cacheBytes: true, onError: true },
}

/** An entry has room for a place in the heap at least, and one byte tells the length of a member that is not there. */
const [LEAST_ROOM, MOST_ROOM] = [10, 254] as const

/**
 * Requires room for members that a base file can give.
 *
 * @param used Bytes of that room which the store itself takes.
 * @throws `declaration_invalid`.
 */
export function requireMemberBytes(declaredBy: string, memberBytes: number, used = 0): void {
  const [least, most] = [Math.max(0, LEAST_ROOM - used), MOST_ROOM - used]
  if (Number.isInteger(memberBytes) && memberBytes >= least && memberBytes <= most) return
  const message = `${declaredBy}: memberBytes is ${shown(memberBytes)}, and must be a whole number from ${least} to ${most}`
  throw new LapidaryError('declaration_invalid', message)
}

/** Sorted lists on disk, open for writing. */
export interface DiskLists extends DiskListsReader, AsyncDisposable {
  /** Bytes at the end of the log that a writer before this one left unfinished; none of them was acknowledged. */
  readonly tornBytes: number
  /** Bytes of changes that are not durable yet. Where they grow, the disk is slower than its callers, who have to wait. */
  readonly unsyncedBytes: number
  /**
   * Makes changes, all or none of them, at once visible here; they are durable when {@link DiskLists.durable} says so.
   *
   * @returns How many changed anything.
   * @throws `unprocessable` for a score that is no number, or a text that is no byte string.
   */
  change(changes: readonly DiskChange[]): number
  /**
   * Resolves when every change so far is durable; undefined when that is so now.
   *
   * @throws `unavailable` when the disk refused them: they are taken back. `page_index_locked` when another process took over.
   */
  durable(): Promise<void> | undefined
  /** Makes changes, and waits until they are durable. */
  apply(changes: readonly DiskChange[]): Promise<number>
  /** Merges the log into a new base file, while reads and writes go on. */
  commit(): Promise<void>
  /** Writes what waits, and lets go of the folder. */
  close(): Promise<void>
}

export function closedError(folder: string): LapidaryError {
  return new LapidaryError('unavailable', `the page index in ${folder} is closed`)
}
