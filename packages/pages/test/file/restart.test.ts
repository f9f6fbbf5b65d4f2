import { describe, expect, test } from 'vitest'
import type { Disk } from '../../src/file/disk.ts'
import { openWriter } from '../../src/file/disk-lists.ts'
import type { DiskChange, DiskLists, DiskListsOptions } from '../../src/file/index.ts'
import { MemoryDisk } from './memory-disk.ts'
import { textOfStore } from './twin.ts'

const UNLOCKED = { confirm: () => {}, release: () => {} }
const open = (disk: Disk, options: Partial<DiskListsOptions> = {}): Promise<DiskLists> =>
  openWriter({ folder: '/pages', ...options }, { disk, lock: () => UNLOCKED })

const moved = (count: number, score: (i: number) => number): DiskChange[] =>
  Array.from({ length: count }, (_, i) => ({ type: 'set', list: 'a', member: `member ${i}`, score: score(i) }))

describe('a start after a writer was killed', () => {
  test('reads each block of the base file about once, however its changes are spread', async () => {
    const disk = new MemoryDisk()
    const store = await open(disk)
    await store.apply(moved(20_000, (i) => i))
    await store.commit()
    await store.apply(moved(20_000, (i) => (i * 7_919) % 20_011))
    const blocks = store.status().baseBytes / 2_048
    let reads = 0
    const counting: Disk = {
      ...bound(disk),
      open(path, mode) {
        const file = disk.open(path, mode)
        return {
          ...file,
          read: (...which) => {
            reads++
            return file.read(...which)
          },
        }
      },
    }
    const again = await open(counting, { cacheBytes: 40 * 2_048, commitBytes: 100_000_000 })
    expect(reads).toBeLessThan(3 * blocks)
    expect(textOfStore(again)).toBe(textOfStore(store))
    expect((await again.validate()).problems).toEqual([])
  })

  test('merges at once what the log has too much of', async () => {
    const disk = new MemoryDisk()
    const store = await open(disk, { commitBytes: 1_000_000 })
    await store.apply(moved(1_000, (i) => i))
    const again = await open(disk.copy(), { commitBytes: 10_000 })
    await expect.poll(() => again.status().generation).toBe(2)
    expect(textOfStore(again)).toBe(textOfStore(store))
    await again.close()
  })

  test('finds what came several times in a log, was dropped, and came again', async () => {
    const disk = new MemoryDisk()
    const store = await open(disk)
    await store.apply(moved(10, (i) => i))
    await store.commit()
    await store.apply([
      ...moved(10, () => 5),
      ...moved(3, (i) => -i),
      { type: 'remove', list: 'a', member: 'member 4' },
      { type: 'set', list: 'a', member: 'member 4', score: 4 },
      { type: 'set', list: 'b', member: 'x', score: 0 },
      { type: 'drop', list: 'b' },
      { type: 'set', list: 'b', member: 'y', score: -0 },
      { type: 'set', list: 'c', member: 'gone', score: 1 },
      { type: 'remove', list: 'c', member: 'gone' },
    ])
    const again = await open(disk.copy())
    expect(textOfStore(again)).toBe(textOfStore(store))
    expect(again.status().lists).toBe(2)
    await again.apply([...moved(10, (i) => i), { type: 'drop', list: 'a' }])
    expect(again.status().lists).toBe(1)
    expect((await again.validate()).problems).toEqual([])
  })
})

test('a close gives up the commit that is under way, and nothing is lost', async () => {
  const disk = new MemoryDisk()
  const errors: unknown[] = []
  const store = await open(disk, { commitBytes: 2_000_000, onError: (error) => errors.push(error) })
  await store.apply(moved(60_000, (i) => i))
  const before = textOfStore(store)
  let [writes, closing] = [0, undefined as Promise<void> | undefined]
  const commit = store.commit()
  commit.catch(() => {})
  disk.before = (_, kind) => {
    if (kind !== 'write') return
    // The first piece of the new base file: the log's header comes before it.
    if (++writes === 2) closing = store.close()
  }
  await expect(commit).rejects.toMatchObject({ code: 'unavailable' })
  await closing
  // That piece, and the mark at the log's end.
  expect(writes).toBeLessThan(5)
  expect([...disk.files().keys()].filter((name) => name.startsWith('base'))).toEqual(['base-000000000001.lpb'])
  expect(errors).toEqual([])
  const again = await open(disk)
  expect(textOfStore(again)).toBe(before)
})

describe('a full disk', () => {
  const full = (): never => {
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
  }

  test.each(['was killed', 'ended in order'])(
    'is read after a writer %s; a write says which file has no room',
    async (how) => {
      const disk = new MemoryDisk()
      const store = await open(disk)
      await store.apply(moved(100, (i) => i))
      const before = textOfStore(store)
      if (how === 'ended in order') await store.close()
      const after = disk.copy()
      // Removing a file and cutting it shorter take no room.
      after.before = (_, kind) => ['remove', 'truncate'].includes(kind) || full()
      const again = await open(after)
      expect(textOfStore(again)).toBe(before)
      const refused = {
        code: 'unavailable',
        message:
          "the page index can't use /pages/log-000000000001.lpl: its disk is full; free some space, then try again",
      }
      await expect(again.apply([{ type: 'set', list: 'a', member: 'x', score: 1 }])).rejects.toMatchObject(refused)
      expect(textOfStore(again)).toBe(before)
      after.before = (_, kind) => ['remove', 'truncate', 'sync'].includes(kind) || full()
      await again.close()
      after.before = () => {}
      const last = await open(after)
      expect(textOfStore(last)).toBe(before)
    },
  )

  test('that has no room for a new folder is named', async () => {
    for (const kind of ['create', 'write', 'sync', 'rename', 'sync folder']) {
      const disk = new MemoryDisk()
      disk.before = (_, each) => each !== kind || full()
      await expect(open(disk)).rejects.toMatchObject({
        code: 'unavailable',
        message: "the page index can't use /pages: its disk is full; free some space, then try again",
      })
    }
  })
})

/** Its methods as functions, so that some can be others. */
function bound(disk: Disk): Disk {
  return {
    makeFolder: (folder) => disk.makeFolder(folder),
    list: (folder) => disk.list(folder),
    open: (path, mode) => disk.open(path, mode),
    rename: (from, to) => disk.rename(from, to),
    remove: (path) => disk.remove(path),
    syncFolder: (folder) => disk.syncFolder(folder),
  }
}
