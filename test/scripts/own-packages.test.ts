import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { useTemporaryFolder } from '../temporary-folder.ts'

const { isInstalled } = (await import(new URL('../../scripts/own-packages.mjs', import.meta.url).href)) as {
  isInstalled(folder: string): boolean
}
const folder = useTemporaryFolder()

const LOCKED = {
  '': {},
  'node_modules/a': { version: '1.0.0' },
  'node_modules/for-mac': { version: '1.0.0', optional: true },
}

test.each([
  ['each package in its version, and not those of other systems', { 'node_modules/a': { version: '1.0.0' } }, true],
  ['another version', { 'node_modules/a': { version: '0.9.0' } }, false],
  ['a package less', {}, false],
  ['a package more', { 'node_modules/a': { version: '1.0.0' }, 'node_modules/b': { version: '1.0.0' } }, false],
])('a folder that has %s', async (_, installed, expected) => {
  await mkdir(join(folder.path, 'node_modules'))
  await writeFile(join(folder.path, 'package-lock.json'), JSON.stringify({ packages: LOCKED }))
  await writeFile(join(folder.path, 'node_modules/.package-lock.json'), JSON.stringify({ packages: installed }))
  expect(isInstalled(folder.path)).toBe(expected)
})
