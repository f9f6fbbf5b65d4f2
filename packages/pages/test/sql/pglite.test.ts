import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { PGlite } from '@electric-sql/pglite'
import { pgliteLists } from 'lapidary-pages'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { contextOf } from './setting.ts'

const PROGRAM = fileURLToPath(new URL('./pglite-process.ts', import.meta.url))
const EVERYTHING = { groups: ['42'], includes: () => true, lower: undefined, upper: undefined, ascending: true }

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lapidary-test-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** A process that writes; `count` resolves with how many changes it says are in, once there are so many. */
function startWriter(): { readonly child: ChildProcess; readonly count: (atLeast: number) => Promise<number> } {
  const child = spawn(process.execPath, ['--import', 'tsx', PROGRAM, folder], { stdio: ['ignore', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]()
  return {
    child,
    async count(atLeast) {
      for (;;) {
        const { value, done } = await lines.next()
        if (done === true) throw new Error('the writer ended')
        if (Number(value) >= atLeast) return Number(value)
      }
    },
  }
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL')
  await once(child, 'exit')
}

test('what was taken in is there after the process is killed, and one process at a time has the folder', async () => {
  // A process that was killed while it made the database left this.
  mkdirSync(join(folder, 'draft'))
  writeFileSync(join(folder, 'draft', 'PG_VERSION'), '18')
  const first = startWriter()
  const taken = await first.count(20)
  const lists = pgliteLists({ folder, open: (data) => PGlite.create(data) }).open(contextOf('pages'))
  await expect(lists.state()).rejects.toMatchObject({
    code: 'page_index_locked',
    message: expect.stringContaining(String(first.child.pid)),
  })
  await kill(first.child)
  const second = startWriter()
  const found = await second.count(0)
  expect(found).toBeGreaterThanOrEqual(taken)
  await second.count(found + 5)
  await kill(second.child)

  expect(await lists.state()).toBe('ready')
  const { total, place } = await lists.select({ ...EVERYTHING, offset: found })
  expect(total).toBeGreaterThanOrEqual(found + 5)
  expect(place).toEqual({ score: found, member: `c${found}` })
  await lists.validate('42')
  await lists.close()
  const asking = lists.select({ ...EVERYTHING, offset: 0 })
  await expect(asking).rejects.toMatchObject({ code: 'unavailable', message: expect.stringContaining('closed') })
})
