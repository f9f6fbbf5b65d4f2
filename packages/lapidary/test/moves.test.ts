import fc from 'fast-check'
import {
  anyOf,
  defineCollection,
  eachOf,
  increment,
  indexes,
  type Lapidary,
  LapidaryError,
  nativeKeys,
  oneOf,
  powerSet,
  segments,
} from 'lapidary'
import { chosenSeed, createOracle } from 'lapidary-testing'
import { describe, expect, test, vi } from 'vitest'
import { testEngines } from '../../../test/engines/index.ts'
import { PATIENCE } from '../../../test/engines/patience.ts'
import { collect } from './collect.ts'
import { schemaOf } from './comments-fixture.ts'
import { openTestTable } from './test-table.ts'

type Task = {
  readonly id: string
  readonly project: string
  readonly at: string
  readonly state: 'OPEN' | 'HELD' | 'DONE'
  readonly owner: string
  readonly points: number
  readonly tags: readonly string[]
  readonly version?: number
}

const base = {
  name: 'TASK',
  schema: schemaOf<Task>(),
  id: 'id',
  scope: { name: 'PROJECT', attribute: 'project' },
  version: 'version',
} as const
const facets = { state: anyOf(['OPEN', 'HELD', 'DONE']), owner: oneOf() }
const leaderboards = { open: { where: { state: ['OPEN'] } } } as const

/** In several orders, with a sparse index, and with entries for each tag. */
const tagged = defineCollection({
  ...base,
  orders: { at: 'at', points: { attribute: 'points', type: 'number' } },
  facets: { ...facets, tags: eachOf() },
  indexes: {
    all: {},
    byState: { partition: ['state'] },
    byOwner: { sort: ['owner'] },
    byTag: { partition: ['tags'] },
    byPoints: { order: 'points' },
    open: { only: { state: ['OPEN'] } },
    everywhere: { across: 2 },
  },
  pages: [{ order: 'points' }, { facet: 'tags' }, { across: true }],
  leaderboards,
})
const plain = defineCollection({ ...base, order: 'at', facets, leaderboards })

const seed = chosenSeed(process.env.FC_SEED)
console.log(`FC_SEED=${seed}`)
const [embedded, local] = testEngines()
if (embedded === undefined || local === undefined) throw new Error('no engine')

const PROJECTS = ['a', 'b', 'c/d'] as const
const derived = { counts: true, pages: segments() } as const

const project = fc.constantFrom(...PROJECTS)
const state = fc.constantFrom('OPEN' as const, 'HELD' as const, 'DONE' as const)
const given = fc.record({
  ...{ project, state },
  owner: fc.constantFrom('x', 'y'),
  at: fc.integer({ min: 0, max: 9 }).map((minute) => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString()),
  points: fc.integer({ min: 0, max: 5 }),
  tags: fc.subarray(['red', 'blue', 'green']),
})
const id = fc.integer({ min: 0, max: 25 }).map((n) => `t${n}`)
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('create' as const), id, item: given }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('move' as const), id, to: project }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('both' as const), id, changes: fc.record({ project, state }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('replace' as const), id, item: given }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), id }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('deleteAll' as const), from: project, state: fc.option(state) }),
  },
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

type Tasks = Lapidary<{ tasks: typeof plain }>['tasks']

/** Another writer may have come first; that is no matter here. */
async function make(tasks: Tasks, made: Step): Promise<void> {
  try {
    if (made.kind === 'create') await tasks.create({ id: made.id, ...made.item })
    else if (made.kind === 'move') await tasks.patch(made.id, { project: made.to })
    else if (made.kind === 'both') await tasks.patch(made.id, made.changes)
    else if (made.kind === 'replace') await tasks.replace({ id: made.id, ...made.item })
    else if (made.kind === 'delete') await tasks.delete(made.id)
    else await tasks.deleteAll({ scope: made.from, ...(made.state === null ? {} : { where: { state: made.state } }) })
  } catch (error) {
    if (error instanceof LapidaryError && ['not_found', 'already_exists'].includes(error.code)) return
    throw error
  }
}

