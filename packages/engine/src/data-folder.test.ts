import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeDataFolder, unusable } from './data-folder.ts'
import { openEngine } from './index.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lapidary-test-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

test('makes what is missing, for this user alone, and leaves what is there as it is', () => {
  chmodSync(folder, 0o755)
  makeDataFolder(join(folder, 'a', 'b'))
  expect(['', 'a', 'a/b'].map((path) => (statSync(join(folder, path)).mode & 0o777).toString(8))).toEqual([
    '755',
    '700',
    '700',
  ])
  makeDataFolder(join(folder, 'a', 'b'))
})

test.each(['/dev/null', '/dev/null/x', '/proc/x', '/proc/x/y', '/proc/self/fd', `/tmp/${'x'.repeat(300)}`])(
  'DATA_DIR=%s is refused in one line that names it',
  async (dataDir) => {
    await expect(openEngine({ dataDir })).rejects.toMatchObject({
      code: 'engine_unavailable',
      message: expect.stringMatching(/^The data folder "\/.+" can't be used: .+\. Set DATA_DIR to a folder .+\.$/),
    })
  },
)

test('so is a file', async () => {
  const dataDir = join(folder, 'file')
  writeFileSync(dataDir, '')
  await expect(openEngine({ dataDir })).rejects.toMatchObject({ message: expect.stringContaining(dataDir) })
})

test('a full disk says so', () => {
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
  expect(unusable('/data', full)).toMatchObject({
    code: 'engine_unavailable',
    message: `The data folder "/data" can't be used: its disk is full. Free some space.`,
  })
})

test('a process that was given a folder that can not be made ends by itself', async () => {
  const engine = new URL('../dist/index.js', import.meta.url).href
  const script = `
    import { openEngine } from ${JSON.stringify(engine)}
    await openEngine({ dataDir: '/proc/x' }).catch(({ message }) => console.log(message))`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [code] = await once(child, 'exit')
  expect(code).toBe(0)
  expect(existsSync('/proc/x')).toBe(false)
})
