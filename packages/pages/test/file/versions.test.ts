import { expect, test } from 'vitest'
import { BLOCK_BYTES, sealBlock } from '../../src/file/block.ts'
import { openWriter } from '../../src/file/disk-lists.ts'
import type { DiskLists } from '../../src/file/index.ts'
import { MemoryDisk } from './memory-disk.ts'

const open = (disk: MemoryDisk, memberBytes?: number): Promise<DiskLists> =>
  openWriter(
    { folder: '/pages', ...(memberBytes === undefined ? {} : { memberBytes }) },
    { disk, lock: () => ({ confirm: () => {}, release: () => {} }) },
  )

/** Entries as lists of comments have them: a time, and an id of 26 characters. */
const entries = (count: number): { type: 'set'; list: string; member: string; score: number }[] =>
  Array.from({ length: count }, (_, i) => ({
    type: 'set',
    list: '42/en/5',
    member: `01ARZ3NDEKTSV4RRFFQ6${String(i).padStart(6, '0')}`,
    score: 1_604_880_000_000 + ((i * 7_919) % count),
  }))

/** Gives the first block another version, with the right checksum. */
function setVersion(disk: MemoryDisk, generation: number, version: number): void {
  const name = `/pages/base-${String(generation).padStart(12, '0')}.lpb`
  const file = disk.open(name, 'write')
  const block = Buffer.alloc(BLOCK_BYTES)
  file.read(block, 0, BLOCK_BYTES, 0)
  block.writeUInt32LE(version, 8)
  sealBlock(block, 0, { generation, number: 0 })
  file.write(block, 0, BLOCK_BYTES, 0)
  file.sync()
  file.close()
}

test('an entry with an id of 26 characters takes less than 40 bytes in a folder with room for 20', async () => {
  const store = await open(new MemoryDisk(), 20)
  await store.apply(entries(5_000))
  await store.commit()
  const { baseBytes, baseEntries } = store.status()
  expect(baseBytes / baseEntries).toBeLessThan(39)
  expect(
    store
      .slice('42/en/5', 0, 5_000)
      .map(({ member }) => member)
      .sort(),
  ).toEqual(entries(5_000).map((e) => e.member))
  expect((await store.validate()).problems).toEqual([])
})

test('a folder of the version before is read, and written on', async () => {
  const disk = new MemoryDisk()
  // Nothing is packed where there is room for all of an id: that is the version before.
  const before = await open(disk, 26)
  await before.apply(entries(500))
  await before.commit()
  await before.close()
  setVersion(disk, 2, 1)
  const store = await open(disk)
  expect(
    store
      .slice('42/en/5', 0, 500)
      .map(({ member }) => member)
      .sort(),
  ).toEqual(entries(500).map((e) => e.member))
  await store.apply([{ type: 'set', list: '42/en/5', member: 'x'.repeat(30), score: 1 }])
  await store.commit()
  expect(store.at('42/en/5', 0)).toEqual({ member: 'x'.repeat(30), score: 1 })
  expect(store.count('42/en/5')).toBe(501)
  expect((await store.validate()).problems).toEqual([])
})

test('a folder of a later version is refused with both numbers', async () => {
  const disk = new MemoryDisk()
  const later = await open(disk)
  await later.close()
  setVersion(disk, 1, 3)
  await expect(open(disk)).rejects.toMatchObject({
    code: 'page_index_damaged',
    message: expect.stringContaining('it has version 3, and this program reads 1 and 2; rebuild the page index'),
  })
})
