/** @module lapidary-pages/file */

import { knownOptions, type OptionNames } from 'lapidary/internal'
import { openWriter } from './disk-lists.ts'
import { DISK_LISTS_NAMES, type DiskLists, type DiskListsOptions, requireMemberBytes } from './options.ts'
import { openReader, type ReadDiskListsOptions, type ReadOnlyDiskLists } from './read-lists.ts'

export { LapidaryError } from 'lapidary'
export { type ByteString, bytesOf, textOf } from './byte-string.ts'
export type { DiskChange } from './change.ts'
export { discardDiskLists } from './discard.ts'
export type { DiskEntry, DiskList, DiskListsView, MemberSink, RankedEntry } from './disk-list.ts'
export { type FileListsOptions, fileLists } from './file-lists.ts'
export type { DiskListsReader, ListPiece, ListsStatus } from './lists-reader.ts'
export type { Durability } from './log-writer.ts'
export type { DiskLists, DiskListsOptions } from './options.ts'
export type { ReadDiskListsOptions, ReadOnlyDiskLists } from './read-lists.ts'
export type { Validation } from './validate.ts'

/**
 * Opens sorted lists on disk for writing, and makes their folder when it is missing.
 *
 * @throws `page_index_locked` when another process writes to the folder; `page_index_damaged` when a file is not as it was written;
 * `declaration_invalid` for an option that can't be.
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
export async function openDiskLists(options: DiskListsOptions): Promise<DiskLists> {
  knownOptions('openDiskLists', options, DISK_LISTS_NAMES, 'declaration_invalid')
  if (options.memberBytes !== undefined) requireMemberBytes('openDiskLists', options.memberBytes)
  return openWriter(options)
}

const READ_NAMES: OptionNames<ReadDiskListsOptions> = { folder: true, refreshMs: true, cacheBytes: true }

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
  return openReader(knownOptions('readDiskLists', options, READ_NAMES, 'declaration_invalid'))
}
