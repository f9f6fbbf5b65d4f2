import fc from 'fast-check'
import { createLapidary, defineCollection, type Item, type OrderType } from 'lapidary'
import { createFaultKit, createOracle } from 'lapidary-testing'
import { describe, expect, test } from 'vitest'
import { testEngines } from '../../../test/engines/index.ts'
import { boundPast, positionOf } from '../src/model/position.ts'
import { schemaOf } from './comments-fixture.ts'
import { openTestTable } from './test-table.ts'

const TIMES = ['2020-01-01T00:00:00.000Z', '2020-01-01T00:00:00.001Z', '9999-12-31T23:59:59.999Z']
const ORDERS: Readonly<Record<OrderType, readonly (string | number)[]>> = {
  time: TIMES,
  number: [-1e15, -1.5, 0, 1e-10, 2, 10],
  decimal: ['-1e15', '-1.5', '0', '1e-10', '2', '10.00000000000000000001'],
  string: ['', 'a', 'ab', 'a#', 'é', '\u{1F600}', 'zz'],
}
const IDS = [
  '1',
  '10',
  '2',
  'a',
  'a b',
  'a#b',
  'a~',
  'é',
  '\u{1F600}',
  'x'.repeat(100),
  `${'x'.repeat(100)}y`,
  '<',
  '>',
]

const repositories = defineCollection({
  name: 'REPOSITORY',
  schema: schemaOf<{ readonly id: string; readonly owner: string; readonly at: string; readonly note: string }>(),
  id: 'id',
  scope: { name: 'OWNER', attribute: 'owner' },
  order: 'at',
  facets: {},
  indexes: { all: {}, around: { around: 'parent' } },
})

function children(name: string, around: 'below' | 'above', type: OrderType) {
  return defineCollection({
    ...{ name, schema: schemaOf<Item>(), id: 'id', facets: {}, indexes: { around: { around } } },
    scope: { name: 'REPOSITORY', attribute: 'repository' },
    order: { attribute: 'at', type },
  })
}

const assembled = {
  repositories,
  issues: children('ISSUE', 'below', 'time'),
  stars: children('STAR', 'above', 'time'),
}

const unassembled = defineCollection({
  ...{ name: 'STAR', schema: schemaOf<Item>(), id: 'id', facets: {}, order: 'at', indexes: { all: {} } },
  scope: { name: 'REPOSITORY', attribute: 'repository' },
})

const repository = { id: 'r1', owner: 'o', at: '2020-01-01T00:00:00.000Z', note: 'x' }

