import { crc32 } from 'node:zlib'
import { LapidaryError } from 'lapidary'

/** A base file is made of blocks of this many bytes; the last four of each are its checksum. */
export const BLOCK_BYTES = 2048
/** Bytes of a block beside its checksum. */
export const PAYLOAD_BYTES: number = BLOCK_BYTES - 4

/** The place of a block: a right block in a wrong place, or of another file, is as bad as an altered one. */
export interface BlockPlace {
  readonly generation: number
  readonly number: number
}

/** Writes a block's checksum behind its payload. */
export function sealBlock(bytes: Buffer, offset: number, place: BlockPlace): void {
  bytes.writeUInt32LE(checksum(bytes, offset, place), offset + PAYLOAD_BYTES)
}

/** Tells whether a block is as it was written. */
export function isSound(bytes: Buffer, offset: number, place: BlockPlace): boolean {
  return bytes.readUInt32LE(offset + PAYLOAD_BYTES) === checksum(bytes, offset, place)
}

function checksum(bytes: Buffer, offset: number, { generation, number }: BlockPlace): number {
  const seed = (Math.imul(generation, 0x9e3779b1) ^ number) >>> 0
  return crc32(bytes.subarray(offset, offset + PAYLOAD_BYTES), seed)
}

/** @throws `page_index_damaged` when a block is not as it was written. */
export function requireSound(file: string, bytes: Buffer, offset: number, place: BlockPlace): void {
  if (!isSound(bytes, offset, place)) throw damaged(file, `block ${place.number} is not as it was written`)
}

/** Makes a `page_index_damaged`: a file of the store is not as it was written. */
export function damaged(file: string, what: string): LapidaryError {
  return new LapidaryError(
    'page_index_damaged',
    `the page index file ${file} is damaged: ${what}; rebuild the page index`,
    { details: { file } },
  )
}
