import fc from 'fast-check'
import {
  anyOf,
  createLapidary,
  defineCollection,
  eachOf,
  indexes,
  oneOf,
  powerSet,
  type QueryInput,
  segments,
} from 'lapidary'
import { chosenSeed, createOracle } from 'lapidary-testing'
import { describe, expect, test, vi } from 'vitest'
import { testEngines } from '../../../test/engines/index.ts'
import { PATIENCE } from '../../../test/engines/patience.ts'
import { collect } from './collect.ts'
import { schemaOf } from './comments-fixture.ts'
import { openTestTable } from './test-table.ts'

type Ticket = {
  readonly id: string
  readonly project: string
  readonly openedAt: string
  readonly team: string
  readonly status: string
  readonly tags?: readonly string[]
}

const base = {
  name: 'TICKET',
  schema: schemaOf<Ticket>(),
  id: 'id',
  scope: { name: 'PROJECT', attribute: 'project' },
  order: 'openedAt',
} as const

const before = defineCollection({ ...base, facets: { status: anyOf(['A', 'B', 'C']), team: oneOf() } })
const after = defineCollection({ ...base, facets: { status: anyOf(['A', 'B']), team: oneOf() } })
const ALL = ['A', 'B'] as const

const [engine] = testEngines()
if (engine === undefined) throw new Error('no engine')
const seed = chosenSeed(process.env.FC_SEED)
console.log(`FC_SEED=${seed}`)

const ticket = (i: number, status: string): Ticket => ({
  ...{ id: `t${i}`, project: 'p', openedAt: new Date(Date.UTC(2026, 0, 1, 0, i % 40)).toISOString() },
  ...{ team: i % 3 === 0 ? 'x' : 'y', status },
})
const derived = { counts: true, pages: segments() } as const
const cursorSecret = 'a secret of the tests'

describe('all declared values of a facet, where items hold one that was taken out', () => {
  test('are a filter of lists, pages by number, totals and counts', async () => {
    await using table = await openTestTable(engine, { tickets: before }, { derived })
    await using _poller = await table.lapidary.stream.start({ idleMs: 20, gatherMs: 20, discoverMs: 200 })
    const { client, tableName } = table
    const now = createLapidary({ client, tableName, collections: { tickets: after }, cursorSecret, derived })
    const oracle = createOracle(after)
    for (let i = 0; i < 150; i++) {
      const made = ticket(i, ['A', 'C', 'B', 'C', 'A'][i % 5] ?? '')
      await table.lapidary.tickets.create(made)
      oracle.put(made)
    }
    await vi.waitFor(async () => {
      expect((await table.lapidary.tickets.count({ scope: 'p' })).total).toBe(150)
      expect((await table.lapidary.tickets.page(99, { scope: 'p' })).page.total).toBe(150)
    }, PATIENCE)

    await now.derived.fill({ idleMs: 20 })

    await fc.assert(
      fc.asyncProperty(
        fc.record({
          limit: fc.constantFrom(1, 3, 7, 50),
          order: fc.constantFrom('newest', 'oldest'),
          team: fc.constantFrom('x', 'y', undefined),
          number: fc.integer({ min: 1, max: 40 }),
        }),
        async ({ limit, order, team, number }) => {
          const query = { scope: 'p', where: { status: ALL, team }, order, limit } as const
          const expected = oracle.matching(query)
          expect(await collect(now.tickets.iterate(query))).toEqual(expected)
          const page = await now.tickets.page(number, query)
          expect(page.items).toEqual(expected.slice((number - 1) * limit, number * limit))
          expect(page.page).toMatchObject({ total: expected.length, count: Math.ceil(expected.length / limit) })
          const { total, facets } = await now.tickets.count(query)
          expect(total).toBe(expected.length)
          expect(page.facets).toEqual(facets)
          const of = (where: NonNullable<QueryInput['where']>): number => oracle.matching({ ...query, where }).length
          expect(facets).toEqual({
            status: { A: of({ status: 'A', team }), B: of({ status: 'B', team }) },
            team: { x: of({ status: ALL, team: 'x' }), y: of({ status: ALL, team: 'y' }) },
          })
        },
      ),
      { seed, numRuns: 40 },
    )
    // What is not one of the declared values is one of the others, whichever way it is asked.
    for (const where of [
      { NOT: { status: 'A' } },
      { NOT: { status: ALL } },
      { OR: [{ NOT: { status: 'A' } }, { team: 'x', status: ALL }] },
      { NOT: { status: 'A', team: 'x' } },
      { NOT: { NOT: { status: { from: 'A' } } } },
    ] as const satisfies readonly NonNullable<QueryInput['where']>[]) {
      const query = { scope: 'p', where, limit: 7 } as const
      const expected = oracle.matching(query)
      expect(await collect(now.tickets.iterate(query))).toEqual(expected)
      const page = await now.tickets.page(2, query)
      expect(page.items).toEqual(expected.slice(7, 14))
      expect(page.page.total).toBe(expected.length)
      expect((await now.tickets.count(query)).total).toBe(expected.length)
    }
    const chosen = await now.tickets.list({ scope: 'p', where: { status: ALL }, attributes: ['id'], limit: 100 })
    expect(chosen.items).toEqual(oracle.matching({ scope: 'p', where: { status: ALL } }).map(({ id }) => ({ id })))
    // Without a filter everything is there.
    expect((await now.tickets.list({ scope: 'p' })).page.total).toBe(150)
  })

  test('take no more capacity than no filter, and the same plan, where no item holds another', async () => {
    await using table = await openTestTable(engine, { tickets: after })
    for (let i = 0; i < 60; i++) await table.lapidary.tickets.create(ticket(i, ALL[i % 2] ?? ''))
    const { client, tableName } = table
    // Each a process of its own, which has learned nothing yet.
    const [all, named] = await Promise.all(
      [{}, { status: ALL }].map((where) =>
        createLapidary({ client, tableName, collections: { tickets: after }, cursorSecret }).tickets.list({
          scope: 'p',
          limit: 25,
          where,
        }),
      ),
    )
    expect(named?.items).toEqual(all?.items)
    expect(named?.plan.text).toBe(all?.plan.text)
    expect(named?.plan.estimated).toEqual(all?.plan.estimated)
    expect({ ...named?.plan.actual, ms: 0 }).toEqual({ ...all?.plan.actual, ms: 0 })
  })
})

