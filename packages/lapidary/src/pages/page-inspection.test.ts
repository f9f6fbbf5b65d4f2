import { ScanCommand } from '@aws-sdk/client-dynamodb'
import { GetRecordsCommand } from '@aws-sdk/client-dynamodb-streams'
import { createLapidary, type Lapidary, type PageStore } from 'lapidary'
import { memoryLists } from 'lapidary-testing'
import { expect, test, vi } from 'vitest'
import { PATIENCE } from '../../../../test/engines/patience.ts'
import { type Comment, comment, comments } from '../../test/comments-fixture.ts'
import { memoryDatabase } from '../../test/memory-items/memory-database.ts'
import { LapidaryError } from '../model/errors.ts'
import type { ListsInspection, SortedLists } from './sorted-lists.ts'

const PACE = { idleMs: 5, gatherMs: 5, discoverMs: 20 } as const
const FAST = { idleMs: 5, segments: 1, poll: false } as const
/** A position of the page index does not hold it whole. */
const LONG = 'long-'.repeat(30)
const IDS = ['c0', LONG, 'c2', 'c3', 'c4', 'c5', 'c6', 'c7']

interface Setting {
  readonly lapidary: Lapidary<{ readonly comments: typeof comments }>
  readonly lists: SortedLists
  /** How often a page of the whole table was read. */
  readonly scans: () => number
  /** Has reads of the stream give nothing again, where they are to. */
  forgetReads(): void
  /** Counts, and takes into the lists, all that is written by now. */
  settle(): Promise<void>
  /** Where an item is in the lists. */
  placed(id: string): { readonly group: string; readonly cell: string; readonly place: SpoilPlace }
  placedAs(item: Comment): ReturnType<Setting['placed']>
  put(op: 'add' | 'remove', entry: ReturnType<Setting['placed']>): Promise<void>
}
type SpoilPlace = { readonly score: number; readonly member: string }

/** Eight comments with a page index in memory, of which a test may replace some functions. */
async function setting(
  replaced: (lists: SortedLists) => Partial<SortedLists> = () => ({}),
  { apart = false, emptyReads = false } = {},
): Promise<Setting> {
  const { client, streams } = memoryDatabase('comments')
  const lists = memoryLists()
  const given = { ...lists, ...replaced(lists) }
  const pages: PageStore = { name: 'memory', apart, open: () => given }
  const reads = new Map<string | undefined, number>()
  const send = async (command: object) => {
    if (!emptyReads || !(command instanceof GetRecordsCommand)) return streams.send(command as never)
    const { ShardIterator } = command.input
    const before = reads.get(ShardIterator) ?? 0
    reads.set(ShardIterator, before + 1)
    // Nothing twice, wherever it is read on from.
    return before < 2 ? { NextShardIterator: ShardIterator } : streams.send(command)
  }
  let scans = 0
  const counted = async (command: object) => {
    if (command instanceof ScanCommand) scans += 1
    return client.send(command as never)
  }
  const lapidary = createLapidary({
    ...{
      client: { ...client, send: counted } as typeof client,
      tableName: 'comments',
      collections: { comments },
      cursorSecret: 'a secret of the tests',
    },
    ...{
      derived: { counts: true, pages },
      stream: { immediate: true, client: { ...streams, send } as typeof streams },
    },
  })
  await lapidary.table.create()
  for (const [i, id] of IDS.entries()) {
    await lapidary.comments.create(comment({ id, rating: ((i % 5) + 1) as Comment['rating'], createdAt: timeOf(i) }))
  }
  let spoils = 0
  const placedAs = (item: Comment) => {
    const { pages, codec, collection } = lapidary.comments.context
    const keys = { PK: { S: `${collection.name}#${item.id}` }, SK: { S: '~' } }
    return pages[0]?.entriesOf({ ...codec.toEntry(item), ...keys })[0] ?? expect.fail('no entry')
  }
  return {
    lapidary,
    lists,
    scans: () => scans,
    forgetReads: () => reads.clear(),
    async settle() {
      await using poller = await lapidary.stream.start(PACE)
      const written = Date.now()
      await vi.waitFor(() => {
        const { caughtUpAt = 0, apart } = poller.status()
        expect(caughtUpAt).toBeGreaterThan(written)
        if (apart !== undefined) expect(apart.caughtUpAt ?? 0).toBeGreaterThan(written)
      }, PATIENCE)
    },
    placed(id) {
      const i = IDS.indexOf(id)
      return placedAs(comment({ id, rating: ((i % 5) + 1) as Comment['rating'], createdAt: timeOf(i) }))
    },
    placedAs,
    put: (op, entry) => lists.apply('spoiler', [{ sequenceNumber: String(++spoils), steps: [{ op, ...entry }] }]),
  }
}

