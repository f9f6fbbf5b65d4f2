/** Lines after which a text is cut; the style sheet has the same number. */
const LINES = 6
/** Characters of a line, at the most, on a phone and on a wide screen. */
const NARROW = 42
const WIDE = 76

/** The paragraphs of a text: what stands between empty lines. */
export function paragraphsOf(text: string): readonly string[] {
  return text
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.trim())
    .filter((paragraph) => paragraph !== '')
}

/** Where a text takes more lines than a list shows at once: on every screen, on narrow ones, or (undefined) nowhere. */
export function longOn(text: string): 'all' | 'narrow' | undefined {
  if (lines(text, WIDE) > LINES) return 'all'
  return lines(text, NARROW) > LINES ? 'narrow' : undefined
}

function lines(text: string, width: number): number {
  return paragraphsOf(text)
    .flatMap((paragraph) => paragraph.split('\n'))
    .reduce((sum, line) => sum + Math.ceil(widthOf(line) / width), 0)
}

/** Chinese, Japanese and Korean characters are about twice as wide as others. */
function widthOf(line: string): number {
  return line.length + (line.match(/[\u2e80-\u9fff\uac00-\ud7af\uff00-\uff60]/g)?.length ?? 0)
}
