import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import type { ListChange, ListStep, Place, RankQuestion, SortedLists } from 'lapidary'
import { fileLists } from 'lapidary-pages/file'
import { memoryLists } from 'lapidary-testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { comparePlaces } from '../../../lapidary/src/pages/place.ts'
import { expectWeekOfMarks } from '../../../lapidary/test/pages/week-of-marks.ts'
import { listsIn } from '../../src/file/file-lists.ts'
import { listNames } from '../../src/file/list-names.ts'
import { ListsFolder } from '../../src/file/lists-folder.ts'
import { Crash, MemoryDisk } from './memory-disk.ts'

const CELLS = ['en#5', 'de#1'] as const

let folder: string
const opened: SortedLists[] = []
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lapidary-test-'))
})
afterEach(async () => {
  for (const lists of opened.splice(0)) await lists.close()
  await rm(folder, { recursive: true })
})

/** The lists as another process has them, but for the number that its lock names. */
function open(tableName = 'comments'): SortedLists {
  const lists = fileLists({ folder }).open({ namespace: 'T', table: { tableName } as never, clock: Date.now })
  opened.push(lists)
  return lists
}

function add(number: number, cell = 'en#5', group = '42'): ListChange {
  const place: Place = { score: number, member: `c${number}` }
  return { sequenceNumber: String(1_000 + number), steps: [{ op: 'add', group, cell, place }] }
}

async function groupsOf(lists: SortedLists): Promise<readonly string[]> {
  const found: string[] = []
  for await (const group of (await lists.inspect?.())?.groups() ?? []) found.push(group)
  return found
}

const ALL: RankQuestion = {
  groups: ['42'],
  includes: () => true,
  lower: undefined,
  upper: undefined,
  ascending: true,
  offset: 0,
}

test('the mark of a shard that was still for a week is gone', () => expectWeekOfMarks(open()))

describe('a folder', () => {
  test('that was never written to has no lists, and takes in no changes', async () => {
    const lists = open()
    expect(await lists.state()).toBe('absent')
    await lists.apply('shard', [add(1)])
    expect(await lists.select(ALL)).toMatchObject({ total: 0, place: undefined })
    expect(await readdir(folder)).toEqual([])
  })

  test('is written by one process and read by others, and who else would write is told who does', async () => {
    const [writer, reader] = [open(), open()]
    await writer.create()
    await writer.apply('shard', [add(1)])
    expect(await reader.state()).toBe('ready')
    expect(await reader.select(ALL)).toMatchObject({ total: 1 })
    const refused = { code: 'page_index_locked', message: expect.stringContaining(`process ${process.pid}`) }
    await expect(reader.apply('shard', [add(2)])).rejects.toMatchObject(refused)
    await expect(reader.fill()).rejects.toMatchObject(refused)
    await writer.apply('shard', [add(2)])
    await expect.poll(async () => (await reader.select(ALL)).total).toBe(2)
    await writer.close()
    await reader.apply('shard', [add(2), add(3)])
    expect(await reader.select(ALL)).toMatchObject({ total: 3 })
  })

  test('shows groups of its own alone, more than are read at once, and at once what another process wrote', async () => {
    const [writer, reader, other] = [open(), open(), open('other')]
    await writer.create()
    const ids = Array.from({ length: 1_500 }, (_, i) => `g${i}`)
    const changes = ids.map((group, i) => add(i, 'en#5', group))
    await writer.apply('shard', changes)
    const inspection = await reader.inspect?.()
    expect((await groupsOf(reader)).toSorted()).toEqual(ids.toSorted())
    expect(await groupsOf(other)).toEqual([])
    const later = add(2_000)
    await writer.apply('shard', [later])
    expect(await inspection?.cellAt('42', later.steps[0]?.place as Place)).toBe('en#5')
    await writer.apply('shard', [add(2_001), add(2_002, 'de#1')])
    await writer.apply('another', [{ ...later, steps: [{ ...later.steps[0], cell: 'de#1' } as ListStep] }])
    const twice = later.steps[0]?.place as Place
    for (const cell of CELLS) expect(await inspection?.cellAt('42', twice, cell)).toBe(cell)
  })

  test('keeps the lists of two tables apart', async () => {
    const store = fileLists({ folder })
    const [one, two] = ['one', 'two'].map((tableName) =>
      store.open({ namespace: 'T', table: { tableName } as never, clock: Date.now }),
    ) as [SortedLists, SortedLists]
    opened.push(one)
    await one.create()
    await one.apply('shard', [add(1)])
    expect(await two.state()).toBe('absent')
    await two.fill().then((filling) => filling.finish())
    expect(await two.select(ALL)).toMatchObject({ total: 0 })
    expect(await one.select(ALL)).toMatchObject({ total: 1 })
  })

  test('that is damaged answers nothing and takes in nothing, until it is filled anew', async () => {
    const writer = open()
    await writer.create()
    await writer.apply('shard', [add(1)])
    await writer.close()
    const name = (await readdir(folder)).find((file) => file.endsWith('.lpb')) ?? ''
    const bytes = await readFile(join(folder, name))
    bytes[40] = (bytes[40] ?? 0) ^ 1
    await writeFile(join(folder, name), bytes)
    const lists = open()
    await expect(lists.select(ALL)).rejects.toMatchObject({ code: 'page_index_damaged' })
    await expect(lists.apply('shard', [add(2)])).rejects.toMatchObject({ code: 'page_index_damaged' })
    expect(await lists.state()).toBe('absent')
    // Another process mends it, as `lapidary rebuild page-index` does while a server runs.
    const other = open()
    const filling = await other.fill()
    await filling.add([{ group: '42', cell: 'en#5', place: { score: 1, member: 'c1' } }])
    await filling.finish()
    await other.close()
    await lists.apply('shard', [add(2)])
    expect(await lists.state()).toBe('ready')
    expect(await lists.select(ALL)).toMatchObject({ total: 2 })
  })

  test('that can’t be read is unavailable', async () => {
    await writeFile(join(folder, 'file'), '')
    const lists = fileLists({ folder: join(folder, 'file') }).open({
      ...{ namespace: 'T', clock: Date.now },
      table: { tableName: 'comments' } as never,
    })
    await expect(lists.select(ALL)).rejects.toMatchObject({ code: 'unavailable' })
    await expect(lists.create()).rejects.toMatchObject({ code: 'unavailable' })
  })
})