function timeOf(i: number): string {
  return new Date(Date.UTC(2026, 0, 1, 0, i)).toISOString()
}

async function spoilt(from: Setting): Promise<void> {
  await from.settle()
  await from.put('remove', from.placed('c3'))
  await from.put('remove', from.placed(LONG))
  await from.put('add', { ...from.placed(LONG), cell: 'xx#1' })
  await from.put('add', { ...from.placed('c4'), group: 'gone' })
}

const found = [
  { kind: 'dangling', expected: null, actual: 'en#5', target: 'COMMENT#c4', name: 'list' },
  { kind: 'missing', expected: 'en#4', actual: null, target: 'COMMENT#c3', name: 'list' },
  { kind: 'wrong', expected: 'en#2', actual: 'xx#1', target: `COMMENT#${LONG}`, name: 'list' },
]

test.each([false, true])('tells each entry that is wrong, and mends those alone (a store apart: %s)', async (apart) => {
  const from = await setting(undefined, { apart })
  const { derived } = from.lapidary
  await from.settle()
  expect(await derived.verify(FAST)).toMatchObject({ differences: [], notVerified: [] })
  await spoilt(from)
  const told = (differences: Awaited<ReturnType<typeof derived.verify>>['differences']) =>
    differences
      .map(({ kind, expected, actual, target, name }) => ({ kind, expected, actual, target: target.PK, name }))
      .sort((a, b) => a.kind.localeCompare(b.kind))
  const verified = await derived.verify(FAST)
  expect(told(verified.differences)).toEqual(found)
  expect(verified.differences[0]).toMatchObject({ projection: 'pages', collection: 'COMMENT' })
  const repaired = await derived.repair(FAST)
  expect([told(repaired.differences), repaired.mended]).toEqual([found, 3])
  expect(await derived.verify(FAST)).toMatchObject({ differences: [] })
  for (const id of [LONG, 'c3', 'c4']) {
    const { group, place, cell } = from.placed(id)
    expect(await (await from.lists.inspect?.())?.cellAt(group, place)).toBe(cell)
  }
})

test('knows what a store apart has not taken in yet, however many reads give nothing before it', async () => {
  let isAway = true
  const from = await setting(
    (lists) => ({
      apply: async (shardId, changes) => {
        if (isAway) throw new LapidaryError('unavailable', 'away')
        await lists.apply(shardId, changes)
      },
    }),
    { apart: true, emptyReads: true },
  )
  {
    await using poller = await from.lapidary.stream.start(PACE)
    await vi.waitFor(async () => expect((await from.lapidary.comments.count({ scope: '42' })).total).toBe(8), PATIENCE)
    await vi.waitFor(() => expect(poller.status().lagMs).toBe(0), PATIENCE)
  }
  from.forgetReads()
  expect(await from.lapidary.derived.verify(FAST)).toMatchObject({ differences: [], notVerified: [] })
  isAway = false
  await using _poller = await from.lapidary.stream.start(PACE)
  const inspection = (await from.lists.inspect?.()) ?? expect.fail('no inspection')
  const isFilled = async (): Promise<void> => {
    const entries: unknown[] = []
    for await (const some of inspection.entries('42')) entries.push(...some)
    expect(entries).toHaveLength(IDS.length)
  }
  await vi.waitFor(isFilled, PATIENCE)
  expect(await from.lapidary.derived.verify(FAST)).toMatchObject({ differences: [] })
})

