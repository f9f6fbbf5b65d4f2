/** The shape of a JSON text, seen before it is parsed. */
export interface JsonShape {
  /** The depth of arrays and objects inside each other; 0 for a plain value. */
  readonly depth: number
  /** Names that the outermost object has more than once. */
  readonly repeated: readonly string[]
}

/** Reads brackets and strings only; the parser decides whether the text is JSON at all. */
export function jsonShape(text: string): JsonShape {
  const names = new Set<string>()
  const repeated = new Set<string>()
  let depth = 0
  let deepest = 0
  for (let i = 0; i < text.length; i++) {
    const character = text[i]
    if (character === '{' || character === '[') deepest = Math.max(deepest, ++depth)
    else if (character === '}' || character === ']') depth--
    else if (character === '"') {
      const end = endOfString(text, i)
      if (depth === 1 && isName(text, end)) {
        const name = unquoted(text.slice(i, end + 1))
        if (names.has(name)) repeated.add(name)
        names.add(name)
      }
      i = end
    }
  }
  return { depth: deepest, repeated: [...repeated] }
}

/** Tells whether a string is the name of a member: a colon follows, after any space. */
function isName(text: string, end: number): boolean {
  let next = end + 1
  while (' \t\n\r'.includes(text[next] ?? ':')) next++
  return text[next] === ':'
}

function endOfString(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i++) {
    if (text[i] === '\\') i++
    else if (text[i] === '"') return i
  }
  return text.length
}

function unquoted(literal: string): string {
  try {
    return String(JSON.parse(literal))
  } catch {
    return literal
  }
}
