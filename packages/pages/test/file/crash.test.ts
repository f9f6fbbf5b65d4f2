import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { openWriter } from '../../src/file/disk-lists.ts'
import type { DiskLists } from '../../src/file/index.ts'
import { Crash, MemoryDisk } from './memory-disk.ts'
import { changes, Twin, textOfStore } from './twin.ts'

const UNLOCKED = { confirm: () => {}, release: () => {} }
const open = (disk: MemoryDisk): Promise<DiskLists> =>
  openWriter({ folder: '/pages', cacheBytes: 0 }, { disk, lock: () => UNLOCKED })

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ type: fc.constant('apply' as const), changes, wait: fc.boolean() }) },
  { weight: 2, arbitrary: fc.constant({ type: 'commit' as const }) },
  { weight: 1, arbitrary: fc.constant({ type: 'commit meanwhile' as const }) },
  { weight: 1, arbitrary: fc.constant({ type: 'reopen' as const }) },
)

/** A history must leave a state that was acknowledged, or a later one. */
interface Outcome {
  /** The content of the store after each change, acknowledged or not. */
  readonly states: readonly string[]
  acknowledged: number
}

/** Runs a history until it ends or the disk stops. */
async function run(
  disk: MemoryDisk,
  steps: readonly (typeof step extends fc.Arbitrary<infer T> ? T : never)[],
): Promise<Outcome> {
  const twin = new Twin()
  const states = [twin.text()]
  const outcome: Outcome = { states, acknowledged: 0 }
  const acknowledge = (state: number): void => {
    outcome.acknowledged = Math.max(outcome.acknowledged, state)
  }
  const open_: Promise<unknown>[] = []
  try {
    let store = await open(disk)
    for (const one of steps) {
      if (one.type === 'apply') {
        twin.apply(one.changes)
        states.push(twin.text())
        const state = states.length - 1
        const done = store.apply(one.changes).then(() => acknowledge(state))
        if (one.wait) await done
        else open_.push(done.catch(() => {}))
      } else if (one.type === 'commit') await store.commit()
      else if (one.type === 'commit meanwhile') open_.push(store.commit().catch(() => {}))
      else {
        await store.close()
        store = await open(disk)
      }
    }
    await store.close()
  } catch (error) {
    if (!(error instanceof Crash) && !((error as Error).cause instanceof Crash)) throw error
  }
  await Promise.all(open_)
  return outcome
}

describe('a machine that stops', () => {
  test('at any operation leaves everything that was acknowledged, and nothing that was never there', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 14 }),
        fc.nat(),
        fc.infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true })),
        async (steps, at, chances) => {
          const whole = new MemoryDisk()
          await run(whole, steps)
          const last = 1 + (at % Math.max(1, whole.operations))
          const disk = new MemoryDisk()
          disk.before = (operation) => {
            if (operation >= last) throw new Crash(`at operation ${operation}`)
          }
          const { states, acknowledged } = await run(disk, steps)
          const random = (): number => chances.next().value ?? 0
          // It may stop again while it is opened.
          const again = disk.afterCrash(random)
          again.before = (operation) => {
            if (operation >= 3) throw new Crash('once more')
          }
          await open(again).then(
            (store) => store.close().catch(() => {}),
            () => {},
          )
          const store = await open(again.afterCrash(random))
          const state = textOfStore(store)
          expect(states.slice(acknowledged)).toContain(state)
          expect((await store.validate()).problems).toEqual([])
          await store.apply([{ type: 'set', list: 'after', member: 'it', score: 1 }])
          await store.commit()
          expect(store.score('after', 'it')).toBe(1)
          await store.close()
        },
      ),
      { numRuns: 400 },
    )
  })
})

test('a torn end is gone before anything is written, and is not taken for damage later', async () => {
  const disk = new MemoryDisk()
  const first = await open(disk)
  await first.apply([{ type: 'set', list: 'a', member: 'x', score: 1 }])
  await first.close()
  const [name, bytes] = [...disk.files()].find(([file]) => file.startsWith('log')) ?? ['', Buffer.alloc(0)]
  disk.put(name, Buffer.concat([bytes, Buffer.alloc(500, 'torn')]))
  const second = await open(disk)
  expect(second.tornBytes).toBe(500)
  await second.apply([{ type: 'set', list: 'a', member: 'y', score: 2 }])
  // The log has its end, and the merge does not come to its own.
  let created = 0
  disk.before = (_, kind) => {
    if (kind === 'create' && ++created === 2) throw new Crash('before the new base file')
  }
  await expect(second.commit()).rejects.toMatchObject({ code: 'unavailable' })
  await second.close()
  const third = await open(disk)
  expect(third.slice('a', 0, 9).map(({ member }) => member)).toEqual(['x', 'y'])
  await third.close()
})

describe('a disk that refuses', () => {
  test('loses nothing that was acknowledged, keeps nothing that was not, and works again when there is room', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 14 }),
        fc.array(fc.boolean(), { minLength: 1, maxLength: 40 }),
        async (steps, refusals) => {
          const disk = new MemoryDisk()
          const store = await open(disk)
          const twin = new Twin()
          let isFull = true
          disk.before = (operation, kind) => {
            if (isFull && kind !== 'remove' && refusals[operation % refusals.length]) {
              throw Object.assign(new Error('no space'), { code: 'ENOSPC' })
            }
          }
          const full = (error: unknown): void => {
            expect(error).toMatchObject({ code: 'unavailable', message: expect.stringContaining('its disk is full') })
          }
          for (const one of steps) {
            if (one.type === 'apply') {
              await store.apply(one.changes).then(() => twin.apply(one.changes), full)
              expect(textOfStore(store)).toBe(twin.text())
            } else await store.commit().catch(full)
            expect((await store.validate()).problems).toEqual([])
          }
          isFull = false
          expect(textOfStore(store)).toBe(twin.text())
          const more = [{ type: 'set', list: 'after', member: 'it', score: 1 }] as const
          await store.apply(more)
          twin.apply(more)
          const crashed = await open(disk.afterCrash(() => 0))
          expect(textOfStore(crashed)).toBe(twin.text())
          await store.commit()
          await store.close()
          const opened = await open(disk)
          expect(textOfStore(opened)).toBe(twin.text())
          await opened.close()
        },
      ),
      { numRuns: 200 },
    )
  })
})
