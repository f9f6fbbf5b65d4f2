import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { comment, comments } from '../../test/comments-fixture.ts'
import { type MemoryTable, type MemoryTableOptions, memoryTable } from '../../test/memory-table.ts'
import { indexes } from '../layouts/indexes/indexes.ts'
import { createEntryCodec, entryBytes } from '../model/entry.ts'
import { type Bound, comparePositions, compareToBound, positionOf } from '../model/position.ts'
import { parseQuery, type Selection } from '../model/query.ts'
import { type EntrySize, exactSize } from '../planner/entry-size.ts'
import type { SourceNode } from '../planner/plan.ts'
import { SourceReader } from './source-reader.ts'

const layout = indexes().of(comments)
const codec = createEntryCodec(comments)
const [english] = layout
  .accessPaths(parseQuery(comments, { scope: '42', where: { language: 'en' } }), () => undefined, 32)
  .paths.filter(({ index }) => index === 'byLanguage')
  .flatMap(({ lists }) => lists)

interface Setting extends MemoryTable {
  readonly reader: SourceReader
}

/** English comments numbered from the oldest, each with so many bytes of text and rated 4 where its number is even, else 5. */
function setting(
  bytes: readonly number[],
  { residual = {}, size = exactSize(100), lower, minutes, hasSlack, ...options }: Options = {},
): Setting {
  const items = bytes.map((length, i) =>
    comment({
      id: String(i),
      createdAt: timeOf(minutes?.[i] ?? i),
      rating: i % 2 === 0 ? 4 : 5,
      text: 'x'.repeat(length),
    }),
  )
  const memory = memoryTable(
    layout,
    items.flatMap((item) => layout.entriesOf({ ...item }, codec.toEntry({ ...item }))),
    options,
  )
  const list = english ?? expect.fail('no list')
  const source: SourceNode = { kind: 'source', list, fetch: 1, share: 1, count: undefined, size, rcu: 0.5 }
  const range = { lower, upper: undefined }
  const reader = new SourceReader({ ...memory, codec, source, residual, range, hasSlack, ascending: true })
  return { ...memory, reader }
}

interface Options extends MemoryTableOptions {
  readonly residual?: Selection
  readonly size?: EntrySize
  readonly lower?: Bound
  /** When each was made; a minute apart when not given. */
  readonly minutes?: readonly number[]
  readonly hasSlack?: boolean
}

const timeOf = (number: number): string => new Date(Date.UTC(2024, 0, 1) + number * 60_000).toISOString()
const ids = ({ reader }: Setting): unknown[] => reader.waiting.map(({ entry }) => entry.id?.S)
const fetch = ({ reader }: Setting, limit: number): Promise<void> => reader.fetch(limit, undefined)