describe.each([
  { name: 'indexes', layout: indexes() },
  { name: 'a power set', layout: powerSet() },
])('a value is taken out of $name', ({ name, layout }) => {
  test('once no item holds it: lists, pages, totals and counts are right', async () => {
    await using table = await openTestTable(engine, { tickets: before }, { derived, layout })
    await using _poller = await table.lapidary.stream.start({ idleMs: 20, gatherMs: 20, discoverMs: 200 })
    const { client, tableName } = table
    const now = createLapidary({ client, tableName, collections: { tickets: after }, cursorSecret, derived, layout })
    const oracle = createOracle(after)
    for (let i = 0; i < 30; i++) {
      const made = ticket(i, ['A', 'C', 'B'][i % 3] ?? '')
      await table.lapidary.tickets.create(made)
      oracle.put(made)
    }

    // Processes that declare the value make the changes, so that derived data follows.
    for await (const { id } of table.lapidary.tickets.iterate({ scope: 'p', where: { status: 'C' } }))
      oracle.put(await table.lapidary.tickets.patch(id, { status: 'B' }))
    await vi.waitFor(async () => {
      const { total, facets } = await table.lapidary.tickets.count({ scope: 'p' })
      expect({ total, ...facets?.status }).toEqual({ total: 30, A: 10, B: 20, C: 0 })
    }, PATIENCE)
    expect((await now.table.backfill()).complete).toBe(true)
    // Counts of another declaration are not known before they are made.
    expect(await now.tickets.count({ scope: 'p' })).toMatchObject({ total: null, unknown: 'absent' })
    await now.derived.fill({ idleMs: 20 })

    const counted = await now.tickets.count({ scope: 'p', where: { status: ALL } })
    expect(counted).toMatchObject({ total: 30, facets: { status: { A: 10, B: 20 } } })
    // A power set has other keys then, which processes of before do not know.
    for (const lapidary of name === 'indexes' ? [now, table.lapidary] : [now]) {
      for (const where of [{}, { status: ALL }, { status: 'B' }, { status: ALL, team: 'x' }] as const) {
        const query = { scope: 'p', where, limit: 4 }
        const expected = oracle.matching(query)
        expect(await collect(lapidary.tickets.iterate(query))).toEqual(expected)
        const page = await lapidary.tickets.page(2, query)
        expect(page.items).toEqual(expected.slice(4, 8))
        expect(page.page.total).toBe(expected.length)
      }
    }
    expect(await now.derived.verify()).toMatchObject({ differenceCount: 0 })
  })

  test('too early: its items are changed by giving them another value, and not otherwise', async () => {
    await using table = await openTestTable(engine, { tickets: before }, { layout })
    const { client, tableName } = table
    const now = createLapidary({ client, tableName, collections: { tickets: after }, cursorSecret, layout })
    await table.lapidary.tickets.create(ticket(1, 'C'))
    await expect(now.tickets.patch('t1', { team: 'z' })).rejects.toMatchObject({ code: 'unprocessable' })
    expect(await now.tickets.patch('t1', { status: 'A' })).toMatchObject({ status: 'A' })
    expect(await collect(table.lapidary.tickets.iterate({ scope: 'p', where: { status: 'A' } }))).toHaveLength(1)
  })
})

