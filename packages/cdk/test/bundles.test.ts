import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { buildSync } from 'esbuild'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { optionsFor } from '../src/bundle-options.ts'
import { type Assembly, type Synthesized, synthesize } from './synthesized.ts'

const KB = 1_000

let assembly: Assembly

beforeAll(async () => {
  assembly = await synthesize('comments', 'orders')
})
afterAll(() => assembly[Symbol.dispose]())

/** What a bundle takes when it is gzipped: what a cold start reads, and all of it. */
interface Weight {
  readonly atStart: number
  readonly all: number
}

function weightOf(folder: string): Weight {
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

function told(name: string, { atStart, all }: Weight): void {
  console.log(`${name}: ${Math.round(atStart / KB)} KB at start, ${Math.round(all / KB)} KB in all, gzipped`)
}

const ofStack = (stack: Synthesized, name: string): Weight => weightOf(stack.function(name).bundle)

test('a function that lists takes at most 160 KB', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lapidary-bundle-'))
  const file = fileURLToPath(new URL('../stacks/list-orders.ts', import.meta.url))
  buildSync({ ...optionsFor(file), outdir: folder })
  const weight = weightOf(folder)
  rmSync(folder, { recursive: true })
  told('a function that lists', weight)
  expect(weight.all).toBeLessThan(160 * KB)
})

test('the pages take at most 350 KB at their start, and the API of a configuration 300 KB', () => {
  const pages = ofStack(assembly.stack('Comments'), 'CommentsSiteFunction')
  told('pages and API of the comments', pages)
  expect(pages.atStart).toBeLessThan(350 * KB)
  const api = ofStack(assembly.stack('Orders'), 'OrdersApiFunction')
  told('API of orders', api)
  expect(api.atStart).toBeLessThan(300 * KB)
  told('stream of orders', ofStack(assembly.stack('Orders'), 'OrdersStream'))
  told('upkeep of orders', ofStack(assembly.stack('Orders'), 'OrdersUpkeep'))
})
