import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PACKAGES } from '../architecture/packages.ts'
import { ROOT } from '../architecture/sources.ts'

const OTHERS = ['apps/comments', 'bench', 'examples']
const MANIFESTS = [...PACKAGES.map((name) => `packages/${name}`), ...OTHERS].map((folder) => `${folder}/package.json`)
/** The CDK's construct is no workspace, and has packages of its own. */
const OWN_LOCK = 'packages/cdk/package-lock.json'
const folder = mkdtempSync(join(tmpdir(), 'lapidary-test-'))

const git = (...args: readonly string[]): string =>
  execFileSync('git', ['-c', 'user.name=test', '-c', 'user.email=test@localhost', ...args], {
    cwd: folder,
    encoding: 'utf8',
  }).trim()
const read = (path: string): string => readFileSync(join(folder, path), 'utf8')
const json = (path: string): Manifest => JSON.parse(read(path)) as Manifest

interface Manifest {
  readonly name: string
  readonly version: string
  readonly bin?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

function release(...args: readonly string[]): { readonly status: number | null; readonly said: string } {
  const env = { ...process.env, GIT_AUTHOR_NAME: 'test', GIT_AUTHOR_EMAIL: 'test@localhost' }
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/release.mjs', ...args], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...env, GIT_COMMITTER_NAME: 'test', GIT_COMMITTER_EMAIL: 'test@localhost' },
  })
  return { status, said: `${stdout}${stderr}` }
}

/** The manifests of the repository, in a repository of their own. */
beforeAll(() => {
  const files = ['package.json', 'package-lock.json', OWN_LOCK, 'CHANGELOG.md', ...MANIFESTS]
  for (const file of [...files, 'scripts/release.mjs', 'scripts/script-arguments.mjs']) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    cpSync(join(ROOT, file), join(folder, file))
  }
  writeFileSync(join(folder, 'CHANGELOG.md'), '# Changes\n\n## 7.8.9, not released yet\n\n- Something.\n')
  git('init', '--quiet')
  git('add', '.')
  git('commit', '--quiet', '--message', 'Begin')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('a release that nothing is written of, and one of nonsense, change nothing', () => {
  expect(release('7.9.0')).toEqual({ status: 1, said: expect.stringContaining('has no "## 7.9.0, not released yet"') })
  expect(release('next')).toEqual({ status: 2, said: expect.stringContaining('next is no version') })
  expect(release()).toEqual({ status: 2, said: expect.stringContaining('usage: ') })
  expect(git('status', '--porcelain')).toBe('')
})

test('nothing is published of a commit that is no release', () => {
  expect(release('publish')).toEqual({ status: 1, said: expect.stringContaining('the commit has no tag v') })
})

test('changes that are not committed are no part of a release', () => {
  writeFileSync(join(folder, 'note.txt'), 'unfinished')
  expect(release('7.8.9')).toEqual({ status: 1, said: expect.stringContaining('not committed') })
  rmSync(join(folder, 'note.txt'))
})

test('a release gives all packages the version, and each the others of exactly that one', () => {
  expect(release('7.8.9')).toEqual({ status: 0, said: expect.stringContaining('v7.8.9') })
  expect([git('status', '--porcelain'), git('tag', '--points-at', 'HEAD')]).toEqual(['', 'v7.8.9'])
  expect(read('CHANGELOG.md')).toMatch(/^## 7\.8\.9, \d{4}-\d{2}-\d{2}$/m)

  const names = new Set(PACKAGES.map((name) => json(`packages/${name}/package.json`).name))
  const lock = JSON.parse(read('package-lock.json')) as { readonly packages: Readonly<Record<string, Manifest>> }
  for (const path of MANIFESTS) {
    const manifest = json(path)
    const before = JSON.parse(readFileSync(join(ROOT, path), 'utf8')) as Manifest
    expect(manifest.version).toBe(path.startsWith('packages/') ? '7.8.9' : before.version)
    const needed = { ...manifest.dependencies, ...manifest.peerDependencies, ...manifest.devDependencies }
    const own = Object.keys(needed).filter((name) => names.has(name))
    expect(own.map((name) => needed[name])).toEqual(own.map(() => '7.8.9'))
    const { version, bin, dependencies, peerDependencies } = manifest
    const locked = lock.packages[dirname(path)] ?? (JSON.parse(read(OWN_LOCK)) as typeof lock).packages['']
    expect(locked).toMatchObject({ version, ...definedOnly({ dependencies, peerDependencies }) })
    expect(bin).toEqual(before.bin)
    // What else stands in the file stays as it is written.
    const changed = git('diff', '--numstat', 'HEAD~1', 'HEAD', '--', path).split('\t')
    expect(Number(changed[0] || 0)).toBe(own.length + Number(path.startsWith('packages/')))
  }
})

function definedOnly(all: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
}
