import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  lutimesSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { bytesOf, type DiskChange, discardDiskLists, openDiskLists, readDiskLists } from 'lapidary-pages/file'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { useTemporaryFolder } from '../../../../test/temporary-folder.ts'
import { textOfStore } from './twin.ts'

const temporary = useTemporaryFolder()
let folder: string
const children: ChildProcess[] = []

beforeEach(() => {
  folder = temporary.path
})
afterEach(async () => {
  for (const child of children.splice(0)) await kill(child)
})

const set = (member: string, score: number, list = 'a'): DiskChange => ({ type: 'set', list, member, score })

/** A writer in a process of its own, which prints the number of each change once it is acknowledged. */
function startWriter(commitBytes: number): { readonly child: ChildProcess; readonly acknowledged: number[] } {
  const script = fileURLToPath(new URL('./writer-process.ts', import.meta.url))
  const child = spawn(process.execPath, ['--import', 'tsx', script, folder, String(commitBytes)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  const acknowledged: number[] = []
  if (child.stdout !== null) {
    createInterface(child.stdout).on('line', (line) => acknowledged.push(Number(line)))
  }
  return { child, acknowledged }
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null && child.kill('SIGKILL')) await once(child, 'exit')
}

describe('a writer that is killed', () => {
  test('leaves everything that it acknowledged, whether it wrote or committed, and no lock', async () => {
    const acknowledged = new Set<number>()
    for (let round = 0; round < 4; round++) {
      const writer = startWriter(round % 2 === 0 ? 3_000 : 1_000_000)
      await expect.poll(() => writer.acknowledged.length).toBeGreaterThan(50)
      await sleep(20 * round)
      await kill(writer.child)
      for (const number of writer.acknowledged) acknowledged.add(number)
      await using lists = await openDiskLists({ folder })
      for (const number of acknowledged) expect(lists.score(`list ${number % 7}`, `m${number}`)).toBe(number)
      expect((await lists.validate()).problems).toEqual([])
    }
    expect(readdirSync(folder).filter((name) => name.endsWith('.draft'))).toEqual([])
  })

  test('was followed by a reader meanwhile, which goes on with the next writer', async () => {
    const writer = startWriter(3_000)
    await expect.poll(() => writer.acknowledged.length).toBeGreaterThan(20)
    using reader = readDiskLists({ folder, refreshMs: 0 })
    for (let i = 0; i < 20; i++) {
      const last = writer.acknowledged.at(-1) ?? 0
      expect(reader.score(`list ${last % 7}`, `m${last}`)).toBe(last)
      await sleep(10)
    }
    await expect.poll(() => reader.status().generation).toBeGreaterThan(1)
    await kill(writer.child)
    await using lists = await openDiskLists({ folder })
    await lists.apply([set('next', 1)])
    expect(textOfStore(reader)).toBe(textOfStore(lists))
    await lists.commit()
    expect(textOfStore(reader)).toBe(textOfStore(lists))
  })
})

describe('the lock of a folder', () => {
  const locked = (pid: unknown): unknown =>
    expect.objectContaining({ code: 'page_index_locked', message: expect.stringContaining(`process ${pid} on `) })

  test('keeps a second writer out, of this process and of another, and names the first', async () => {
    const lists = await openDiskLists({ folder })
    await expect(openDiskLists({ folder })).rejects.toEqual(locked(process.pid))
    await expect(discardDiskLists(folder)).rejects.toEqual(locked(process.pid))
    await lists.close()
    const writer = startWriter(100_000)
    await expect.poll(() => writer.acknowledged.length).toBeGreaterThan(0)
    await expect(openDiskLists({ folder })).rejects.toEqual(locked(writer.child.pid))
    await kill(writer.child)
    await (await openDiskLists({ folder })).close()
  })

  test('is given to one of many that come at once', async () => {
    const opened = await Promise.allSettled(Array.from({ length: 8 }, () => openDiskLists({ folder })))
    const won = opened.filter((one) => one.status === 'fulfilled')
    expect(won).toHaveLength(1)
    for (const one of won) await one.value.close()
  })

  test('of a process of another machine holds until that has been silent for a minute', async () => {
    await (await openDiskLists({ folder })).close()
    const path = join(folder, 'writer-9.lock')
    symlinkSync('1 1 another-boot far', path)
    await expect(openDiskLists({ folder })).rejects.toMatchObject({ details: { host: 'far', pid: 1 } })
    lutimesSync(path, Date.now() / 1000 - 90, Date.now() / 1000 - 90)
    await (await openDiskLists({ folder })).close()
  })

  test('that was taken over refuses what its former holder writes', async () => {
    const lists = await openDiskLists({ folder })
    await lists.apply([set('x', 1)])
    const [own = ''] = readdirSync(folder).filter((name) => name.endsWith('.lock'))
    rmSync(join(folder, own))
    symlinkSync('4 1 another-boot far', join(folder, 'writer-77.lock'))
    await expect(lists.apply([set('y', 2)])).rejects.toMatchObject({ code: 'page_index_locked' })
    await expect(lists.commit()).rejects.toMatchObject({ code: 'page_index_locked' })
    expect(lists.score('a', 'y')).toBe(undefined)
    await expect(lists.close()).rejects.toMatchObject({ code: 'page_index_locked' })
  })
})

describe('a disk with room for little', () => {
  const mount = mkdtempSync(join(tmpdir(), 'lapidary-test-mount-'))
  const canMount = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=400k', 'lapidary', mount]).status === 0
  if (canMount) spawnSync('umount', [mount])
  rmSync(mount, { recursive: true })

  // A machine may not allow mounting; the simulated disk of the crash tests refuses at every operation.
  test.runIf(canMount)('refuses what does not fit, keeps the rest, and goes on when there is room', async () => {
    const small = join(folder, 'small')
    mkdirSync(small)
    expect(spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=400k', 'lapidary', small]).status).toBe(0)
    try {
      const errors: unknown[] = []
      const lists = await openDiskLists({
        folder: join(small, 'pages'),
        commitBytes: 50_000,
        onError: (e) => errors.push(e),
      })
      const ballast = join(small, 'ballast')
      writeFileSync(ballast, Buffer.alloc(100_000))
      let stored = 0
      const fill = async (): Promise<void> => {
        for (; ; stored++) await lists.apply([set(`member ${stored}`.padEnd(100, '.'), stored)])
      }
      await expect(fill()).rejects.toMatchObject({
        code: 'unavailable',
        message: expect.stringMatching(/log-.*: its disk is full; free some space, then try again$/),
      })
      expect(lists.count('a')).toBe(stored)
      expect(stored).toBeGreaterThan(100)
      rmSync(ballast)
      await lists.apply([set('there is room', -1)])
      expect(lists.at('a', 0)?.member).toBe('there is room')
      const before = textOfStore(lists)
      await lists.close()
      await using again = await openDiskLists({ folder: join(small, 'pages') })
      expect(textOfStore(again)).toBe(before)
      expect((await again.validate()).problems).toEqual([])
    } finally {
      spawnSync('umount', [small])
    }
  })
})

describe('sorted lists', () => {
  test('by time are on the disk soon, and at once when they are closed', async () => {
    const lists = await openDiskLists({ folder, durability: { everyMs: 5 } })
    await lists.apply([set('x', 1), set('y', 2)])
    await lists.close()
    await using again = await openDiskLists({ folder })
    expect(again.slice('a', 0, 9).map(({ member }) => member)).toEqual(['x', 'y'])
    await again.apply([set('z', 3)])
    expect(readdirSync(folder).filter((name) => name.endsWith('.lpl'))).toHaveLength(2)
  })

  test('of many thousands, small ones, share one file', async () => {
    await using lists = await openDiskLists({ folder })
    const changes = Array.from({ length: 16_000 }, (_, i) => set(`m${i}`, i, `PRODUCT#${i % 8_000}/en/5`))
    await lists.apply(changes)
    await lists.commit()
    expect(lists.status()).toMatchObject({ lists: 8_000, baseEntries: 16_000 })
    expect(readdirSync(folder)).toHaveLength(3)
    expect(statSync(join(folder, 'base-000000000002.lpb')).size / 16_000).toBeLessThan(65)
    expect(lists.slice('PRODUCT#7/en/5', 0, 9).map(({ member }) => member)).toEqual(['m7', 'm8007'])
    await lists.apply([
      { type: 'drop', list: 'PRODUCT#7/en/5' },
      { type: 'remove', list: 'PRODUCT#8/en/5', member: 'm8' },
    ])
    await lists.commit()
    expect(lists.status()).toMatchObject({ lists: 7_999, baseEntries: 15_997 })
    expect((await lists.validate()).problems).toEqual([])
  })

  test('refuse what they can not hold, and change nothing then', async () => {
    await using lists = await openDiskLists({ folder })
    for (const wrong of [set('x', Number.NaN), set('日本', 1), set('x'.repeat(65_537), 1), set('x', 1, '日本')]) {
      expect(() => lists.change([set('fine', 1), wrong])).toThrow(expect.objectContaining({ code: 'unprocessable' }))
    }
    expect(lists.status().lists).toBe(0)
    await lists.apply([set(bytesOf('日本'), 1)])
    expect(lists.score('a', bytesOf('日本'))).toBe(1)
  })

  test('have names and members of up to 64 KiB, in the log and in a base file', async () => {
    const texts = [65_535, 65_536].map((length) => 'x'.repeat(length))
    for (const commits of [false, true]) {
      {
        await using lists = await openDiskLists({ folder })
        const changes = texts.flatMap((text) => [
          set(text, text.length),
          set('m', text.length, text),
          set('gone', 1, text),
        ])
        await lists.apply([...changes, ...texts.map((list): DiskChange => ({ type: 'remove', list, member: 'gone' }))])
        if (commits) await lists.commit()
      }
      await using lists = await openDiskLists({ folder })
      expect(lists.status()).toMatchObject({ lists: 3, baseEntries: commits ? 4 : 0 })
      for (const text of texts) {
        expect(lists.score('a', text)).toBe(text.length)
        expect(lists.slice(text, 0, 9)).toEqual([{ member: 'm', score: text.length }])
      }
      expect((await lists.validate()).problems).toEqual([])
    }
  })

  test('are there for a reader once a writer has made them, and gone when they are discarded', async () => {
    expect(() => readDiskLists({ folder })).toThrow(expect.objectContaining({ code: 'not_found' }))
    expect(() => readDiskLists({ folder: join(folder, 'none') })).toThrow(
      expect.objectContaining({ code: 'not_found' }),
    )
    const lists = await openDiskLists({ folder })
    await lists.apply([set('x', 1)])
    await lists.close()
    expect(() => lists.count('a')).toThrow(expect.objectContaining({ code: 'unavailable' }))
    const [base = ''] = readdirSync(folder).filter((name) => name.endsWith('.lpb'))
    const bytes = readFileSync(join(folder, base))
    bytes[100] = 1
    writeFileSync(join(folder, base), bytes)
    await expect(openDiskLists({ folder })).rejects.toMatchObject({
      code: 'page_index_damaged',
      details: { file: join(folder, base) },
    })
    await discardDiskLists(folder)
    await using anew = await openDiskLists({ folder })
    expect(anew.status().lists).toBe(0)
  })
})
