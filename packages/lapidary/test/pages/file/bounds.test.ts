import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openWriter } from '../../../src/pages/backends/file/disk-lists.ts'
import { MemoryDisk } from './memory-disk.ts'

test('changes that come faster than they are merged wait, so that the log stays bounded', async () => {
  const disk = new MemoryDisk()
  const commitBytes = 2_000
  const unlocked = { confirm: () => {}, release: () => {} }
  const lists = await openWriter({ folder: '/pages', commitBytes }, { disk, lock: () => unlocked })
  let open = (): void => {}
  disk.gate = new Promise((resolve) => {
    open = resolve
  })
  let last: Promise<unknown> = Promise.resolve()
  let made = 0
  for (let i = 0; i < 500; i++) {
    last = lists.apply([{ type: 'set', list: 'a', member: `member ${i}`, score: i }]).then(() => made++)
    await Promise.race([last, sleep(i > 400 ? 0 : 50)])
    if (made < i) break
  }
  const waiting = made
  expect(waiting).toBeGreaterThan(50)
  expect(waiting).toBeLessThan(400)
  expect(lists.status()).toMatchObject({ generation: 1 })
  expect(lists.status().logBytes).toBeLessThan(2 * commitBytes + 200)
  await sleep(20)
  expect(made).toBe(waiting)
  disk.gate = undefined
  open()
  await last
  expect(made).toBeGreaterThan(waiting)
  expect(lists.status().generation).toBeGreaterThan(1)
  await lists.close()
})