/** Members with the same beginning and the same score, some of which are in the list with another score too. */
const place: fc.Arbitrary<Place> = fc.record(
  { score: fc.constantFrom(0, 1, -1e300), member: fc.constantFrom('a', 'ab', 'a\u0001', 'b', 'ü') },
  { noNullPrototype: true },
)

test('a bound before or behind a member is there for each of its places', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(place, { maxLength: 12 }), place, fc.boolean(), async (places, bound, isBehind) => {
      const disk = new MemoryDisk()
      const lists = onDisk(disk)
      const truth = memoryLists()
      const cut = isBehind ? { ...bound, member: `${bound.member}\u0000` } : bound
      for (const each of [lists, truth]) {
        await each.create()
        await each.apply(
          'shard',
          places.map((one, i) => ({
            sequenceNumber: String(100 + i),
            steps: [{ op: i % 4 === 3 ? 'remove' : 'add', group: '42', cell: 'en#5', place: one }],
          })),
        )
      }
      for (const bounds of [{ lower: cut }, { upper: cut }]) {
        const question = { ...ALL, ...bounds }
        // Nothing was asked of what is near.
        expect({ ...(await lists.select(question)), near: [] }).toEqual(await truth.select(question))
      }
      await lists.close()
    }),
    { numRuns: 200 },
  )
})

function onDisk(disk: MemoryDisk): SortedLists {
  const parts = { disk, lock: () => ({ confirm: () => {}, release: () => {} }) }
  return listsIn(new ListsFolder({ folder: '/pages', cacheBytes: 0, commitBytes: 200 }, parts), listNames('T'))
}

const move = fc.record({ item: fc.nat({ max: 8 }), cell: fc.option(fc.constantFrom(...CELLS), { nil: undefined }) })

/** A stream of items that come, move and go. */
function changesOf(moves: readonly { readonly item: number; readonly cell: string | undefined }[]): ListChange[] {
  const at = new Map<number, string>()
  return moves.map(({ item, cell }, i) => {
    const entry = { group: '42', place: { score: item % 3, member: `c${item}` } }
    const before = at.get(item)
    if (cell === undefined) at.delete(item)
    else at.set(item, cell)
    const removal = before === undefined ? [] : [{ op: 'remove' as const, cell: before, ...entry }]
    const addition = cell === undefined ? [] : [{ op: 'add' as const, cell, ...entry }]
    return { sequenceNumber: String(100 + i), steps: [...removal, ...addition] }
  })
}

