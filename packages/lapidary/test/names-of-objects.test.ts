import {
  anyOf,
  defineCollection,
  eachOf,
  type Facets,
  type Item,
  increment,
  LapidaryError,
  type Layout,
  oneOf,
  powerSet,
  segments,
} from 'lapidary'
import { createOracle } from 'lapidary-testing'
import { describe, expect, test } from 'vitest'
import { testEngines } from '../../../test/engines/index.ts'
import { PATIENCE } from '../../../test/engines/patience.ts'
import { schemaOf } from './comments-fixture.ts'
import { openTestTable } from './test-table.ts'

/** The names that every object has; `__proto__`, which SDKs lose, is refused. */
const NAMES = Object.getOwnPropertyNames(Object.prototype).filter((name) => name !== '__proto__')
const VALUES = ['constructor', 'toString', 'a']

function things(name: string, other: string) {
  return defineCollection({
    ...{ name: 'THING', schema: schemaOf<Item>(), id: 'id', order: 'at' as never },
    scope: { name: 'PARENT', attribute: 'parent' },
    facets: {
      [name]: anyOf(VALUES, { optional: true, frequencies: { a: 0.5 } }),
      [other]: oneOf(),
      more: anyOf([1, 2]),
    } as Facets,
    indexes: {
      all: {},
      [name]: { partition: [name] },
      [other]: { partition: [other], sort: [name] },
      only: { only: { more: [1] } },
    },
    leaderboards: { constructor: { where: { more: [1] } } },
  } as never)
}

const thing = (name: string, other: string, i: number): Item => ({
  ...{ id: `t${i}`, parent: 'p', at: new Date(Date.UTC(2026, 0, 1) + i * 1000).toISOString() },
  ...(i % 4 === 0 ? {} : { [name]: VALUES[i % 3] }),
  ...{ [other]: VALUES[i % 2], more: (i % 2) + 1 },
})

