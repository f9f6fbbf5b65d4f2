import { randomInt } from 'node:crypto'
import { writeEmptyBase } from './base-writer.ts'
import type { Disk, DiskFile } from './disk.ts'
import { basePath, draftPath, logPath } from './folder-files.ts'
import {
  FRAME_BYTES,
  firstPlace,
  LOG_HEADER_BYTES,
  type LogHeader,
  type LogPlace,
  logHeader,
  sealFrame,
} from './log-format.ts'
import type { LogRead } from './log-reader.ts'

/** A log that can be written to. */
export interface OpenLog {
  readonly file: DiskFile
  readonly header: LogHeader
  readonly end: LogPlace
}

/** Makes the first base file of a folder, without entries. */
export async function createBase(disk: Disk, folder: string, generation: number, memberBytes: number): Promise<void> {
  await publishBase(disk, folder, generation, (file) => writeEmptyBase(file, generation, memberBytes))
}

/** Writes a base file under a name that does not count, and gives it its own in one step once it is on the disk. */
export async function publishBase(
  disk: Disk,
  folder: string,
  generation: number,
  write: (file: DiskFile) => Promise<void>,
  confirm: () => void = () => {},
): Promise<void> {
  const draft = draftPath(folder, 'base', generation)
  try {
    const file = disk.open(draft, 'create')
    try {
      await write(file)
    } finally {
      file.close()
    }
    confirm()
    disk.rename(draft, basePath(folder, generation))
    disk.syncFolder(folder)
  } catch (error) {
    disk.remove(draft)
    throw error
  }
}

/** An empty log that has no name of its own yet. */
export interface LogDraft extends OpenLog {
  /** Gives it its name, which is on the disk when this returns: from here on it is the last log. What failed is tried again. */
  publish(): void
  discard(): void
}

/**
 * Makes an empty log. The log before it must have its end before this one gets its name, and nothing is written to that one from then
 * on, whether or not the name is known to be on the disk: so only a last log can be torn.
 */
export async function draftLog(disk: Disk, folder: string, number: number, isSynced: boolean): Promise<LogDraft> {
  const header: LogHeader = { nonce: randomInt(2 ** 32), isSynced }
  const draft = draftPath(folder, 'log', number)
  const path = logPath(folder, number)
  const file = disk.open(draft, 'create')
  const discard = (): void => {
    file.close()
    disk.remove(draft)
    disk.remove(path)
  }
  try {
    file.write(logHeader(header), 0, LOG_HEADER_BYTES, 0)
    await file.syncLater()
  } catch (error) {
    discard()
    throw error
  }
  let isRenamed = false
  const publish = (): void => {
    if (!isRenamed) disk.rename(draft, path)
    isRenamed = true
    disk.syncFolder(folder)
  }
  return { file, header, end: firstPlace(header), publish, discard }
}

/** Makes an empty log that is the last one at once. */
export async function createLog(disk: Disk, folder: string, number: number, isSynced: boolean): Promise<OpenLog> {
  const log = await draftLog(disk, folder, number, isSynced)
  try {
    log.publish()
    return log
  } catch (error) {
    log.discard()
    throw error
  }
}

/** Opens a log to go on with it; what its last writer left unfinished is cut off. */
export function continueLog(disk: Disk, folder: string, number: number, { header, end, tornBytes }: LogRead): OpenLog {
  const file = disk.open(logPath(folder, number), 'write')
  try {
    if (tornBytes > 0) {
      file.truncate(end.offset)
      file.sync()
    }
    return { file, header, end }
  } catch (error) {
    file.close()
    throw error
  }
}

/** Marks the end of a log whose writer ends in order, so that a later look can tell damage from a torn end. */
export function endLog({ file, header, end }: OpenLog): void {
  const frame = Buffer.alloc(FRAME_BYTES)
  sealFrame(frame, header, end.previous)
  file.write(frame, 0, FRAME_BYTES, end.offset)
  file.sync()
}