async function entriesOf(lists: SortedLists): Promise<readonly (readonly Place[])[]> {
  return await Promise.all(
    CELLS.map(async (cell) => {
      const question = { ...ALL, includes: (each: string) => each === cell }
      const { total } = await lists.select(question)
      const found = await Promise.all(
        Array.from({ length: total }, (_, offset) => lists.select({ ...question, offset })),
      )
      return found.flatMap(({ place: one }) => one ?? []).sort(comparePlaces)
    }),
  )
}

describe('a machine that stops, or a disk that is full,', () => {
  test('loses no change and doubles none, when the stream tells of what was not acknowledged again', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(move, { minLength: 1, maxLength: 40 }),
        fc.integer({ min: 1, max: 6 }),
        fc.nat(),
        fc.boolean(),
        fc.infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true })),
        async (moves, size, at, isFull, chances) => {
          const changes = changesOf(moves)
          const truth = memoryLists()
          await truth.create()
          await truth.apply('shard', changes)
          const disk = new MemoryDisk()
          const lists = onDisk(disk)
          await lists.create()
          const stop = disk.operations + 1 + (at % (2 * changes.length))
          disk.before = (operation) => {
            const error = isFull ? Object.assign(new Error('no space'), { code: 'ENOSPC' }) : new Crash('stopped')
            if (isFull ? operation === stop : operation >= stop) throw error
          }
          let acknowledged = 0
          for (let i = 0; i < changes.length; i += size) {
            const done = await lists.apply('shard', changes.slice(i, i + size)).then(
              () => true,
              (error: unknown) => {
                expect(error).toMatchObject({ code: 'unavailable' })
                return false
              },
            )
            if (!done) break
            acknowledged = i
          }
          const random = (): number => chances.next().value ?? 0
          disk.before = () => {}
          const after = isFull ? lists : onDisk(disk.afterCrash(random))
          expect(await after.state()).toBe('ready')
          await after.apply('shard', changes.slice(Math.max(0, acknowledged - size)))
          expect(await entriesOf(after)).toEqual(await entriesOf(truth))
          await after.validate('42')
          await after.close()
        },
      ),
      { numRuns: 150 },
    )
  })
})

test('a look-up tells of what lists the next entries are, in both directions', async () => {
  const entry = fc.record({ cell: fc.constantFrom('en#5', 'en#1', 'de#5', 'fr#2'), place })
  const asked = fc.record({
    cells: fc.subarray(['en#5', 'en#1', 'de#5', 'fr#2'], { minLength: 1 }),
    ascending: fc.boolean(),
    offset: fc.nat({ max: 8 }),
    near: fc.integer({ min: 1, max: 9 }),
    bounded: fc.option(fc.record({ lower: place, upper: place }), { nil: undefined }),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(entry, { maxLength: 20 }), asked, async (entries, { cells, bounded, ...question }) => {
      const lists = onDisk(new MemoryDisk())
      const truth = memoryLists()
      // An entry is in one list.
      const distinct = [...new Map(entries.map((each) => [JSON.stringify(each.place), each])).values()]
      const steps = distinct.map((each): ListStep => ({ op: 'add', group: '42', ...each }))
      for (const each of [lists, truth]) {
        await each.create()
        await each.apply('shard', [{ sequenceNumber: '100', steps }])
      }
      const includes = (cell: string): boolean => cells.some((each) => each === cell)
      const whole = { ...ALL, ...bounded, ...question, includes }
      const expected = await truth.select(whole)
      const { place, near = [] } = await lists.select(whole)
      expect([place, near]).toEqual([expected.place, expected.near])
      await lists.close()
    }),
    { numRuns: 400 },
  )
})

test('of very many lists, and of entries far apart, a look-up tells nothing, or less', async () => {
  const lists = onDisk(new MemoryDisk())
  await lists.create()
  const step = (i: number, cell: string): ListStep => ({
    op: 'add',
    group: '42',
    cell,
    place: { score: i, member: `c${i}` },
  })
  const rare = Array.from({ length: 1_200 }, (_, i) => step(i, i % 300 === 0 ? 'rare' : 'usual'))
  await lists.apply('shard', [{ sequenceNumber: '100', steps: rare }])
  const question = { ...ALL, includes: (cell: string) => cell === 'rare', near: 4 }
  const { near = [] } = await lists.select(question)
  expect([near.length, near.at(-1)]).toEqual([301, 'rare'])
  const many = Array.from({ length: 200 }, (_, i) => step(2_000 + i, `list ${i}`))
  await lists.apply('shard', [{ sequenceNumber: '101', steps: many }])
  expect((await lists.select(question)).near).toBe(undefined)
  await lists.close()
})
