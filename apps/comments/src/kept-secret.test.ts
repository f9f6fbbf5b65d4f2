import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { keptSecret } from './kept-secret.ts'

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'kept-secret-'))
  onTestFinished(() => rmSync(path, { recursive: true }))
  return path
}

test('stays the same, and only its owner can read it', () => {
  const path = join(folder(), 'new')
  const secret = keptSecret(path, 'admin-token')
  expect(secret).toMatch(/^[\w-]{32}$/)
  expect(keptSecret(path, 'admin-token')).toBe(secret)
  expect(keptSecret(path, 'cursor-secret')).not.toBe(secret)
  expect(statSync(join(path, 'admin-token')).mode & 0o777).toBe(0o600)
  expect(readdirSync(path).toSorted()).toEqual(['admin-token', 'cursor-secret'])
})

test('a file that is there already is taken as it is', () => {
  const path = folder()
  writeFileSync(join(path, 'admin-token'), 'my own\n')
  expect(keptSecret(path, 'admin-token')).toBe('my own')
})
