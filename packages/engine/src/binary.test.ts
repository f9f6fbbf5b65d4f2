import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { findBinary } from './binary.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lapidary-test-'))
  writeFileSync(join(folder, 'dynoxide'), '')
})
afterEach(() => rmSync(folder, { recursive: true }))

const nothing = (specifier: string): never => {
  throw new Error(`Cannot find module ${specifier}`)
}

test('takes the binary of the package for the platform', () => {
  chmodSync(join(folder, 'dynoxide'), 0o755)
  const resolve = (specifier: string) =>
    specifier === '@dynoxide/linux-arm64/package.json' ? join(folder, 'package.json') : nothing(specifier)
  expect(findBinary({ platform: 'linux', arch: 'arm64', path: '', resolve })).toBe(join(folder, 'dynoxide'))
})

test('without a package takes a binary on the search path', () => {
  chmodSync(join(folder, 'dynoxide'), 0o755)
  const path = `/nowhere:${folder}`
  expect(findBinary({ platform: 'darwin', arch: 'arm64', path, resolve: nothing })).toBe(join(folder, 'dynoxide'))
})

test('with neither, or with a file that cannot be run, names the platform and the alternatives', () => {
  const search = { platform: 'darwin', arch: 'arm64', path: folder, resolve: nothing }
  expect(() => findBinary(search)).toThrow(
    expect.objectContaining({
      code: 'engine_unavailable',
      message: expect.stringMatching(/darwin-arm64.*dynoxide.*PATH.*DynamoDB Local.*DYNAMODB_ENDPOINT/),
    }),
  )
})
