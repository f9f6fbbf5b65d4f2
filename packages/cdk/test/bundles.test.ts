import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'
import { expect, test } from 'vitest'
import { optionsFor } from '../src/bundle-options.ts'
import { KB, told, weightOf } from './bundle-weight.ts'

test('a function that lists takes at most 160 KB', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lapidary-bundle-'))
  const file = fileURLToPath(new URL('../stacks/list-orders.ts', import.meta.url))
  buildSync({ ...optionsFor(file), outdir: folder })
  const weight = weightOf(folder)
  rmSync(folder, { recursive: true })
  told('a function that lists', weight)
  expect(weight.all).toBeLessThan(160 * KB)
})