test('takes no item for wrong that changes between two looks, and tells of one that stays as it is', async () => {
  let look = async (): Promise<void> => {}
  const from = await setting((lists) => ({
    async inspect() {
      const inspection = (await lists.inspect?.()) ?? expect.fail('no inspection')
      return {
        ...inspection,
        async cellAt(group, place, first) {
          await look()
          return inspection.cellAt(group, place, first)
        },
      }
    },
  }))
  await spoilt(from)
  let looks = 0
  look = async () => {
    looks += 1
    if (looks > 1) return
    // It is right by the time of the second look.
    await from.put('add', from.placed('c3'))
    await from.lapidary.comments.create(comment({ id: 'short-lived' }))
    await from.lapidary.comments.delete('short-lived')
  }
  const { differences } = await from.lapidary.derived.verify(FAST)
  expect(differences.map(({ target }) => target.PK).sort()).toEqual([`COMMENT#${LONG}`, 'COMMENT#c4'].sort())
})

test('takes no entry for dangling whose item came after the scan, and whose id no position holds', async () => {
  let between = async (): Promise<void> => {}
  const from = await setting(
    inspecting((own) => ({
      async *groups() {
        await between()
        yield* own.groups()
      },
    })),
  )
  await from.settle()
  for (const isDeleted of [false, true]) {
    const id = `${LONG}-${isDeleted}`
    between = async () => {
      const item = await from.lapidary.comments.create(comment({ id }))
      // The runner is before the log of the inspection.
      await from.put('add', from.placedAs(item))
      if (isDeleted) await from.lapidary.comments.delete(id)
    }
    expect((await from.lapidary.derived.verify(FAST)).differences).toEqual([])
    between = async () => {}
    await from.settle()
  }
  // One that never had an item is told of all the same.
  await from.put('add', { ...from.placed(LONG), place: { score: 1, member: `${'x'.repeat(40)}~${'y'.repeat(22)}` } })
  expect(await from.lapidary.derived.verify(FAST)).toMatchObject({
    differenceCount: 1,
    differences: [{ kind: 'dangling' }],
  })
})

test('says of a group that has too many lists what to do, and compares the others', async () => {
  const from = await setting(
    inspecting((own) => ({
      async *entries(group) {
        if (group === '42') throw new LapidaryError('unprocessable', 'the group 42 has too many lists')
        yield* own.entries(group)
      },
    })),
  )
  await from.settle()
  await from.put('add', { ...from.placed('c4'), group: 'gone' })
  const { differences, notVerified } = await from.lapidary.derived.verify(FAST)
  expect(differences).toMatchObject([{ kind: 'dangling', target: { PK: 'COMMENT#c4' } }])
  expect(notVerified).toEqual([
    {
      projection: 'pages',
      collection: 'COMMENT',
      store: 'memory',
      reason: 'full',
      message: 'the group 42 has too many lists',
    },
  ])
})

test.each([
  ['unavailable', new LapidaryError('unavailable', 'the store is gone')],
  ['an error of another kind', new TypeError('the store is gone')],
])('passes on what goes wrong with a store: %s', async (_, error) => {
  const from = await setting((lists) => ({
    inspect: async () => ({
      ...((await lists.inspect?.()) ?? expect.fail('no inspection')),
      async *entries() {
        yield []
        throw error
      },
    }),
  }))
  await from.settle()
  await expect(from.lapidary.derived.verify(FAST)).rejects.toThrow('the store is gone')
})

test.each([
  [2, 'is mended where it is sound after a while'],
  [99, 'is damaged where it stays unsound'],
])('a group that is unsound %i times %s', async (times) => {
  let unsound = 0
  const from = await setting(() => ({
    async validate(group) {
      if (group === '42' && unsound++ < times) throw new Error('a count is off')
    },
  }))
  await spoilt(from)
  const repaired = from.lapidary.derived.repair(FAST)
  if (times < 5) expect(await repaired).toMatchObject({ mended: 3 })
  else {
    await expect(repaired).rejects.toMatchObject({
      code: 'page_index_damaged',
      message: 'the page index of COMMENT is damaged at 42: Error: a count is off; run lapidary rebuild page-index',
    })
  }
  expect(unsound).toBe(times < 5 ? times + 1 : 5)
})