describe.each(testEngines().slice(0, 1))('on $name', (engine) => {
  test.each(NAMES.map((name, i) => [name, NAMES[(i + 1) % NAMES.length] as string]))(
    'facets, indexes and attributes can be called %s and %s',
    async (name, other) => {
      const collection = things(name, other)
      const beside = NAMES.find((each) => each !== name && each !== other) as string
      const derived = { counts: true, pages: segments() } as const
      await using table = await openTestTable(
        engine,
        { constructor: collection, other: { ...collection, name: 'OTHER' } as never },
        { derived },
      )
      const { lapidary } = table
      const client = lapidary.constructor as unknown as (typeof lapidary)['other']
      await using _poller = await lapidary.stream.start({ idleMs: 20, gatherMs: 20 })
      const oracle = createOracle<Item>(collection as never)
      for (let i = 0; i < 12; i++) {
        const given = thing(name, other, i)
        oracle.put(given)
        expect(await client.create(given as never)).toEqual(given)
      }
      await expect.poll(async () => (await client.count({ scope: 'p' })).total, PATIENCE).toBe(12)

      for (const where of [
        {},
        { more: 1 },
        { [name]: ['a', null] },
        { [other]: 'toString' },
        { [name]: 'a', [other]: 'constructor', more: 2 },
      ]) {
        const query = { scope: 'p', where, limit: 3 } as never
        const all: Item[] = []
        let cursor: string | null = null
        do {
          const page: Awaited<ReturnType<typeof client.list>> = await client.list({
            ...(query as object),
            ...(cursor === null ? {} : { cursor }),
          } as never)
          all.push(...(page.items as readonly Item[]))
          expect(page.page.total, JSON.stringify(where)).toBe(oracle.matching(query).length)
          expect(page.facets?.[name]?.a).toBeTypeOf('number')
          cursor = page.cursors.next
        } while (cursor !== null)
        expect(all).toEqual(oracle.matching(query))
        expect((await client.count(query)).total).toBe(all.length)
        expect((await client.page(2, query)).items).toEqual(oracle.matching(query).slice(3, 6))
        expect((await client.explain(query)).text).toContain('LIMIT')
      }

      await client.patch('t1', { [other]: 'a', [name]: undefined } as never)
      expect(await client.get('t1')).toEqual({ ...thing(name, other, 1), [other]: 'a', [name]: undefined })
      await client.patch('t1', { count: increment(1), [name]: 'a' } as never, { if: { [name]: undefined } as never })
      await client.patch('t1', { [name]: undefined, [beside]: 'x' } as never)
      await client.patch('t1', { [beside]: undefined } as never)
      expect(Object.keys((await client.get('t1')) as object).sort()).toEqual(
        ['at', 'count', 'id', 'more', 'parent', other].sort(),
      )
      await client.replace(thing(name, other, 1) as never)
      expect(await client.get('t1')).toEqual(thing(name, other, 1))

      expect(await lapidary.table.backfill()).toMatchObject({
        complete: true,
        collections: [{ unfit: {} }, { unfit: {} }],
      })
      await expect.poll(async () => (await lapidary.derived.verify()).differenceCount, PATIENCE).toBe(0)
      const board = await client.leaderboard({ name: 'constructor' } as never)
      expect(board.entries).toEqual([expect.objectContaining({ count: 6 })])
    },
  )

  test.each<readonly [string, Layout]>([['power set', powerSet()]])('the same in the layout %s', async (_, layout) => {
    const [name, other] = ['constructor', 'valueOf'] as const
    const collection = defineCollection({
      ...{ name: 'THING', schema: schemaOf<Item>(), id: 'id', order: 'at' },
      scope: { name: 'PARENT', attribute: 'parent' },
      facets: { [name]: oneOf(), [other]: anyOf(['a', 'toString', 'constructor']) },
    } as never)
    await using table = await openTestTable(engine, { things: collection }, { layout })
    const oracle = createOracle<Item>(collection as never)
    for (let i = 0; i < 8; i++) {
      const given = {
        id: `t${i}`,
        parent: 'p',
        at: new Date(i).toISOString(),
        [name]: VALUES[i % 2],
        [other]: VALUES[i % 3],
      }
      oracle.put(given)
      await table.lapidary.things.create(given as never)
    }
    for (const where of [{}, { [name]: 'constructor' }, { [other]: ['a', 'toString'] }]) {
      const query = { scope: 'p', where } as never
      expect((await table.lapidary.things.list(query)).items).toEqual(oracle.matching(query))
    }
  })
})

test('a filter, an order or a leaderboard that is not declared is refused by its name, whatever that is', async () => {
  const collection = defineCollection({
    ...{ name: 'THING', schema: schemaOf<Item>(), id: 'id', order: 'at' },
    scope: { name: 'PARENT', attribute: 'parent' },
    facets: { tags: eachOf(), kind: oneOf() },
    leaderboards: { best: { where: {} } },
  } as never)
  const [engine] = testEngines()
  if (engine === undefined) throw new Error('there is no engine')
  await using table = await openTestTable(engine, { things: collection }, { derived: { counts: true } })
  const { things } = table.lapidary
  for (const name of NAMES) {
    const refused = { code: 'unprocessable' }
    await expect(things.list({ scope: 'p', where: { [name]: 'a' } } as never)).rejects.toMatchObject(refused)
    await expect(things.list({ scope: 'p', by: name } as never)).rejects.toMatchObject(refused)
    await expect(things.list({ scope: 'p', order: name } as never)).rejects.toMatchObject(refused)
    await expect(things.count({ scope: 'p', where: { [name]: 'a' } } as never)).rejects.toMatchObject(refused)
    await expect(things.leaderboard({ name: 'best', where: { [name]: 'a' } } as never)).rejects.toMatchObject(refused)
    await expect(things.leaderboard({ name } as never)).rejects.toBeInstanceOf(LapidaryError)
  }
})
