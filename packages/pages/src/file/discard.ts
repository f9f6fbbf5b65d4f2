import { REAL_PARTS, type StoreParts } from './disk-lists.ts'
import { basePath, filesIn, logPath } from './folder-files.ts'

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
  discardFolder(folder, REAL_PARTS)
}

/** The same on any disk. */
export function discardFolder(folder: string, { disk, lock }: StoreParts): void {
  disk.makeFolder(folder)
  const held = lock(folder)
  try {
    const { bases, logs } = filesIn(disk, folder)
    // Logs last, and the first of them last: what is there in between is never taken for whole.
    for (const number of bases) disk.remove(basePath(folder, number))
    for (const number of logs.toReversed()) disk.remove(logPath(folder, number))
    disk.syncFolder(folder)
  } finally {
    held.release()
  }
}
