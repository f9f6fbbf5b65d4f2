/** The number of lines after which a text is cut; the style sheet has the same number. */
const LINES = 6
/** The most characters of a line, on a phone and on a wide screen. */
const NARROW = 42
const WIDE = 76

/** Splits a text into paragraphs at empty lines. */
export function paragraphsOf(text: string): readonly string[] {
  return text
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.trim())
    .filter((paragraph) => paragraph !== '')
}

/** Tells on which screens a text takes more lines than a list shows: on all, on narrow ones, or (undefined) on none. */
export function longOn(text: string): 'all' | 'narrow' | undefined {
  if (lines(text, WIDE) > LINES) return 'all'
  return lines(text, NARROW) > LINES ? 'narrow' : undefined
}

function lines(text: string, width: number): number {
  return paragraphsOf(text)
    .flatMap((paragraph) => paragraph.split('\n'))
    .reduce((sum, line) => sum + Math.ceil(widthOf(line) / width), 0)
}

/** Counts the columns of a line: Chinese, Japanese and Korean characters are about twice as wide as others. */
function widthOf(line: string): number {
  return line.length + (line.match(/[\u2e80-\u9fff\uac00-\ud7af\uff00-\uff60]/g)?.length ?? 0)
}