describe.each(testEngines())('assembled collections on $name', (engine) => {
  test('go by the expiry that each declares of itself', async () => {
    const now = Date.parse('2124-01-01T00:00:00.000Z')
    const past = new Date(now - 1).toISOString()
    const kinds = { repositories, issues: assembled.issues }
    const expiring = {
      repositories: { ...repositories, expires: 'until' },
      issues: { ...assembled.issues, expires: 'until' },
    }
    const found = async ({ repositories: above, issues: below }: typeof kinds) => {
      await using table = await openTestTable(engine, { above, below }, { clock: () => now })
      const { lapidary } = table
      await lapidary.above.create({ ...repository, until: past } as typeof repository)
      await lapidary.below.create({ id: 'i1', repository: 'r1', at: TIMES[0], until: past })
      const { parent, items } = await lapidary.below.listWith(lapidary.above, { scope: 'r1' })
      return [parent?.id, items.length]
    }
    expect(await found(kinds)).toEqual(['r1', 1])
    expect(await found({ ...kinds, repositories: expiring.repositories })).toEqual([undefined, 1])
    expect(await found({ ...kinds, issues: expiring.issues })).toEqual(['r1', 0])
    expect(await found(expiring)).toEqual([undefined, 0])
  })

  test('let a child move to another parent, on either side', async () => {
    await using table = await openTestTable(engine, assembled)
    const { repositories: parents, issues, stars } = table.lapidary
    for (const id of ['r1', 'r2']) await parents.create({ ...repository, id })
    for (const kind of [issues, stars]) {
      await kind.create({ id: 'c1', repository: 'r1', at: TIMES[0] })
      await kind.patch('c1', { repository: 'r2' })
      const found = await Promise.all(['r1', 'r2'].map((scope) => kind.listWith(parents, { scope })))
      expect(found.map(({ parent, items }) => [parent?.id, items.map(({ id }) => id)])).toEqual([
        ['r1', []],
        ['r2', ['c1']],
      ])
    }
  })

  test.each(['time', 'number', 'string'] as const)(
    'give the parent with the newest of each kind, then the rest page by page, in the order of a %s',
    async (type) => {
      const collections = {
        repositories,
        issues: children('ISSUE', 'below', type),
        stars: children('STAR', 'above', type),
      }
      await using table = await openTestTable(engine, collections)
      const { lapidary, client } = table
      const childCase = fc.record({ id: fc.constantFrom(...IDS), at: fc.constantFrom(...ORDERS[type]) })
      const several = fc.uniqueArray(childCase, { selector: ({ id }) => id, maxLength: IDS.length })
      const SECRET = 'another secret of the tests'
      let runs = 0
      await fc.assert(
        fc.asyncProperty(
          several,
          several,
          fc.boolean(),
          fc.integer({ min: 1, max: 5 }),
          async (issues, stars, hasParent, limit) => {
            const scope = `r/${runs++}`
            if (hasParent) await lapidary.repositories.create({ ...repository, id: scope })
            for (const [name, drawn] of [['issues', issues] as const, ['stars', stars] as const]) {
              const kind = lapidary[name]
              const oracle = createOracle<Item>(collections[name])
              for (const { id, at } of drawn) {
                const item = { id: `${id}/${scope}`, repository: scope, at }
                await kind.create(item)
                oracle.put(item)
              }
              const all = oracle.matching({ scope })
              const first = await kind.listWith(lapidary.repositories, { scope, limit })
              expect(first.parent).toEqual(hasParent ? { ...repository, id: scope } : null)
              expect(first.plan.actual?.requests).toBe(1)
              const found: Item[] = [...first.items]
              let { next } = first.cursors
              expect(next === null).toBe(all.length <= limit)
              while (next !== null) {
                const page = await kind.listWith(lapidary.repositories, { scope, limit, cursor: next })
                expect(page.parent).toBeUndefined()
                found.push(...page.items)
                next = page.cursors.next
              }
              expect(found).toEqual(all)
              const short = createFaultKit({ seed: runs, rates: { short: 0.7 } }).dynamodb(client)
              const { tableName } = table
              const cut = createLapidary({ client: short, tableName, collections, cursorSecret: SECRET })
              const again = await cut[name].listWith(cut.repositories, { scope, limit })
              expect([again.parent, again.items]).toEqual([first.parent, first.items])
              const oldest = await kind.list({ scope, order: 'oldest', limit: 100 })
              expect(oldest.items).toEqual(oracle.matching({ scope, order: 'oldest' }))
            }
          },
        ),
        { numRuns: engine.name === 'embedded' ? 15 : 4 },
      )
    },
  )

  test('go on where the last page ended, with what is there now, while both kinds are written between pages', async () => {
    await using table = await openTestTable(engine, assembled)
    const { lapidary } = table
    const at = fc.constantFrom(...TIMES)
    const id = fc.constantFrom(...IDS)
    const write = fc.record({ kind: fc.constantFrom('issues' as const, 'stars' as const), id, at, isPut: fc.boolean() })
    let runs = 0
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(write, { selector: ({ kind, id: of }) => `${kind} ${of}`, minLength: 6, maxLength: 26 }),
        fc.array(fc.array(write, { maxLength: 4 }), { maxLength: 12 }),
        fc.constantFrom('issues' as const, 'stars' as const),
        fc.integer({ min: 1, max: 4 }),
        fc.boolean(),
        async (stored, between, name, limit, hasParent) => {
          const scope = `w/${runs++}`
          const oracles = {
            issues: createOracle<Item>(assembled.issues),
            stars: createOracle<Item>(assembled.stars),
          }
          // An item that exists is moved or deleted, another is created.
          const apply = async ({ kind, isPut, ...drawn }: (typeof stored)[number]): Promise<void> => {
            const item = { id: `${drawn.id}/${scope}`, repository: scope, at: drawn.at }
            const isThere = oracles[kind].get(item.id) !== undefined
            if (!isThere) await lapidary[kind].create(item)
            else if (isPut) await lapidary[kind].patch(item.id, { at: item.at })
            else await lapidary[kind].delete(item.id)
            if (isThere && !isPut) oracles[kind].delete(item.id)
            else oracles[kind].put(item)
          }
          if (hasParent) await lapidary.repositories.create({ ...repository, id: scope })
          for (const each of stored) await apply(each)

          const oracle = oracles[name]
          let expected = oracle.page({ scope, limit })
          let page = await lapidary[name].listWith(lapidary.repositories, { scope, limit })
          for (let i = 0; ; i++) {
            expect(page.items).toEqual(expected.items)
            expect(page.cursors.next !== null).toBe(expected.more)
            const last = page.items.at(-1)
            if (page.cursors.next === null || last === undefined) break
            for (const each of between[i] ?? []) await apply(each)
            const bound = boundPast(positionOf(assembled[name], last), false)
            expected = oracle.page({ scope, limit }, { direction: 'forward', bound })
            page = await lapidary[name].listWith(lapidary.repositories, { scope, limit, cursor: page.cursors.next })
            expect(page.parent).toBeUndefined()
          }
          const again = await lapidary[name].listWith(lapidary.repositories, { scope, limit })
          expect([again.parent?.id, again.items]).toEqual([
            hasParent ? scope : undefined,
            oracle.page({ scope, limit }).items,
          ])
        },
      ),
      { numRuns: engine.name === 'embedded' ? 25 : 4 },
    )
    expect((await lapidary.derived.verify()).differenceCount).toBe(0)
  })

  test('take one Query, charged for what it reads alone, and their keys are what their rules say', async () => {
    await using table = await openTestTable(engine, assembled)
    const { lapidary } = table
    await lapidary.repositories.create(repository)
    for (let i = 0; i < 60; i++) {
      const at = new Date(Date.UTC(2024, 0, 1) + i * 60_000).toISOString()
      await lapidary.issues.create({ id: `i${i}`, repository: 'r1', at, text: 'x'.repeat(300) })
      await lapidary.stars.create({ id: `s${i}`, repository: 'r1', at })
    }
    for (const [kind, perPage] of [[lapidary.issues, 2.5] as const, [lapidary.stars, 1] as const]) {
      const { plan, parent, items } = await kind.listWith(lapidary.repositories, { scope: 'r1', limit: 40 })
      expect([parent?.id, items.length]).toEqual(['r1', 40])
      expect(plan.text).toContain('around[r1 WITH PARENT] BY position DESC LIMIT 41')
      expect(plan.actual).toMatchObject({ requests: 1, rounds: 1, rcu: perPage, itemsRead: 42 })
      expect(plan.actual?.rcu).toBe(0.5 * Math.ceil((plan.actual?.bytes ?? 0) / 4096))
    }
    expect((await lapidary.derived.verify()).differenceCount).toBe(0)
  })
})

