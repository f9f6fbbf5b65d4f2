import type { JSX } from 'hono/jsx/jsx-runtime'
import { jsonText } from '../item/json-text.ts'

/** Characters of a value that a cell shows. */
const MOST_CHARACTERS = 80

/** Shows a value in a cell, short and on one line. It is always text: nothing of an item is markup. */
export function Value({ value }: { value: unknown }): JSX.Element {
  if (value === undefined) return <span class="value-absent">absent</span>
  if (value === null) return <span class="value-null">null</span>
  if (typeof value === 'string') {
    if (value === '') return <span class="value-absent">empty</span>
    return <bdi class="value-text">{cut(visible(value))}</bdi>
  }
  if (typeof value === 'number' || typeof value === 'bigint') return <span class="value-number">{String(value)}</span>
  if (typeof value === 'boolean') return <span class="value-boolean">{String(value)}</span>
  if (value instanceof Uint8Array) return <span class="value-other">{`${value.byteLength} bytes`}</span>
  return <bdi class="value-other">{cut(visible(jsonText(value)))}</bdi>
}

function cut(text: string): string {
  // Half of a pair is no character.
  const characters = [...text.slice(0, 2 * MOST_CHARACTERS)]
  return characters.length <= MOST_CHARACTERS ? text : `${characters.slice(0, MOST_CHARACTERS).join('')}…`
}

const CONTROL = /[\p{Cc}\u2028\u2029]/gu
/** Marks by which a text turns the direction of what follows: seen, they turn nothing. */
const TURNING = /[\u202a-\u202e\u2066-\u2069]/gu

/** Writes characters that can't be seen, or that would turn the text beside them, as their code: `⟨U+202E⟩`. */
export function visible(text: string): string {
  const code = (character: string): string =>
    `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`
  return text
    .replace(/[\n\t]/g, ' ')
    .replace(CONTROL, code)
    .replace(TURNING, code)
}
