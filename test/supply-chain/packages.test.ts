import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

interface LockedPackage {
  readonly hasInstallScript?: boolean
  readonly integrity?: string
  /** It lies in the tarball of the package around it, whose hash is its own. */
  readonly inBundle?: boolean
  readonly link?: boolean
  readonly resolved?: string
}

interface LockFile {
  readonly packages: Record<string, LockedPackage>
}

// The packages that `npm ci`, `npm run docs` and `npm run aws` install.
const installed = ['package-lock.json', 'site/package-lock.json', 'packages/cdk/package-lock.json'].flatMap((file) => {
  const lock = JSON.parse(readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')) as LockFile
  return Object.entries(lock.packages).filter(([path]) => path.includes('node_modules/'))
})
const nameOf = (path: string): string => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)

test('only packages that are known to need it run something when they are installed', () => {
  const names = installed.flatMap(([path, { hasInstallScript }]) => (hasInstallScript === true ? [nameOf(path)] : []))
  // It looks for the binary of its platform, and is not in production.
  expect([...new Set(names)].toSorted()).toEqual(['esbuild'])
})

test('no package reports to others how it is used', () => {
  expect(installed.map(([path]) => nameOf(path)).filter((name) => name.startsWith('@scarf/'))).toEqual([])
})

test('every package is locked by its hash', () => {
  const open = installed.filter(
    ([, { integrity, link, inBundle }]) => link !== true && inBundle !== true && integrity === undefined,
  )
  expect(open.map(([path]) => path)).toEqual([])
})
