const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', a: '\u0007' }
const SPACE = /[ \n\r\t\v\f\0]/

/** Splits a line into words as a person types it, with quotes as Redis takes them; undefined when a quote is not closed. */
export function splitInline(line: string): string[] | undefined {
  const words: string[] = []
  let at = 0
  for (;;) {
    while (at < line.length && SPACE.test(line[at] as string)) at++
    if (at >= line.length) return words
    const word = readWord(line, at)
    if (word === undefined) return undefined
    words.push(word.text)
    at = word.end
  }
}

function readWord(line: string, start: number): { readonly text: string; readonly end: number } | undefined {
  let text = ''
  let quote = ''
  for (let at = start; ; at++) {
    const character = line[at]
    if (character === undefined) return quote === '' ? { text, end: at } : undefined
    if (quote === '') {
      if (SPACE.test(character)) return { text, end: at }
      if (character === '"' || character === "'") quote = character
      else text += character
      continue
    }
    if (character === quote) {
      const next = line[at + 1]
      return next === undefined || SPACE.test(next) ? { text, end: at + 1 } : undefined
    }
    if (character !== '\\') {
      text += character
      continue
    }
    const next = line[at + 1]
    const hex = /^x([0-9a-f]{2})/i.exec(line.slice(at + 1, at + 4))?.[1]
    if (quote === "'") {
      text += next === "'" ? "'" : '\\'
      if (next === "'") at++
    } else if (hex !== undefined) {
      text += String.fromCharCode(Number.parseInt(hex, 16))
      at += 3
    } else if (next === undefined) return undefined
    else {
      text += ESCAPES[next] ?? next
      at++
    }
  }
}
