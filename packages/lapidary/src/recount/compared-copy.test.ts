import { expect, test } from 'vitest'
import { countedTable, itemKey } from '../../test/memory-items/counted-table.ts'
import type { CopyFinding, CopyInspection, CopySuspect } from '../derived/copy-inspection.ts'
import type { CopyProjection } from '../derived/copy-projection.ts'
import { compareCopies, seeing } from './compared-copy.ts'
import type { Mending } from './maintenance-options.ts'
import { repair } from './mend.ts'
import { verify } from './verify.ts'

const QUICK = { idleMs: 1, poll: false } as const
const suspect: CopySuspect = { id: 'piece', item: itemKey('1') }
const difference = (name: string) =>
  ({
    kind: 'wrong',
    projection: name,
    collection: 'X',
    target: itemKey('1'),
    name,
    expected: '1',
    actual: '2',
  }) as const
const copy = (
  name: string,
  inspection?: Partial<CopyInspection>,
  more: Partial<CopyProjection> = {},
): CopyProjection => ({
  ...{ name, collection: 'X', isItem: ({ PK }) => PK.startsWith('X#'), apply: async () => {} },
  ...(inspection === undefined ? {} : { inspect: async () => ({ ...NOTHING, ...inspection }) }),
  ...more,
})
const NOTHING: CopyInspection = { see() {}, suspects: async () => [], look: async () => [], settle: async () => 0 }

/** A table of one item that is counted, with copies. */
async function mending(copies: readonly CopyProjection[], by: typeof repair | typeof verify = repair) {
  const { derived, items, write, count } = countedTable()
  await write('1', 'q')
  await count()
  const compared = await compareCopies(copies, derived)
  return { items, found: (await by({ ...derived, compared, projections: [] }, QUICK)) as Mending }
}

test('each copy is told of everything, and what they mended is added up', async () => {
  const told: unknown[][] = []
  const one = (name: string, pieces: number): CopyProjection => {
    let isWrong = true
    return copy(name, {
      begin: async () => void told.push([name, 'begin']),
      see: (entry) => void (entry.PK?.S === 'X#1' && told.push([name, 'see'])),
      suspects: async () => [suspect],
      look: async () => (isWrong ? [{ suspect, differences: [difference(name)] }] : []),
      async settle() {
        isWrong = false
        return pieces
      },
      settled: async () => void told.push([name, 'settled']),
    })
  }
  const { found } = await mending([one('a', 2), copy('b', {}), one('c', 3)])
  expect([found.mended, found.differences.map(({ projection }) => projection)]).toEqual([5, ['a', 'c']])
  for (const name of ['a', 'c']) {
    expect(told.filter(([of]) => of === name).map(([, what]) => what)).toEqual(['begin', 'see', 'settled'])
  }
})

test('what is not compared is told by its projection, store and reason, and nothing of it is looked at', async () => {
  const looked: string[] = []
  const look = async () => looked.push('look') as never
  const named = { store: 'redis', label: 'by amount' }
  const { found } = await mending([
    copy('cache'),
    copy('none', undefined, { inspect: async () => undefined }),
    copy('pages', { begin: async () => ({ reason: 'absent' }), suspects: look, look, named }),
    copy('full', { notVerified: { reason: 'full', message: 'too many lists' } }),
  ])
  expect(found.notVerified).toEqual([
    { projection: 'cache', collection: 'X', reason: 'no_inspect' },
    { projection: 'pages', collection: 'X', ...named, reason: 'absent' },
    { projection: 'full', collection: 'X', reason: 'full', message: 'too many lists' },
  ])
  expect(looked).toEqual([])
})

test('a copy that has not taken in the last change of an item is not said to differ, one that the writes keep is', async () => {
  const always: Partial<CopyInspection> = {
    suspects: async () => [suspect],
    look: async () => [{ suspect, differences: [difference('behind')] }],
  }
  const { derived, write } = countedTable()
  await write('1', 'q')
  const told = async (projection: CopyProjection): Promise<number> => {
    const compared = await compareCopies([projection], derived)
    return (await verify({ ...derived, compared }, QUICK)).differenceCount
  }
  expect(await told(copy('behind', always))).toBe(0)
  const { apply: _, ...written } = copy('behind', always)
  expect(await told(written)).toBe(1)
})

