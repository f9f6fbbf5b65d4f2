import { crc32 } from 'node:zlib'
import { damaged } from './block.ts'

/** The first bytes of a log. */
export interface LogHeader {
  /** The checksums of its frames begin with this, so that bytes of another file never pass for them. */
  readonly nonce: number
  /** Whether each frame was on the disk before the next was written. */
  readonly isSynced: boolean
}

/** A place between frames: where it is, and the checksum of the frame before it. */
export interface LogPlace {
  readonly offset: number
  readonly previous: number
}

export const LOG_HEADER_BYTES = 32
/** A frame's mark, the length of its changes, the checksum of the frame before it, its own checksum. */
export const FRAME_BYTES = 16

const MAGIC = 'LAPIDLOG'
const VERSION = 1
const MARK = 0x4d415246
const MARK_BYTES: Buffer = Buffer.from('FRAM')

export function logHeader({ nonce, isSynced }: LogHeader): Buffer {
  const bytes = Buffer.alloc(LOG_HEADER_BYTES)
  bytes.write(MAGIC, 0, 'latin1')
  bytes.writeUInt32LE(VERSION, 8)
  bytes.writeUInt32LE(isSynced ? 1 : 0, 12)
  bytes.writeUInt32LE(nonce, 16)
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 28)), 28)
  return bytes
}

/** @throws `page_index_damaged`. */
export function parseLogHeader(file: string, bytes: Buffer): LogHeader {
  if (crc32(bytes.subarray(0, 28)) !== bytes.readUInt32LE(28) || bytes.toString('latin1', 0, 8) !== MAGIC) {
    throw damaged(file, 'its first bytes are not as they were written')
  }
  const version = bytes.readUInt32LE(8)
  if (version !== VERSION) throw damaged(file, `it has version ${version}, and this program reads ${VERSION}`)
  return { isSynced: bytes.readUInt32LE(12) === 1, nonce: bytes.readUInt32LE(16) }
}

/** Returns the place of the first frame. */
export function firstPlace({ nonce }: LogHeader): LogPlace {
  return { offset: LOG_HEADER_BYTES, previous: nonce }
}

/** Fills in the margin before a frame's changes; gives the frame's checksum. */
export function sealFrame(frame: Buffer, { nonce }: LogHeader, previous: number): number {
  frame.writeUInt32LE(MARK, 0)
  frame.writeUInt32LE(frame.length - FRAME_BYTES, 4)
  frame.writeUInt32LE(previous, 8)
  const checksum = checksumOf(frame, nonce)
  frame.writeUInt32LE(checksum, 12)
  return checksum
}

/** The changes of the frame at an offset, when a whole frame is there and it is sound. */
export function frameAt(
  bytes: Buffer,
  offset: number,
  { nonce }: LogHeader,
): { readonly changes: Buffer; readonly previous: number; readonly checksum: number } | undefined {
  if (offset + FRAME_BYTES > bytes.length || bytes.readUInt32LE(offset) !== MARK) return undefined
  const end = offset + FRAME_BYTES + bytes.readUInt32LE(offset + 4)
  if (end > bytes.length) return undefined
  const frame = bytes.subarray(offset, end)
  const checksum = frame.readUInt32LE(12)
  if (checksum !== checksumOf(frame, nonce)) return undefined
  return { changes: frame.subarray(FRAME_BYTES), previous: frame.readUInt32LE(8), checksum }
}

/** Whether a sound frame begins anywhere behind an offset. */
export function hasFrameAfter(bytes: Buffer, offset: number, header: LogHeader): boolean {
  for (let at = bytes.indexOf(MARK_BYTES, offset + 1); at >= 0; at = bytes.indexOf(MARK_BYTES, at + 1)) {
    if (frameAt(bytes, at, header) !== undefined) return true
  }
  return false
}

function checksumOf(frame: Buffer, nonce: number): number {
  return crc32(frame.subarray(FRAME_BYTES), crc32(frame.subarray(0, 12), nonce))
}
