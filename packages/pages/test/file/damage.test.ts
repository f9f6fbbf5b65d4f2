import { describe, expect, test } from 'vitest'
import { openWriter } from '../../src/file/disk-lists.ts'
import type { DiskChange, DiskLists } from '../../src/file/index.ts'
import { MemoryDisk } from './memory-disk.ts'
import { textOfStore } from './twin.ts'

const UNLOCKED = { confirm: () => {}, release: () => {} }
const open = (disk: MemoryDisk): Promise<DiskLists> =>
  openWriter({ folder: '/pages', cacheBytes: 0 }, { disk, lock: () => UNLOCKED })

const set = (list: string, member: string, score: number): DiskChange => ({ type: 'set', list, member, score })

/** A store with a base file, in all of its sections, and a log of several frames on top. */
async function written(): Promise<{ readonly disk: MemoryDisk; readonly states: readonly string[] }> {
  const disk = new MemoryDisk()
  const store = await open(disk)
  await store.apply([set('a', 'x', 1), set('a', 'y', 2), set('a', 'a member with no room in its field', 3)])
  await store.apply([
    set('b', 'x', Number.POSITIVE_INFINITY),
    set('a list whose name has no room in its field', 'z', 5),
  ])
  await store.commit()
  const states = [textOfStore(store)]
  for (const changes of [
    [set('a', 'w', 0)],
    [set('a', 'x', 9), set('c', 'new', 1)],
    [{ type: 'drop', list: 'b' } as const],
  ]) {
    await store.apply(changes)
    states.push(textOfStore(store))
  }
  await store.close()
  return { disk, states }
}

/** Reads everything that a store has, or the code of its error. */
async function outcome(disk: MemoryDisk): Promise<string> {
  try {
    const store = await open(disk)
    try {
      const { problems } = await store.validate()
      return problems.length > 0 ? `found: ${problems[0]}` : textOfStore(store)
    } finally {
      await store.close()
    }
  } catch (error) {
    expect(error).toMatchObject({ name: 'LapidaryError', code: 'page_index_damaged' })
    return 'refused'
  }
}

describe('a store of which', () => {
  test('one byte was altered anywhere says so, or has everything', async () => {
    const { disk, states } = await written()
    const whole = states.at(-1)
    let refused = 0
    for (const [name, bytes] of disk.files()) {
      for (let at = 0; at < bytes.length; at++) {
        const altered = disk.copy()
        const copy = Buffer.from(bytes)
        copy[at] = (copy[at] ?? 0) ^ (1 << (at % 8))
        altered.put(name, copy)
        const found = await outcome(altered)
        if (found === 'refused' || found.startsWith('found:')) refused++
        else expect([name, at, found]).toEqual([name, at, whole])
      }
    }
    expect(refused).toBeGreaterThan(10_000)
  }, 600_000)

  test('the log ends anywhere has what was written up to there', async () => {
    const { disk, states } = await written()
    const [name, bytes] = [...disk.files()].find(([file]) => file.startsWith('log')) ?? ['', Buffer.alloc(0)]
    const found: string[] = []
    for (let length = 0; length <= bytes.length; length++) {
      const cut = disk.copy()
      cut.put(name, bytes.subarray(0, length))
      const state = await outcome(cut)
      expect(states).toContain(state)
      if (found.at(-1) !== state) found.push(state)
    }
    expect(found).toEqual(states)
  })

  test('the base file ends anywhere, or is gone, says so', async () => {
    const { disk } = await written()
    const [name, bytes] = [...disk.files()].find(([file]) => file.startsWith('base')) ?? ['', Buffer.alloc(0)]
    for (let length = 0; length < bytes.length; length += 97) {
      const cut = disk.copy()
      cut.put(name, bytes.subarray(0, length))
      expect(await outcome(cut)).toBe('refused')
    }
    const without = disk.copy()
    without.remove(name)
    expect(await outcome(without)).toBe('refused')
  })

  test('blocks stand in each other’s place says so', async () => {
    const { disk } = await written()
    const [name, bytes] = [...disk.files()].find(([file]) => file.startsWith('base')) ?? ['', Buffer.alloc(0)]
    const swapped = Buffer.concat([
      bytes.subarray(0, 2048),
      bytes.subarray(4096, 6144),
      bytes.subarray(2048, 4096),
      bytes.subarray(6144),
    ])
    disk.put(name, swapped)
    expect(await outcome(disk)).toBe('refused')
  })
})
