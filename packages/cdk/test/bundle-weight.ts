import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { gzipSync } from 'node:zlib'

export const KB = 1_000

/** What a bundle takes when it is gzipped: what a cold start reads, and all of it. */
export interface Weight {
  readonly atStart: number
  readonly all: number
}

/** Weighs the files in a folder of a bundle. */
export function weightOf(folder: string): Weight {
  const codes = new Map(
    readdirSync(folder)
      .filter((file) => file.endsWith('.mjs'))
      .map((file) => [file, readFileSync(join(folder, file), 'utf8')]),
  )
  const needed = new Set<string>()
  const visit = (file: string): void => {
    if (needed.has(file)) return
    needed.add(file)
    // What is imported late is asked for by a call.
    for (const [, path = ''] of (codes.get(file) ?? '').matchAll(/(?:from|import)\s*"\.\/([^"]+)"/g))
      visit(basename(path))
  }
  visit('index.mjs')
  const weigh = (files: Iterable<string>): number =>
    [...files].reduce((sum, file) => sum + gzipSync(codes.get(file) ?? '', { level: 9 }).length, 0)
  return { atStart: weigh(needed), all: weigh(codes.keys()) }
}

/** Prints what a bundle takes. */
export function told(name: string, { atStart, all }: Weight): void {
  console.log(`${name}: ${Math.round(atStart / KB)} KB at start, ${Math.round(all / KB)} KB in all, gzipped`)
}
