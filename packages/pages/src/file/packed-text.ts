import type { ByteString } from './byte-string.ts'

/** Six bits stand for one of these: the characters of made ids, UUIDs, numbers and base64url. */
const CHARACTERS = '-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz'
const CODES: Uint8Array = Uint8Array.from(CHARACTERS, (character) => character.charCodeAt(0))
const SIX_BITS = 63
const NONE = 255
const VALUES: Uint8Array = new Uint8Array(256).fill(NONE)
for (const [value, code] of CODES.entries()) VALUES[code] = value
const MOST_CHARACTERS = 254
const unpacked = Buffer.alloc(MOST_CHARACTERS)

/** Bytes that so many characters take, packed. */
export function packedBytes(length: number): number {
  return Math.ceil((length * 6) / 8)
}

/** Whether a text has none but characters that six bits stand for. */
export function isPackable(text: ByteString): boolean {
  if (text.length > MOST_CHARACTERS) return false
  for (let i = 0; i < text.length; i++) if (VALUES[text.charCodeAt(i)] === NONE) return false
  return true
}

/** Writes a text that {@link isPackable} with six bits for each character, the first of them highest. */
export function writePacked(into: Buffer, offset: number, text: ByteString): void {
  let [at, bits, held] = [offset, 0, 0]
  for (let i = 0; i < text.length; i++) {
    held = (held << 6) | (VALUES[text.charCodeAt(i)] as number)
    bits += 6
    if (bits >= 8) {
      bits -= 8
      into[at++] = held >> bits
      held &= (1 << bits) - 1
    }
  }
  if (bits > 0) into[at] = held << (8 - bits)
}

/** The text of so many characters that was packed here. */
export function readPacked(from: Buffer, offset: number, length: number): ByteString {
  let [at, bits, held] = [offset, 0, 0]
  for (let i = 0; i < length; i++) {
    if (bits < 6) {
      held = (held << 8) | (from[at++] as number)
      bits += 8
    }
    bits -= 6
    unpacked[i] = CODES[(held >> bits) & SIX_BITS] as number
    held &= (1 << bits) - 1
  }
  return unpacked.toString('latin1', 0, length)
}
