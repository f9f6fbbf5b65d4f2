import { randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { onceARun } from './once-a-run.ts'

test('a folder is filled once, and whoever asks has it whole', async () => {
  let filled = 0
  const fill = async (folder: string): Promise<void> => {
    filled += 1
    await sleep(50)
    writeFileSync(join(folder, 'made'), 'whole')
  }
  const name = `test-${randomUUID()}`
  const folders = await Promise.all(Array.from({ length: 3 }, () => onceARun(name, fill)))
  for (const folder of folders) expect(readFileSync(join(folder, 'made'), 'utf8')).toBe('whole')
  expect([filled, new Set(folders).size]).toEqual([1, 1])
})

test('whoever asks is told why it could not be made', async () => {
  const fill = (): Promise<void> => Promise.reject(new Error('no compiler'))
  const name = `test-${randomUUID()}`
  const asked = [onceARun(name, fill), onceARun(name, fill)]
  for (const each of asked) await expect(each).rejects.toThrow(/could not be made: .*no compiler/s)
})
