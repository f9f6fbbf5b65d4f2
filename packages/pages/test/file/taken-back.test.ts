import { expect, test } from 'vitest'
import { openWriter } from '../../src/file/disk-lists.ts'
import type { DiskChange } from '../../src/file/index.ts'
import { openReader } from '../../src/file/read-lists.ts'
import { MemoryDisk } from './memory-disk.ts'
import { textOfStore } from './twin.ts'

const set = (member: string): DiskChange => ({ type: 'set', list: 'a', member, score: 1 })

// The reader had read the frame of `refused`: what stands there next ends before, at, or behind the same byte.
test.each(['x', 'accepts', 'a longer one'])(
  'a reader forgets what the writer takes back, and reads %j instead',
  async (instead) => {
    const disk = new MemoryDisk()
    const unlocked = { confirm: () => {}, release: () => {} }
    const store = await openWriter({ folder: '/pages' }, { disk, lock: () => unlocked })
    await store.apply([set('first')])
    const reader = openReader({ folder: '/pages', refreshMs: 0 }, disk)
    disk.before = (_, kind) => {
      if (kind !== 'sync') return
      expect(reader.count('a')).toBe(2)
      throw Object.assign(new Error('no space'), { code: 'ENOSPC' })
    }
    await expect(store.apply([set('refused')])).rejects.toMatchObject({ code: 'unavailable' })
    disk.before = () => {}
    for (const member of [instead, 'next', 'and one more']) {
      await store.apply([set(member)])
      if (member !== instead) expect(textOfStore(reader)).toBe(textOfStore(store))
    }
    reader.close()
    await store.close()
  },
)