describe('a reader', () => {
  test('gives each item once, in order, however it is read', () => {
    const steps = fc.array(fc.tuple(fc.integer({ min: 1, max: 4 }), fc.nat(4)), { maxLength: 8 })
    return fc.assert(
      fc.asyncProperty(steps, async (drawn) => {
        const given: unknown[] = []
        const table = setting(new Array(9).fill(10))
        const { reader } = table
        for (const [limit, taken] of [...drawn, [9, 0] as const]) {
          await fetch(table, limit)
          expect(reader.buffered).toBe(reader.waiting.length)
          for (let i = 0; i < taken && reader.head !== undefined; i++) {
            given.push(reader.head.entry.id?.S)
            reader.take()
          }
          expect(reader.buffered).toBe(reader.waiting.length)
        }
        expect([...given, ...ids(table)]).toEqual(['0', '1', '2', '3', '4', '5', '6', '7', '8'])
        expect(reader.actual).toMatchObject({ itemsRead: 9, itemsReturned: given.length })
      }),
    )
  })

  test('blocks until its next item is known, or that there is none', async () => {
    const table = setting([10, 10])
    const { reader } = table
    expect([reader.blocking, reader.exhausted, reader.frontier]).toEqual([true, false, undefined])
    await fetch(table, 2)
    expect([reader.blocking, reader.exhausted]).toEqual([false, false])
    reader.take()
    reader.drop()
    expect([reader.blocking, reader.head]).toEqual([true, undefined])
    expect(reader.actual.itemsReturned).toBe(1)
    await fetch(table, 1)
    expect([reader.blocking, reader.exhausted, reader.actual.requests]).toEqual([false, true, 2])
  })

  test('is at its end when DynamoDB says so, though it gave as many as were asked for', async () => {
    const table = setting([10, 10], { tellsEnds: true })
    await fetch(table, 2)
    expect(table.reader).toMatchObject({ exhausted: true, buffered: 2, actual: { requests: 1 } })
  })

  test('knows as far as was evaluated, also where the filter let nothing through', async () => {
    const table = setting([10, 10, 10], { residual: { rating: [5] } })
    await fetch(table, 1)
    expect(ids(table)).toEqual([])
    expect(table.reader.frontier).toEqual(positionOf(comments, { id: '0', createdAt: timeOf(0) }))
    await fetch(table, 10)
    expect(ids(table)).toEqual(['1'])
    expect(table.reader).toMatchObject({ exhausted: true, actual: { itemsRead: 3 }, passed: { entries: 1 } })
  })

  test('asks nothing where nothing can be left', async () => {
    const beyond: Bound = { order: '', id: undefined, side: 'before' }
    const table = setting([10], { lower: { order: timeOf(9), id: undefined, side: 'before' } })
    await fetch(table, 5)
    expect(table.reader.exhausted).toBe(true)
    const none = new SourceReader({
      ...table,
      codec,
      source: table.reader.source,
      residual: {},
      range: { lower: undefined, upper: beyond },
      ascending: true,
    })
    await none.fetch(5, undefined)
    expect(none).toMatchObject({ exhausted: true, actual: { requests: 0 } })
  })

  test.each([
    ['only a further read finds the end', false],
    ['the last read tells the end', true],
  ])('reads on with the second of two conditions within the limit, where %s', async (_, tellsEnds) => {
    const splitAt: Bound = { order: timeOf(3), id: undefined, side: 'before' }
    for (const [limit, requests, found, exhausted] of [
      [2, 1, 2, false],
      [3, 1, 3, false],
      [4, 2, 4, false],
      [6, 2, 6, tellsEnds],
      [7, 2, 6, true],
    ] as const) {
      const table = setting(new Array(6).fill(10), { splitAt, tellsEnds })
      await fetch(table, limit)
      expect(table.reader).toMatchObject({ buffered: found, exhausted, actual: { requests, itemsRead: found } })
      await fetch(table, 20)
      expect(ids(table)).toEqual(['0', '1', '2', '3', '4', '5'])
      expect(table.reader.exhausted).toBe(true)
    }
  })
})

describe('from a bound at an item, in lists that take two conditions for it', () => {
  const bytes = [10, 10, 10, 10, 10, 10]
  const at = (number: number, minute: number): Bound => ({ order: timeOf(minute), id: String(number), side: 'after' })

  test('one read does: what shares the time of the item is read and dropped', async () => {
    const table = setting(bytes, { tiesApart: true, lower: at(2, 2) })
    await fetch(table, 2)
    expect([ids(table), table.reader.actual.requests]).toEqual([['3', '4', '5'], 1])
    expect(table.reader.actual).toMatchObject({ itemsRead: 4, passed: 3 })
  })

  test.each([
    ['a read that is just what the page takes has room for it, in another block and for all of that', false, 1000, 12],
    ['one with slack does with an item less than begin another block', true, 1000, 8],
    ['one with slack has room for it where the block has', true, 900, 9],
    ['one with slack has room for it where an entry is a block or more', true, 4096, 9],
  ])('%s', async (_, hasSlack, mean, itemsRead) => {
    // Two blocks of 4096 bytes hold eight entries of 1000, and nine of 900.
    const table = setting(new Array(30).fill(10), { size: exactSize(mean), tiesApart: true, lower: at(2, 2), hasSlack })
    await fetch(table, 8)
    expect(table.reader.actual).toMatchObject({ itemsRead, requests: 1 })
  })

  test('where more share its time than a read gives, the two conditions are asked, from then on', async () => {
    // 30 comments of one minute, 3 of later ones.
    const minutes = [...new Array<number>(30).fill(0), 1, 2, 3]
    const table = setting(new Array(33).fill(10), { minutes, tiesApart: true, lower: at(28, 0) })
    await fetch(table, 2)
    expect(ids(table)).toEqual(['29', '3'])
    expect(table.reader.actual.requests).toBe(2)
    await fetch(table, 3)
    expect(ids(table)).toEqual(['29', '3', '4', '5', '6'])
  })

  test('however it is read, each item comes once and in order', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(3), { minLength: 1, maxLength: 25 }),
        fc.nat(24),
        fc.integer({ min: 1, max: 4 }),
        async (drawn, number, limit) => {
          const minutes = drawn.toSorted((a, b) => a - b)
          const from = at(number, minutes[number] ?? 4)
          const table = setting(new Array(minutes.length).fill(300), { minutes, tiesApart: true, lower: from })
          while (!table.reader.exhausted) await fetch(table, limit)
          const expected = minutes
            .map((minute, i) => ({ order: timeOf(minute), id: String(i) }))
            .filter((position) => compareToBound(position, from) > 0)
            .sort(comparePositions)
          expect(ids(table)).toEqual(expected.map(({ id }) => id))
        },
      ),
    ))
})