test('are read apart as long as the index is filling', async () => {
  await using table = await openTestTable(testEngines()[0] as never, {
    repositories,
    issues: children('ISSUE', 'below', 'time'),
  })
  const { lapidary, client, tableName } = table
  await lapidary.repositories.create(repository)
  const stars = defineCollection({
    ...{ name: 'STAR', schema: schemaOf<Item>(), id: 'id', facets: {}, order: 'at' },
    ...{ scope: { name: 'REPOSITORY', attribute: 'repository' }, indexes: { all: {}, around: { around: 'above' } } },
  })
  await createLapidary({
    client,
    tableName,
    collections: { stars: unassembled },
    cursorSecret: 'a secret of the tests',
  }).stars.create({ id: 's1', repository: 'r1', at: TIMES[0] })
  const later = createLapidary({
    ...{ client, tableName, cursorSecret: 'a secret of the tests' },
    collections: { repositories, stars },
  })
  const page = await later.stars.listWith(later.repositories, { scope: 'r1' })
  expect([page.parent?.id, page.items.map(({ id }) => id)]).toEqual(['r1', ['s1']])
  expect(page.plan.limits.join()).toContain('around is not used: it is filling')
  await later.table.backfill()
  const whole = await later.stars.listWith(later.repositories, { scope: 'r1' })
  expect([whole.parent?.id, whole.items.map(({ id }) => id), whole.plan.limits]).toEqual(['r1', ['s1'], []])
  expect(whole.plan.text).toContain('around[r1 WITH PARENT]')
}, 120_000)

describe('what can be assembled', () => {
  const open = (collections: Parameters<typeof createLapidary>[0]['collections']) =>
    createLapidary({ client: {} as never, tableName: 'none', collections, cursorSecret: 'a secret of the tests' })

  test('is one collection on each side of one parent, which is its scope', () => {
    const issues = children('ISSUE', 'below', 'time')
    expect(() => open({ repositories, issues, pulls: children('PULL', 'below', 'time') })).toThrow(
      'index around has two collections as below, ISSUE and PULL',
    )
    const orphans = defineCollection({
      ...{ name: 'ORPHAN', schema: schemaOf<Item>(), id: 'id', facets: {}, order: 'at' },
      ...{ scope: { name: 'HOME', attribute: 'home' }, indexes: { around: { around: 'below' } } },
    })
    expect(() => open({ repositories, orphans })).toThrow("its scope is HOME; say scope: { name: 'REPOSITORY', … }")
  })

  test('is declared with nothing else', () => {
    const declare = (index: object) => () =>
      defineCollection({
        ...{ name: 'ISSUE', schema: schemaOf<Item>(), id: 'id', facets: {}, order: 'at' },
        ...{ scope: { name: 'REPOSITORY', attribute: 'repository' }, indexes: { around: index } },
      })
    expect(declare({ around: 'beside' })).toThrow('index around is around "beside"; it can be parent, below, above')
    expect(declare({ around: 'below', sort: ['status'] })).toThrow('so it has no sort; leave that out')
  })

  test('says how, where no index does it', async () => {
    const { stars, all } = open({ all: repositories, stars: unassembled }) as unknown as {
      readonly [K in 'stars' | 'all']: ReturnType<typeof open>[string]
    }
    await expect(stars.listWith(all, { scope: 'r1' })).rejects.toMatchObject({
      code: 'not_implemented',
      message: expect.stringContaining('no index assembles STAR around REPOSITORY'),
    })
  })
})
