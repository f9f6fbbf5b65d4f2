import fc from 'fast-check'
import { anyOf, createLapidary, defineCollection, indexes, lookup, oneOf } from 'lapidary'
import { chosenSeed, createFaultKit, NO_FAULTS } from 'lapidary-testing'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { testEngines } from '../../../test/engines/index.ts'
import { schemaOf } from './comments-fixture.ts'
import { manyEntries } from './conformance/many-entries.ts'
import { openTestTable } from './test-table.ts'

const seed = chosenSeed(process.env.FC_SEED)
console.info(`chosen attributes: FC_SEED=${seed}`)

type Post = {
  readonly id: string
  readonly forum: string
  readonly kind: string
  readonly stars: number
  readonly place: number
  readonly '#p.q'?: string
  readonly size: readonly number[]
  readonly text: string
}

const base = {
  name: 'POST',
  schema: schemaOf<Post>(),
  id: 'id',
  scope: { name: 'FORUM', attribute: 'forum' },
  order: { attribute: 'place', type: 'number' },
  facets: { kind: oneOf(), stars: anyOf('number') },
} as const
const posts = defineCollection({ ...base, indexes: { all: {}, byStars: { partition: ['stars'] } } })
const named = defineCollection({
  ...base,
  attributes: {
    ...{ id: 'i', forum: 'f', kind: 'k0', stars: 's0', place: '#', '#p.q': 'x.y', size: 'size' },
    text: lookup('t'),
  },
})
const NAMES = ['id', 'forum', 'kind', 'stars', 'place', '#p.q', 'size'] as const
const ITEMS: readonly Post[] = Array.from({ length: 23 }, (_, i) => ({
  ...{ id: `${i}`, forum: 'f', kind: i % 2 === 0 ? 'a' : 'b', stars: i % 3, place: i % 5, size: [i] },
  ...(i % 4 === 0 ? {} : { '#p.q': `${i}` }),
  text: `the long text of ${i}`.repeat(20),
}))

function pick(item: object, names: readonly string[]): object {
  return Object.fromEntries(Object.entries(item).filter(([name]) => names.includes(name)))
}

const cases = [
  { title: 'indexes of everything', collection: posts, layout: indexes() },
  { title: 'indexes of what lists show', collection: named, layout: indexes() },
  { title: 'many entries', collection: posts, layout: manyEntries() },
]

describe.each(testEngines())('chosen attributes on $name', (engine) => {
  test.each(cases)(
    'are those of whole items, on every page there and back, of $title',
    async ({ collection, layout }) => {
      await using table = await openTestTable(engine, { posts: collection }, { layout })
      for (const item of ITEMS) await table.lapidary.posts.create(item)
      const faults = createFaultKit({ seed, rates: { ...NO_FAULTS, short: 0.5 } })
      const { posts: client } = createLapidary({
        ...{
          client: faults.dynamodb(table.client),
          tableName: table.tableName,
          collections: { posts: collection },
          layout,
        },
        cursorSecret: 'a secret of the tests',
      })
      const asked = fc.record({
        names: fc.subarray([...NAMES], { minLength: 1 }),
        kind: fc.option(fc.constantFrom('a', 'b'), { nil: undefined }),
        stars: fc.option(fc.subarray([0, 1, 2], { minLength: 1 }), { nil: undefined }),
        order: fc.constantFrom('newest' as const, 'oldest' as const),
        limit: fc.integer({ min: 1, max: 6 }),
      })
      const property = fc.asyncProperty(asked, async ({ names, kind, stars, ...rest }) => {
        const query = { scope: 'f', where: { kind, stars }, ...rest }
        let cursor: string | undefined
        for (const direction of ['next', 'previous'] as const) {
          do {
            const whole = await client.list({ ...query, cursor })
            const page = await client.list({ ...query, cursor, attributes: names })
            expect(page.items).toEqual(whole.items.map((item) => pick(item, names)))
            expect(page.cursors).toEqual(whole.cursors)
            cursor =
              page.cursors[direction] ?? (direction === 'next' ? (page.cursors.previous ?? undefined) : undefined)
            if (page.cursors[direction] === null) break
          } while (cursor !== undefined)
        }
        const all: object[] = []
        for await (const item of client.iterate({ ...query, attributes: names })) all.push(item)
        expect(all).toHaveLength(
          ITEMS.filter((item) => (kind ?? item.kind) === item.kind && (stars ?? [item.stars]).includes(item.stars))
            .length,
        )
      })
      await fc.assert(property, { seed, numRuns: 8, endOnFailure: true })
      expect(await client.get('1', { attributes: ['text', 'size'] })).toEqual(pick(ITEMS[1] as Post, ['text', 'size']))
      expect(await client.getMany(['2', 'x', '1'], { attributes: ['#p.q', 'id'] })).toEqual([
        ...[{ id: '2', '#p.q': '2' }, undefined],
        { id: '1', '#p.q': '1' },
      ])
    },
  )

  test('spare bytes and no capacity, and don’t teach the planner that items are small', async () => {
    await using table = await openTestTable(engine, { posts })
    const { posts: client } = table.lapidary
    for (const item of ITEMS) await client.create(item)
    const query = { scope: 'f', limit: 20 } as const
    const before = (await client.plan(query)).text
    const chosen = await client.explain({ ...query, attributes: ['id'] })
    expect((await client.plan(query)).text).toBe(before)
    const whole = await client.explain(query)
    expect(chosen.actual?.rcu).toBe(whole.actual?.rcu)
    expect(chosen.actual?.bytes).toBeLessThan((whole.actual?.bytes ?? 0) / 3)
  })

  test('that no list shows, or that are none, are refused', async () => {
    await using table = await openTestTable(engine, { posts })
    await using second = await openTestTable(engine, { other: named })
    const { posts: client } = table.lapidary
    const { other } = second.lapidary
    const refused = { code: 'unprocessable', details: { errors: [{ path: 'attributes' }] } }
    const lists = [[], ['PK'], [''], [1], 'id', null].map((attributes) =>
      client.list({ scope: 'f', attributes: attributes as never }),
    )
    const others = [['text'], ['toString'], ['nope']].map((attributes) =>
      other.list({ scope: 'f', attributes: attributes as never }),
    )
    for (const call of [...lists, ...others, client.get('1', { attributes: [] })])
      await expect(call).rejects.toMatchObject(refused)
  })
})

test('the types of items are those of what was chosen', () => {
  type Client = ReturnType<typeof createLapidary<{ posts: typeof posts }>>['posts']
  const some = (client: Client) => client.list({ scope: 'f', attributes: ['id', 'stars'] })
  const every = (client: Client) => client.get('1')
  expectTypeOf<Awaited<ReturnType<typeof some>>['items'][number]>().toEqualTypeOf<Pick<Post, 'id' | 'stars'>>()
  expectTypeOf<Awaited<ReturnType<typeof every>>>().toEqualTypeOf<Post>()
  // @ts-expect-error an attribute that items don't have
  const wrong = (client: Client) => client.get('1', { attributes: ['nope'] })
  expect([some, every, wrong]).toHaveLength(3)
})