describe.each([
  { name: 'indexes, orders, tags', engine: embedded, collection: tagged as unknown as typeof plain, layout: indexes() },
  { name: 'a power set', engine: embedded, collection: plain, layout: powerSet() },
  { name: 'a power set of the stream', engine: embedded, collection: plain, layout: powerSet({ kept: 'stream' }) },
  { name: 'native keys', engine: local, collection: plain, layout: nativeKeys() },
])('items that move in $name', ({ name, engine, collection, layout }) => {
  const isTagged = name === 'indexes, orders, tags'
  const numbered = name !== 'native keys'

  test('are in the lists, counts, boards and numbered pages of the scope that they are in, and of no other', async () => {
    await using table = await openTestTable(
      engine,
      { tasks: collection },
      {
        layout,
        derived: numbered ? derived : { counts: true },
      },
    )
    const { tasks } = table.lapidary
    await using _poller = await table.lapidary.stream.start({ idleMs: 20, gatherMs: 20, discoverMs: 200 })

    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60, size: 'max' }), async (steps) => {
        // Some at once: moves, deletes and whole scopes that go meet at the same items.
        for (let i = 0; i < steps.length; i += 4)
          await Promise.all(steps.slice(i, i + 4).map((each) => make(tasks, each)))
        const oracle = createOracle(collection)
        const ids = Array.from({ length: 26 }, (_, n) => `t${n}`)
        for (const item of await tasks.getMany(ids)) if (item !== undefined) oracle.put(item)

        for (const scope of PROJECTS) {
          await vi.waitFor(async () => {
            const { total, facets: found } = await tasks.count({ scope })
            expect(total).toBe(oracle.matching({ scope }).length)
            const of = (value: string): number => oracle.matching({ scope, where: { state: value } }).length
            expect(found?.state).toEqual({ OPEN: of('OPEN'), HELD: of('HELD'), DONE: of('DONE') })
            if (numbered) expect((await tasks.page(99, { scope })).page.total).toBe(total)
          }, PATIENCE)
          const queries = [
            { scope },
            { scope, where: { state: 'OPEN' } },
            { scope, where: { state: ['OPEN', 'DONE'], owner: 'x' } },
            ...(isTagged
              ? [
                  { scope, where: { tags: 'red' } },
                  { scope, by: 'points', order: 'oldest' },
                ]
              : []),
          ] as { scope: string }[]
          for (const query of queries) {
            const expected = oracle.matching(query)
            await vi.waitFor(
              async () => expect(await collect(tasks.iterate({ ...query, limit: 7 }))).toEqual(expected),
              PATIENCE,
            )
            if (!numbered) continue
            await vi.waitFor(async () => {
              const page = await tasks.page(2, { ...query, limit: 3 })
              expect(page.items).toEqual(expected.slice(3, 6))
              expect(page.page.total).toBe(expected.length)
            }, PATIENCE)
          }
        }
        await vi.waitFor(async () => {
          const { entries } = await tasks.leaderboard({ name: 'open' })
          const counts = PROJECTS.map((scope) => ({
            scope,
            count: oracle.matching({ scope, where: { state: 'OPEN' } }).length,
          }))
          const expected = counts.filter(({ count }) => count > 0)
          expect(new Set(entries?.map((each) => `${each.scope} ${each.count}`))).toEqual(
            new Set(expected.map((each) => `${each.scope} ${each.count}`)),
          )
        }, PATIENCE)
      }),
      { seed, numRuns: 4, endOnFailure: true },
    )
    expect(await table.lapidary.derived.verify()).toMatchObject({ differenceCount: 0, deadLetters: 0 })
  })
})

const task = (given: Partial<Task> = {}): Task => ({
  ...{ id: 't1', project: 'a', at: '2026-01-01T00:00:00.000Z', state: 'OPEN', owner: 'x', points: 1, tags: ['red'] },
  ...given,
})

describe('a patch of the scope', () => {
  test('moves the item in one write, keeps its id, counts its version, and honours conditions', async () => {
    await using table = await openTestTable(embedded, { tasks: plain })
    const { tasks } = table.lapidary
    await tasks.create(task())
    expect(await tasks.patch('t1', { project: 'b', points: increment(2) }, { ifVersion: 1 })).toEqual(
      task({ project: 'b', points: 3, version: 2 }),
    )
    expect((await tasks.list({ scope: 'a' })).items).toEqual([])
    expect((await tasks.list({ scope: 'b' })).items).toEqual([task({ project: 'b', points: 3, version: 2 })])
    await expect(tasks.patch('t1', { project: 'c' }, { if: { project: 'a' } })).rejects.toMatchObject({
      code: 'condition_failed',
    })
    const { writes } = await tasks.writes.patch('t1', { project: 'c' })
    expect(writes).toHaveLength(1)
  })

  test.each([{ project: undefined }, { project: '' }, { project: 'x'.repeat(2000) }])('refuses %o', async (changes) => {
    await using table = await openTestTable(embedded, { tasks: plain })
    await table.lapidary.tasks.create(task())
    await expect(table.lapidary.tasks.patch('t1', changes as { project: string })).rejects.toMatchObject({
      code: 'unprocessable',
      details: { errors: [{ path: 'project' }] },
    })
  })

  test('tells hooks of both scopes', async () => {
    const seen: unknown[] = []
    const hooks = {
      tasks: {
        beforeWrite: (write: { item: Task | undefined; previous: Task | undefined }) => {
          seen.push([write.previous?.project, write.item?.project])
        },
      },
    }
    await using table = await openTestTable(embedded, { tasks: plain }, { hooks })
    await table.lapidary.tasks.create(task())
    await table.lapidary.tasks.patch('t1', { project: 'b' })
    expect(seen).toEqual([
      [undefined, 'a'],
      ['a', 'b'],
    ])
  })
})
