import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from '../architecture/sources.ts'
import { LONG_FILES, leftOut } from './long-files.ts'

const files = Object.keys(LONG_FILES)
const SEEDS = [0, 1, 2, 3, 4]

test('long files are there', () => {
  expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([])
})

test('five seeds that follow each other run each long file, and each of them a fifth of the time', () => {
  const all = files.reduce((sum, file) => sum + (LONG_FILES[file] ?? 0), 0)
  const runs = SEEDS.map((seed) => files.filter((file) => !leftOut(seed, []).includes(file)))
  expect(new Set(runs.flat())).toEqual(new Set(files))
  for (const run of runs) {
    const seconds = run.reduce((sum, file) => sum + (LONG_FILES[file] ?? 0), 0)
    expect(seconds / all).toBeLessThan(0.25)
  }
})

test('a long file runs when it is named, or its folder is', () => {
  const [first = ''] = files
  for (const seed of SEEDS) {
    expect(leftOut(seed, [first])).not.toContain(first)
    expect(leftOut(seed, ['packages/cli']).filter((file) => file.startsWith('packages/cli'))).toEqual([])
  }
})
