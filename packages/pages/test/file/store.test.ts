import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openWriter } from '../../src/file/disk-lists.ts'
import type { DiskLists } from '../../src/file/index.ts'
import { openReader } from '../../src/file/read-lists.ts'
import { MemoryDisk } from './memory-disk.ts'
import { changes, expectEqual, member, Twin } from './twin.ts'

const UNLOCKED = { confirm: () => {}, release: () => {} }
const open = (disk: MemoryDisk, memberBytes?: number): Promise<DiskLists> =>
  openWriter(
    { folder: '/pages', cacheBytes: 0, ...(memberBytes === undefined ? {} : { memberBytes }) },
    { disk, lock: () => UNLOCKED },
  )

const step = fc.oneof(
  { weight: 12, arbitrary: fc.record({ type: fc.constant('apply' as const), changes }) },
  { weight: 2, arbitrary: fc.constant({ type: 'commit' as const }) },
  { weight: 1, arbitrary: fc.constant({ type: 'commit meanwhile' as const }) },
  { weight: 1, arbitrary: fc.constant({ type: 'reopen' as const }) },
)

test('has what a naive twin has, after any changes, commits and new openings; so has a reader beside it', async () => {
  const history = fc.array(step, { maxLength: 25 })
  await fc.assert(
    fc.asyncProperty(
      history,
      fc.array(member, { maxLength: 3 }),
      fc.constantFrom(10, 19, 40),
      async (steps, asked, room) => {
        const disk = new MemoryDisk()
        let store = await open(disk, room)
        const reader = openReader({ folder: '/pages', refreshMs: 0, cacheBytes: 0 }, disk)
        const twin = new Twin()
        let commit: Promise<void> | undefined
        for (const one of steps) {
          if (one.type === 'apply') expect(await store.apply(one.changes)).toBe(twin.apply(one.changes))
          else if (one.type === 'commit meanwhile') commit = store.commit()
          else if (one.type === 'commit') await store.commit()
          else {
            await store.close()
            store = await open(disk)
            expect(store.tornBytes).toBe(0)
          }
          expectEqual(store, twin, asked)
          expect((await store.validate()).problems).toEqual([])
          expectEqual(reader, twin, asked)
        }
        await commit
        expectEqual(store, twin, asked)
        reader.close()
        await store.close()
      },
    ),
    { numRuns: 150 },
  )
})
