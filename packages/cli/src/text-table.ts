import { jsonOf } from './json-of.ts'

const WIDE =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u3000-\u303f\uff01-\uff60]$/u
const NO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}]$/u

/** Counts the columns of a terminal that a text takes. */
export function displayWidth(text: string): number {
  let width = 0
  for (const character of text) width += characterWidth(character)
  return width
}

function characterWidth(character: string): number {
  if (character <= '\u02ff') return 1
  if (NO_WIDTH.test(character)) return 0
  return WIDE.test(character) ? 2 : 1
}

/** Returns one line of a text, cut to a width. Control characters, which could move the cursor, become spaces. */
export function cell(value: unknown, most: number): string {
  const text = value === null || value === undefined ? '' : typeof value === 'object' ? jsonOf(value) : String(value)
  const line = text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').replace(/[\u202a-\u202e\u2066-\u2069]/g, '')
  let width = 0
  let shown = ''
  for (const character of line) {
    const next = characterWidth(character)
    if (width + next > most - 1 && displayWidth(line) > most) return `${shown}…`
    shown += character
    width += next
  }
  return shown
}

/** Fills a text up with spaces to a width. */
export function padded(text: string, width: number, right = false): string {
  const space = ' '.repeat(Math.max(0, width - displayWidth(text)))
  return right ? space + text : text + space
}

const GAP = '  '
const LEAST_WIDTH = 8

/**
 * Writes rows under a header, as wide as the terminal; the widest columns give way first.
 *
 * @param whole The number of columns from the left that are never cut, since readers copy them, such as ids.
 */
export function textTable(
  header: readonly string[],
  rows: readonly (readonly unknown[])[],
  columns: number,
  whole = 0,
): string {
  const widths = fit(
    header.map((name, i) =>
      Math.max(...[name, ...rows.map((row) => row[i])].map((value) => displayWidth(cell(value, 400)))),
    ),
    columns - GAP.length * (header.length - 1),
    whole,
  )
  const numeric = header.map((_, i) => rows.length > 0 && rows.every((row) => typeof row[i] === 'number'))
  const line = (values: readonly unknown[]): string =>
    values
      .map((value, i) => padded(cell(value, widths[i] ?? 0), widths[i] ?? 0, numeric[i]))
      .join(GAP)
      .trimEnd()
  return `${[header, widths.map((width) => '─'.repeat(width)), ...rows].map(line).join('\n')}\n`
}

function fit(natural: readonly number[], room: number, whole: number): number[] {
  const widths = [...natural]
  for (let total = widths.reduce((a, b) => a + b, 0); total > room; total--) {
    const widest = widths.indexOf(Math.max(...widths.slice(whole)), whole)
    if (widest === -1 || (widths[widest] ?? 0) <= LEAST_WIDTH) break
    widths[widest] = (widths[widest] ?? 0) - 1
  }
  return widths
}
