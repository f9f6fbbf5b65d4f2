/** Tells whether a text matchesGlob one of Redis's patterns: `*`, `?`, `[abc]`, `[^a-z]`, `\` before a literal character. */
export function matchesGlob(pattern: string, text: string): boolean {
  let [p, t] = [0, 0]
  // The place of the last star, and how much of the text it has taken: going back to the last star is enough.
  let [star, taken] = [-1, 0]
  while (t < text.length) {
    const end = pattern[p] === '*' ? undefined : matchOne(pattern, p, text[t] as string)
    if (p < pattern.length && pattern[p] === '*') {
      star = p++
      taken = t
    } else if (p < pattern.length && end !== undefined) {
      p = end
      t++
    } else if (star >= 0) {
      p = star + 1
      t = ++taken
    } else return false
  }
  while (pattern[p] === '*') p++
  return p >= pattern.length
}

/** Returns where the pattern goes on when its part at `at` matchesGlob a character; undefined when it does not. */
function matchOne(pattern: string, at: number, character: string): number | undefined {
  const own = pattern[at]
  if (own === '?') return at + 1
  if (own === '[') return matchClass(pattern, at + 1, character)
  if (own === '\\' && at + 1 < pattern.length) return pattern[at + 1] === character ? at + 2 : undefined
  return own === character ? at + 1 : undefined
}

function matchClass(pattern: string, start: number, character: string): number | undefined {
  const isNegated = pattern[start] === '^'
  let at = isNegated ? start + 1 : start
  let isIn = false
  for (; at < pattern.length && pattern[at] !== ']'; at++) {
    if (pattern[at] === '\\' && at + 1 < pattern.length) {
      isIn ||= pattern[++at] === character
    } else if (pattern[at + 1] === '-' && at + 2 < pattern.length) {
      const [low, high] = [pattern[at] as string, pattern[at + 2] as string].sort()
      isIn ||= character >= (low ?? '') && character <= (high ?? '')
      at += 2
    } else isIn ||= pattern[at] === character
  }
  return isIn === isNegated ? undefined : Math.min(at + 1, pattern.length)
}
