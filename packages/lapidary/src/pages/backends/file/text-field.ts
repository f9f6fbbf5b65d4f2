import type { ByteString } from './byte-string.ts'

/** A field's first byte, when the bytes are in the heap; otherwise it is how many there are. */
export const IN_HEAP = 255
/** Within a field: where in the heap (6 bytes), and how many bytes. */
const HEAP_OFFSET = 1
const HEAP_LENGTH = 7
/** What a field needs at least, to hold a place in the heap. */
export const LEAST_FIELD_BYTES = 11

/** Whether bytes are in their field. */
export function fitsField(length: number, fieldBytes: number): boolean {
  return length < fieldBytes && length < IN_HEAP
}

/** Writes bytes into their field, the rest of which is zero. */
export function writeField(into: Buffer, offset: number, fieldBytes: number, text: ByteString): void {
  into.fill(0, offset, offset + fieldBytes)
  into[offset] = text.length
  into.write(text, offset + 1, text.length, 'latin1')
}

/** Writes where in the heap the bytes are. */
export function writeHeapField(into: Buffer, offset: number, fieldBytes: number, at: number, length: number): void {
  into.fill(0, offset, offset + fieldBytes)
  into[offset] = IN_HEAP
  into.writeUIntLE(at, offset + HEAP_OFFSET, 6)
  into.writeUInt32LE(length, offset + HEAP_LENGTH)
}

/** Bytes in the heap. */
export interface HeapPlace {
  readonly at: number
  readonly length: number
}

export function heapPlace(from: Buffer, offset: number): HeapPlace {
  return { at: from.readUIntLE(offset + HEAP_OFFSET, 6), length: from.readUInt32LE(offset + HEAP_LENGTH) }
}

/** Below zero when the bytes in a field come before the given ones. */
export function compareField(from: Buffer, offset: number, text: ByteString): number {
  const length = from[offset] as number
  const shared = Math.min(length, text.length)
  for (let i = 0; i < shared; i++) {
    const difference = (from[offset + 1 + i] as number) - text.charCodeAt(i)
    if (difference !== 0) return difference
  }
  return length - text.length
}
