import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const RECORDED = new URL('long-files.json', import.meta.url)
/** From here on a file is long, in seconds of a whole run on two processors. */
const LONG_S = 5
/** One of these many parts of the long files is in a run of `npm test`: it takes some minutes then, and five seeds have them all. */
const PARTS = 5
/** In every run: what each layout has to pass, and all of it together while processes are killed. */
const ALWAYS: readonly string[] = ['packages/lapidary/test/conformance/lists.test.ts', 'test/chaos/chaos.test.ts']

/** The seconds that each long file took in a whole run, longest first. */
export const LONG_FILES: Readonly<Record<string, number>> = JSON.parse(readFileSync(RECORDED, 'utf8'))

/**
 * Returns the long files that a run leaves to other seeds, and none of those that it was asked for by name or folder.
 *
 * @param words What the command line names.
 */
export function leftOut(seed: number, words: readonly string[]): readonly string[] {
  return Object.keys(LONG_FILES)
    .filter((file) => !ALWAYS.includes(file))
    .filter((_, place) => partOf(place) !== seed % PARTS)
    .filter((file) => !words.some((word) => file.includes(word)))
}

/** Deals files to the parts, longest first, forwards and then backwards, so that all take about as long. */
function partOf(place: number): number {
  const turn = place % (2 * PARTS)
  return turn < PARTS ? turn : 2 * PARTS - 1 - turn
}

/** Records how long the files of a whole run took. */
export function recordLongFiles(times: readonly { readonly name: string; readonly ms: number }[]): void {
  const long = times
    .map(({ name, ms }) => [name, Math.round(ms / 1000)] as const)
    .filter(([, seconds]) => seconds >= LONG_S)
    .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
  writeFileSync(fileURLToPath(RECORDED), `${JSON.stringify(Object.fromEntries(long), null, 2)}\n`)
}
