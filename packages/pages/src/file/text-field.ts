import type { ByteString } from './byte-string.ts'
import { isPackable, packedBytes, writePacked } from './packed-text.ts'

/** A field's first byte, when the bytes are in the heap; otherwise it is how many there are. Where so many have no room, they are packed. */
export const IN_HEAP = 255
/** Within a field: where in the heap (6 bytes), and how many bytes. */
const HEAP_OFFSET = 1
const HEAP_LENGTH = 7

/** Writes bytes into their field, the rest of which is zero; false when they have no room there. */
export function writeField(into: Buffer, offset: number, fieldBytes: number, text: ByteString): boolean {
  const { length } = text
  if (length >= IN_HEAP || packedBytes(length) >= fieldBytes) return false
  const isPlain = length < fieldBytes
  if (!isPlain && !isPackable(text)) return false
  into.fill(0, offset, offset + fieldBytes)
  into[offset] = length
  if (isPlain) into.write(text, offset + 1, length, 'latin1')
  else writePacked(into, offset + 1, text)
  return true
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

/** Below zero when the bytes in a field, which has them as they are, come before the given ones. */
export function compareField(from: Buffer, offset: number, text: ByteString): number {
  const length = from[offset] as number
  const shared = Math.min(length, text.length)
  for (let i = 0; i < shared; i++) {
    const difference = (from[offset + 1 + i] as number) - text.charCodeAt(i)
    if (difference !== 0) return difference
  }
  return length - text.length
}