test('what changes while it is looked at is looked at again, and is told once however often it is mended', async () => {
  let looks = 0
  const finding = (): CopyFinding => ({ suspect, differences: [difference('a')], isUnsure: looks === 1 })
  const { found } = await mending([
    copy('a', {
      suspects: async () => [suspect],
      look: async () => (++looks > 3 ? [] : [finding()]),
      settle: async () => 1,
    }),
  ])
  expect([looks, found.mended, found.differenceCount]).toEqual([4, 1, 1])
})

test('a copy that can not be looked into is not made by what an inspection finds', async () => {
  const { derived } = countedTable()
  const [absent] = await compareCopies([copy('absent', { begin: async () => ({ reason: 'absent' }) })], derived)
  await absent?.begin()
  await expect(absent?.mendAll({} as never)).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining("absent of X can't be looked into (absent)"),
  })
})

test('of what the writes keep no change is told to an inspection, and of a copy those of its items alone', async () => {
  const told: string[] = []
  const { derived } = countedTable()
  const inspection = { logged: ({ key }: { readonly key: { readonly PK: string } }) => void told.push(key.PK) }
  const { apply: _, ...written } = copy('written', inspection)
  const change = (PK: string) => ({
    ...{ key: { PK, SK: '~' }, sequenceNumber: '1', at: 1 },
    ...{ before: undefined, after: undefined },
  })
  for (const compared of await compareCopies([copy('kept', inspection), written], derived)) {
    for (const PK of ['X#1', 'Y#1']) compared.logged(change(PK), 's')
  }
  expect(told).toEqual(['X#1'])
})

/** Three counted changes, of which a copy apart has taken in none, and how a stream that gives empty reads first tells of them. */
async function apart(emptyReads: number) {
  const { derived, items, write, count } = countedTable()
  for (const v of ['q', 'r', 's']) await write('1', v)
  await count()
  // Not counted, so nothing that a copy apart is behind by.
  await write('1', 't')
  let empty = emptyReads
  const sent: string[] = []
  const streams: typeof derived.streams = Object.assign(Object.create(derived.streams), {
    async send(command: { readonly input: { readonly ShardIterator?: string } }) {
      const iterator = command.input.ShardIterator
      if (iterator === undefined) return derived.streams.send(command as never)
      sent.push(iterator)
      if (empty-- > 0) return { Records: [], NextShardIterator: iterator }
      return derived.streams.send(command as never)
    },
  })
  const slept: number[] = []
  const sleep = async (ms: number): Promise<void> => void slept.push(ms)
  const table: typeof derived.table = { ...items, sleep }
  const logged: string[] = []
  const inspection = {
    logged: ({ after }: { readonly after?: { readonly v?: { readonly S?: string } } | undefined }) =>
      void logged.push(after?.v?.S ?? ''),
  }
  const [compared] = await compareCopies([copy('cache', inspection as Partial<CopyInspection>, { apart: 'cache' })], {
    table,
    streams,
  })
  return { compared, logged, slept, sent }
}

test('a copy apart is told of all that is counted and that it has not taken in, however many reads give nothing before', async () => {
  for (const empty of [0, 1, 600]) {
    const { compared, logged, slept, sent } = await apart(empty)
    await compared?.begin()
    expect([logged.slice(0, 3), slept.length, new Set(slept), sent.length]).toEqual([
      ['q', 'r', 's'],
      empty,
      new Set(empty === 0 ? [] : [50]),
      empty + 1,
    ])
  }
})

test('a stream that goes on giving nothing of what is counted is an error', async () => {
  const { compared } = await apart(601)
  await expect(compared?.begin()).rejects.toMatchObject({
    code: 'unavailable',
    message: 'the change stream tells nothing of s, of which more is counted; run it again',
  })
})

test('an inspection of what one look tells has no suspects, and settles nothing', async () => {
  const inspection = seeing(() => {})
  expect([await inspection.suspects({} as never), await inspection.look([], {} as never)]).toEqual([[], []])
  expect(await inspection.settle({} as never, {} as never)).toBe(0)
})
