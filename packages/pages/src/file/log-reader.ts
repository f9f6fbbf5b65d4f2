import { damaged } from './block.ts'
import { changesIn, type DiskChange } from './change.ts'
import type { DiskFile } from './disk.ts'
import {
  FRAME_BYTES,
  firstPlace,
  frameAt,
  hasFrameAfter,
  LOG_HEADER_BYTES,
  type LogHeader,
  type LogPlace,
  parseLogHeader,
} from './log-format.ts'

/** How far a log was read. */
export interface LogRead {
  readonly header: LogHeader
  /** Behind the last sound frame. */
  readonly end: LogPlace
  /** Bytes behind it, which are of no whole frame. */
  readonly tornBytes: number
  /** Whether a sound frame is there that does not follow: the writer took back what was read before, or had left it behind the end. */
  readonly isRewritten: boolean
}

/**
 * Reads a log's first bytes; undefined when its writer ended before they were there.
 *
 * @throws `page_index_damaged`.
 */
export function readLogHeader(name: string, file: DiskFile): LogHeader | undefined {
  const size = file.size()
  const bytes = Buffer.alloc(LOG_HEADER_BYTES)
  if (file.read(bytes, 0, LOG_HEADER_BYTES, 0) < LOG_HEADER_BYTES) return undefined
  // A name can be on the disk before the first bytes are: no frame was written by then.
  if (size === LOG_HEADER_BYTES && bytes.every((byte) => byte === 0)) return undefined
  return parseLogHeader(name, bytes)
}

/**
 * Gives the changes from a place on to a function, frame by frame.
 *
 * A writer that ended in the middle leaves a torn frame at the end. Each frame was on the disk before the next was begun, so a bad frame
 * with a sound one behind it is damage; in a log that is synced by time, both may be missing.
 *
 * @throws `page_index_damaged`.
 */
export function readLog(
  name: string,
  file: DiskFile,
  header: LogHeader,
  from: LogPlace,
  apply: (change: DiskChange) => void,
): LogRead {
  const bytes = Buffer.alloc(Math.max(0, file.size() - from.offset))
  const length = file.read(bytes, 0, bytes.length, from.offset)
  const read = bytes.subarray(0, length)
  let { previous } = from
  let at = 0
  for (;;) {
    const frame = frameAt(read, at, header)
    if (frame === undefined || frame.previous !== previous) break
    for (const change of changesIn(frame.changes)) apply(change)
    previous = frame.checksum
    at += FRAME_BYTES + frame.changes.length
  }
  const isRewritten = frameAt(read, at, header) !== undefined
  if (header.isSynced && !isRewritten && hasFrameAfter(read, at, header)) {
    throw damaged(name, `what begins at byte ${from.offset + at} is not as it was written`)
  }
  return { header, end: { offset: from.offset + at, previous }, tornBytes: read.length - at, isRewritten }
}

/** The whole log. */
export function readWholeLog(name: string, file: DiskFile, apply: (change: DiskChange) => void): LogRead | undefined {
  const header = readLogHeader(name, file)
  return header === undefined ? undefined : readLog(name, file, header, firstPlace(header), apply)
}
