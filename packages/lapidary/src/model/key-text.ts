/**
 * Text inside keys. DynamoDB sorts strings by their UTF-8 bytes, and our keys are made of components with separators, so components are escaped
 * and compared by byte.
 */

import { shown } from './errors.ts'

/** Separators and marks of keys (`# / ~ .`), the escape itself, controls and space: never raw inside a component. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this escapes
const RESERVED = /[\u0000-\u0020%#/~.\u007f]/g

/** Everything up to and including `%` sorts before other text; escaping exactly these keeps bytewise order. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this escapes
const LOW = /[\u0000-\u0025]/g

/** An escaped UTF-16 unit takes at most three bytes, so this fits a key of 2048 bytes with its marks and facets. */
const LONGEST_KEY_TEXT = 512

/**
 * Escapes a key component, so that it holds no separator and no value can reach into another list.
 *
 * @example
 * ```ts
 * escapeComponent('a/b#c') // 'a%2Fb%23c'
 * ```
 */
export function escapeComponent(text: string): string {
  return text.replace(RESERVED, percentEscape)
}

/** Returns the text that {@link escapeComponent} was given. */
export function unescapeComponent(escaped: string): string {
  return escaped.replace(/%([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}

/** Escapes in a way that keeps the order: `a < b` bytewise exactly when the escaped texts followed by `#` compare the same way. */
export function escapeOrdered(text: string): string {
  return text.replace(LOW, percentEscape)
}

function percentEscape(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`
}

/** Says what is wrong with a text that is to be an id or a scope, if anything. */
export function keyProblem(value: unknown): string | undefined {
  const fits = typeof value === 'string' && value !== '' && value.length <= LONGEST_KEY_TEXT && value.isWellFormed()
  if (fits) return undefined
  const length = typeof value === 'string' && value.length > LONGEST_KEY_TEXT ? ` (${value.length} characters)` : ''
  return `must be a well-formed text of 1 to ${LONGEST_KEY_TEXT} characters, not ${shown(value)}${length}`
}

/** Compares as DynamoDB does: by UTF-8 bytes, which is by code point. JavaScript's `<` goes by UTF-16 unit. */
export function compareBytes(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i)
    const y = b.charCodeAt(i)
    if (x !== y) return codePointRank(x) - codePointRank(y)
  }
  return a.length - b.length
}

/** Ranks a UTF-16 unit by code point: surrogates stand for code points above every other unit, so they rank after U+E000..U+FFFF. */
function codePointRank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit
}

/** Counts the bytes of a text in UTF-8, the unit of all of DynamoDB's limits. */
export function byteLength(text: string): number {
  return Buffer.byteLength(text, 'utf8')
}