test('a change of an item with the value is counted by a process without it: by itself in totals, under no value', async () => {
  await using table = await openTestTable(engine, { tickets: before }, { derived })
  const { client, tableName } = table
  const now = createLapidary({ client, tableName, collections: { tickets: after }, cursorSecret, derived })
  for (let i = 0; i < 6; i++) await table.lapidary.tickets.create(ticket(i, i < 2 ? 'C' : 'A'))
  await using _poller = await now.stream.start({ idleMs: 20, gatherMs: 20, discoverMs: 200, fill: true })
  const query = { scope: 'p', where: { status: ALL } } as const
  const holds = (counted: object, named: number) =>
    vi.waitFor(async () => {
      expect(await now.tickets.count({ scope: 'p' })).toMatchObject(counted)
      expect((await now.tickets.page(9, { scope: 'p' })).page.total).toBe(6)
      expect((await now.tickets.page(9, query)).page.total).toBe(named)
      expect((await now.tickets.count(query)).total).toBe(named)
    }, PATIENCE)
  await holds({ total: 6, facets: { status: { A: 4, B: 0 } } }, 4)
  await now.tickets.patch('t0', { status: 'B' })
  await holds({ total: 6, facets: { status: { A: 4, B: 1 } } }, 5)
  expect(await now.stream.deadLetters.count()).toBe(0)
  expect(await now.derived.verify()).toMatchObject({ differenceCount: 0 })
})

test('of a facet of several values, items are given that have a named one, and their number only where no other is counted', async () => {
  const indexes = { all: {}, byTag: { partition: ['tags'] } } as const
  const old = defineCollection({ ...base, indexes, facets: { tags: eachOf(['A', 'B', 'C']) } })
  const notes = defineCollection({ ...base, indexes, facets: { tags: eachOf(['A', 'B']) } })
  await using table = await openTestTable(engine, { notes: old }, { derived: { counts: true } })
  await using _poller = await table.lapidary.stream.start({ idleMs: 20, gatherMs: 20, discoverMs: 200 })
  const { client, tableName } = table
  const now = createLapidary({ client, tableName, collections: { notes }, cursorSecret, derived: { counts: true } })
  const where = { tags: ['A', 'B', null] } as const
  const write = (project: string, held: readonly (readonly string[])[]) =>
    Promise.all(
      held.map((tags, i) => table.lapidary.notes.create({ ...ticket(i, 'A'), id: `${project}${i}`, project, tags })),
    )
  await write('with', [['A', 'C'], ['C'], [], ['B']])
  await write('without', [['A', 'B'], ['B'], []])
  await now.derived.fill({ idleMs: 20 })
  await vi.waitFor(async () => {
    expect((await now.notes.count({ scope: 'without' })).total).toBe(3)
    expect((await now.notes.count({ scope: 'with' })).total).toBe(4)
  }, PATIENCE)
  const ids = async (scope: string) => (await collect(now.notes.iterate({ scope, where }))).map(({ id }) => id).sort()
  expect(await ids('with')).toEqual(['with0', 'with2', 'with3'])
  expect(await ids('without')).toEqual(['without0', 'without1', 'without2'])
  expect((await now.notes.list({ scope: 'with', where, limit: 1 })).page.total).toBeNull()
  expect((await now.notes.list({ scope: 'without', where, limit: 1 })).page.total).toBe(3)
  expect((await now.notes.count({ scope: 'without', where })).total).toBe(3)
  await expect(now.notes.count({ scope: 'with', where })).rejects.toMatchObject({ code: 'unprocessable' })
})
