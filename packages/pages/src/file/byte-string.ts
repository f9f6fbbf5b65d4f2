import { LapidaryError, shown } from 'lapidary'

/**
 * Bytes as a string with one character for each, U+0000 to U+00FF, so that `<` compares them as bytes and a Map finds them. ASCII text
 * is its own; {@link bytesOf} makes one of any text.
 */
export type ByteString = string

// biome-ignore lint/suspicious/noControlCharactersInRegex: a byte may have any value
const NOT_BYTES = /[^\u0000-\u00ff]/
// biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII is the same in both forms
const ASCII = /^[\u0000-\u007f]*$/

/**
 * The UTF-8 bytes of a text; they sort as its code points do.
 *
 * @example
 * ```ts
 * const name = bytesOf('PRODUCT#42/日本語')
 * console.log(textOf(name))
 * ```
 */
export function bytesOf(text: string): ByteString {
  return ASCII.test(text) ? text : Buffer.from(text, 'utf8').toString('latin1')
}

/**
 * The text whose UTF-8 bytes these are.
 *
 * @example
 * ```ts
 * console.log(textOf(bytesOf('PRODUCT#42/日本語')))
 * ```
 */
export function textOf(bytes: ByteString): string {
  return ASCII.test(bytes) ? bytes : Buffer.from(bytes, 'latin1').toString('utf8')
}

/** The most bytes of a member, or of a list's name. */
export const MOST_BYTES = 65_536

/** @throws `unprocessable` for a text that is no bytes, or too many of them. */
export function requireBytes(what: string, bytes: ByteString): void {
  if (bytes.length > MOST_BYTES) {
    throw new LapidaryError('unprocessable', `${what} has ${bytes.length} bytes, and at most ${MOST_BYTES} fit`)
  }
  if (NOT_BYTES.test(bytes)) {
    throw new LapidaryError('unprocessable', `${what} ${shown(bytes)} is no byte string: make one with bytesOf(text)`)
  }
}
