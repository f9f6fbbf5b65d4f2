import { BaseFile } from './base-file.ts'
import { damaged } from './block.ts'
import type { Disk } from './disk.ts'
import { basePath, type FolderFiles, filesIn, logPath } from './folder-files.ts'
import { Layers } from './layers.ts'
import { type LogRead, readWholeLog } from './log-reader.ts'
import { Replay } from './replay.ts'

/** The content of a folder, as it was found. */
export interface OpenedFolder {
  readonly layers: Layers
  readonly files: FolderFiles
  /** The number of the last log. */
  readonly last: number
  /** How far the last log was read; undefined when its first bytes are missing. */
  readonly read: LogRead | undefined
}

/**
 * Opens the newest sound base file of a folder, and puts the changes of its logs on top.
 *
 * @throws `page_index_damaged`; a file system error when another process removes files meanwhile.
 */
export function openFolder(disk: Disk, folder: string, cacheBytes: number): OpenedFolder | undefined {
  const files = filesIn(disk, folder)
  if (files.bases.length === 0) {
    if (files.logs.length > 0) throw damaged(folder, 'it has a log and no base file')
    return undefined
  }
  const base = newestSound(disk, folder, files, cacheBytes)
  try {
    return { files, ...withLogs(disk, folder, files, base) }
  } catch (error) {
    base.close()
    throw error
  }
}

/** The newest base file. When it is damaged, one before it that is still there does as well: the logs since then are there too. */
function newestSound(disk: Disk, folder: string, { bases }: FolderFiles, cacheBytes: number): BaseFile {
  let failure: unknown
  for (const number of bases.toReversed()) {
    try {
      return BaseFile.open(disk, basePath(folder, number), number, cacheBytes)
    } catch (error) {
      failure ??= error
    }
  }
  throw failure
}

function withLogs(
  disk: Disk,
  folder: string,
  files: FolderFiles,
  base: BaseFile,
): Pick<OpenedFolder, 'layers' | 'last' | 'read'> {
  const { generation } = base.header
  const layers = new Layers(base)
  const logs = files.logs.filter((number) => number >= generation)
  const last = logs.at(-1) ?? generation
  const replay = new Replay()
  let read: LogRead | undefined
  for (let number = generation; number <= last; number++) {
    const path = logPath(folder, number)
    if (!logs.includes(number)) {
      // The first log comes after the first base file, so a crash between the two leaves none; later ones come before their base file.
      if (generation === FIRST && logs.length === 0) break
      throw damaged(path, 'it is missing')
    }
    const file = disk.open(path, 'read')
    try {
      read = readWholeLog(path, file, (change) => replay.add(change))
    } finally {
      file.close()
    }
    if (number < last && (read === undefined || read.tornBytes > 0)) throw damaged(path, 'its end is missing')
  }
  layers.replay(replay)
  return { layers, last, read }
}

/** The number of the first base file and the first log. */
export const FIRST = 1
