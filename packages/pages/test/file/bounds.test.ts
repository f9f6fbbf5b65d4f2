import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openWriter } from '../../src/file/disk-lists.ts'
import { fileLists, openDiskLists } from '../../src/file/index.ts'
import { s3Lists } from '../../src/s3/index.ts'
import { MemoryDisk } from './memory-disk.ts'

// A smaller field has no room for a place in the heap: it would be written over the next entry.
test.each([9, 255, 19.5, Number.NaN, -1, '20'])('room of %s bytes for members is refused', async (value) => {
  const memberBytes = value as number
  const refused = { code: 'declaration_invalid', message: expect.stringContaining('from 10 to 254') }
  await expect(openDiskLists({ folder: '/none', memberBytes })).rejects.toMatchObject(refused)
  expect(() => fileLists({ folder: '/none', memberBytes })).toThrow(expect.objectContaining(refused))
})

test('room of -1 and 245 bytes for members in S3 is refused', () => {
  const declare = (memberBytes: number) => s3Lists({ client: { send: async () => ({}) }, bucket: 'pages', memberBytes })
  for (const memberBytes of [-1, 245]) expect(() => declare(memberBytes)).toThrow('from 0 to 244')
  for (const memberBytes of [0, 244]) expect(declare(memberBytes).name).toBe('s3')
})

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