test('an answer without items, counts and capacity is one of nothing', async () => {
  const {
    table,
    reader: { source },
    lists,
  } = setting([])
  const silent = { ...table, send: (async () => ({})) as never }
  const range = { lower: undefined, upper: undefined }
  const reader = new SourceReader({ table: silent, lists, codec, source, residual: {}, range, ascending: true })
  await reader.fetch(3, undefined)
  expect(reader).toMatchObject({ exhausted: true, frontier: undefined, buffered: 0 })
  expect(reader.actual).toEqual({
    rcu: 0,
    requests: 1,
    itemsRead: 0,
    itemsReturned: 0,
    bytes: 0,
    passed: 0,
    withheld: 0,
  })
})

test('counts the bytes of what was let through, and their squares', () => {
  const texts = fc.array(fc.nat(6_000), { minLength: 1, maxLength: 12 })
  return fc.assert(
    fc.asyncProperty(texts, fc.boolean(), async (lengths, filtered) => {
      const table = setting(lengths, filtered ? { residual: { rating: [4] } } : {})
      await fetch(table, 5)
      await fetch(table, 20)
      const sizes = table.reader.waiting.map(({ entry }) => entryBytes(entry))
      const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
      expect(table.reader.actual.bytes).toBe(sum(sizes))
      expect(table.reader.passed).toEqual({ entries: sizes.length, squares: sum(sizes.map((size) => size ** 2)) })
    }),
  )
})

describe('entries weigh', () => {
  test('as planned, until more was charged than that', async () => {
    const planned = { mean: 2_000, spread: 30, doubt: 7 }
    const light = setting([400, 400, 400], { size: planned })
    expect(light.reader.weight).toBe(planned)
    await fetch(light, 3)
    expect(light.reader.weight).toBe(planned)
  })

  test('as planned, where just that was charged', async () => {
    const bytes = [9_000, 9_000, 9_000]
    const probe = setting(bytes)
    await fetch(probe, 3)
    const planned = { mean: probe.reader.weight.mean, spread: 30, doubt: 7 }
    const table = setting(bytes, { size: planned })
    await fetch(table, 3)
    expect(table.reader.weight).toBe(planned)
  })

  test('what is certain of what was charged: near what they do, and no more', () =>
    fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 2_000, max: 60_000 }),
        fc.integer({ min: 1, max: 4 }),
        async (length, reads) => {
          const table = setting(new Array(12).fill(length))
          for (let read = 0; read < reads; read++) await fetch(table, 3)
          const { mean, spread, doubt } = table.reader.weight
          const bytes = entryBytes(table.reader.head?.entry ?? {})
          // A Query may begin a block of which nearly nothing is filled.
          expect(mean).toBeLessThanOrEqual(bytes)
          expect(mean).toBeGreaterThan(bytes - 4096 / 3 - 1)
          expect([spread, doubt]).toEqual([0, 0])
        },
      ),
    ))
})

test('an abort reaches the table', async () => {
  const seen: (AbortSignal | undefined)[] = []
  const table = setting([10], { before: (_, signal) => void seen.push(signal) })
  const { signal } = new AbortController()
  await table.reader.fetch(1, signal)
  await table.reader.fetch(1, undefined)
  expect(seen).toEqual([signal, undefined])
})