test.each([
  [
    new LapidaryError('unprocessable', 'no disorder'),
    /^the page index of COMMENT can't be mended entry by entry, so run .* rebuild page-index: no disorder$/,
  ],
  [new LapidaryError('unavailable', 'the store is gone'), /^the store is gone$/],
])('a store that will not be mended says why: %s', async (error, message) => {
  const from = await setting((lists) => ({
    apply: async (shardId, changes) => {
      if (shardId.startsWith('repair-')) throw error
      await lists.apply(shardId, changes)
    },
  }))
  await spoilt(from)
  await expect(from.lapidary.derived.repair(FAST)).rejects.toMatchObject({
    code: error.code,
    message: expect.stringMatching(message),
  })
})

/** The inspection of the lists, of which a test may replace some functions. */
function inspecting(
  replaced: (own: ListsInspection) => Partial<ListsInspection>,
): (lists: SortedLists) => Partial<SortedLists> {
  return (lists) => ({
    async inspect() {
      const own = (await lists.inspect?.()) ?? expect.fail('no inspection')
      return { ...own, ...replaced(own) }
    },
  })
}

test('looks at no entry again, and reads the table once, where all is right', async () => {
  let looks = 0
  const from = await setting(
    inspecting((own) => ({
      cellAt(...place) {
        looks += 1
        return own.cellAt(...place)
      },
    })),
  )
  await from.settle()
  const before = from.scans()
  expect(await from.lapidary.derived.verify(FAST)).toMatchObject({ differences: [] })
  expect([looks, from.scans() - before]).toEqual([0, 1])
})

test('takes an entry that a store shows twice for one, and misses the other', async () => {
  const from = await setting(
    inspecting((own) => ({
      async *entries(group) {
        for await (const entries of own.entries(group)) yield [...entries, ...entries.slice(0, 1)]
      },
    })),
  )
  await from.settle()
  await from.put('remove', from.placed('c3'))
  const { differences } = await from.lapidary.derived.verify(FAST)
  expect(differences).toMatchObject([{ kind: 'missing', target: { PK: 'COMMENT#c3' } }])
})

test('looks into groups that only keys of the table name', async () => {
  const from = await setting(
    inspecting(() => ({
      groupOf: ({ PK }) => (PK === 'COMMENT#c0' ? 'gone' : PK.startsWith('COMMENT#') ? '42' : undefined),
      async *groups() {},
    })),
  )
  await spoilt(from)
  const { differences } = await from.lapidary.derived.verify(FAST)
  expect(differences.map(({ kind }) => kind).sort()).toEqual(['dangling', 'missing', 'wrong'])
})

test.each([
  ['filling', 'filling', undefined],
  ['absent', 'absent', undefined],
  ['no_inspect', 'ready', null],
] as const)('compares none that is not there or can not be looked into: %s', async (reason, state, inspect) => {
  const from = await setting(() => ({
    state: async () => state,
    ...(inspect === null ? { inspect: undefined as never } : {}),
  }))
  await from.settle()
  for (const found of [await from.lapidary.derived.verify(FAST), await from.lapidary.derived.repair(FAST)]) {
    expect(found).toMatchObject({
      differences: [],
      notVerified: [{ collection: 'COMMENT', store: 'memory', reason }],
    })
  }
})

test('counts an entry that has to be mended twice once', async () => {
  let refused = 0
  const from = await setting((lists) => ({
    apply: async (shardId, changes) => {
      // What it took in first is lost.
      if (!shardId.startsWith('repair-') || refused++ > 0) await lists.apply(shardId, changes)
    },
  }))
  await spoilt(from)
  expect(await from.lapidary.derived.repair(FAST)).toMatchObject({ mended: 3, differenceCount: 3 })
  expect(await from.lapidary.derived.verify(FAST)).toMatchObject({ differences: [] })
})
