import { realDisk } from './disk.ts'
import { openWriter } from './disk-lists.ts'
import { basePath, filesIn, logPath } from './folder-files.ts'
import type { DiskLists, DiskListsOptions } from './options.ts'
import { openReader, type ReadDiskListsOptions, type ReadOnlyDiskLists } from './read-lists.ts'
import { lockFolder } from './writer-lock.ts'

export { LapidaryError } from '../../../model/errors.ts'
export { type ByteString, bytesOf, textOf } from './byte-string.ts'
export type { DiskChange } from './change.ts'
export type { DiskListsReader, ListPiece, ListsStatus } from './lists-reader.ts'
export type { Durability } from './log-writer.ts'
export type { DiskLists, DiskListsOptions } from './options.ts'
export type { ReadDiskListsOptions, ReadOnlyDiskLists } from './read-lists.ts'
export type { DiskEntry } from './sorted-list.ts'
export type { Validation } from './validate.ts'

/**
 * Opens sorted lists on disk for writing, and makes their folder when it is missing.
 *
 * @throws `page_index_locked` when another process writes to the folder; `page_index_damaged` when a file is not as it was written.
 * @example
 * ```ts run
 * import { mkdtemp, rm } from 'node:fs/promises'
 * import { tmpdir } from 'node:os'
 * import { join } from 'node:path'
 *
 * const folder = await mkdtemp(join(tmpdir(), 'lists-'))
 * const lists = await openDiskLists({ folder })
 * await lists.apply([{ type: 'set', list: '42/en', member: '100001', score: Date.parse('2020-11-09') }])
 * console.log(lists.at('42/en', 0)?.member, lists.count('42/en'))
 * await lists.close()
 * await rm(folder, { recursive: true })
 * ```
 */
export function openDiskLists(options: DiskListsOptions): Promise<DiskLists> {
  return openWriter(options)
}

/**
 * Opens sorted lists on disk for reading, while a process, this or another one, may write to them.
 *
 * @throws `not_found` when no writer was there yet; `page_index_damaged`.
 * @example
 * ```ts
 * using lists = readDiskLists({ folder: '.lapidary/pages' })
 * console.log(lists.slice('42/en', 40, 60))
 * ```
 */
export function readDiskLists(options: ReadDiskListsOptions): ReadOnlyDiskLists {
  return openReader(options)
}

/**
 * Removes everything in a folder of sorted lists, sound or damaged, so that they can be built anew.
 *
 * @throws `page_index_locked`.
 * @example
 * ```ts
 * await discardDiskLists('.lapidary/pages')
 * const lists = await openDiskLists({ folder: '.lapidary/pages' })
 * ```
 */
export async function discardDiskLists(folder: string): Promise<void> {
  realDisk.makeFolder(folder)
  const lock = lockFolder(folder)
  try {
    const { bases, logs } = filesIn(realDisk, folder)
    // Logs last, and the first of them last: what is there in between is never taken for whole.
    for (const number of bases) realDisk.remove(basePath(folder, number))
    for (const number of logs.toReversed()) realDisk.remove(logPath(folder, number))
    realDisk.syncFolder(folder)
  } finally {
    lock.release()
  }
}
