import fc from 'fast-check'
import { anyOf, createLapidary, defineCollection, oneOf, type QueryInput, segments } from 'lapidary'
import { chosenSeed, createOracle } from 'lapidary-testing'
import { expect, test } from 'vitest'
import { testEngines } from '../../../test/engines/index.ts'
import { createIndexes } from './backfill/create-indexes.ts'
import { collect } from './collect.ts'
import { schemaOf } from './comments-fixture.ts'
import { openTestTable } from './test-table.ts'

type Order = {
  readonly id: string
  readonly customer: string
  readonly placedAt: string
  readonly status: 'open' | 'paid'
  readonly channel: 'web' | 'app'
  readonly agent: string
}

const base = {
  name: 'ORDER',
  schema: schemaOf<Order>(),
  id: 'id',
  scope: { name: 'CUSTOMER', attribute: 'customer' },
  order: 'placedAt',
} as const
const status = anyOf(['open', 'paid'])
const before = defineCollection({ ...base, facets: { status } })
const after = defineCollection({ ...base, facets: { status, channel: anyOf(['web', 'app']), agent: oneOf() } })

const [engine] = testEngines()
if (engine === undefined) throw new Error('no engine')
const seed = chosenSeed(process.env.FC_SEED)
const derived = { counts: true, columns: true, pages: segments() } as const
const cursorSecret = 'a secret of the tests'

const order = (i: number) => ({
  ...{ id: `o${i}`, customer: i % 7 === 0 ? 'd' : 'c', status: i % 3 === 0 ? ('open' as const) : ('paid' as const) },
  placedAt: new Date(Date.UTC(2026, 0, 1, 0, i % 20)).toISOString(),
})

test('facets that are required from now on: items that lack them are in totals, lists and page numbers, and under none of the values', async () => {
  await using table = await openTestTable(engine, { orders: before }, { derived })
  const { client, tableName } = table
  const oracle = createOracle(after)
  for (let i = 0; i < 60; i++) {
    await table.lapidary.orders.create(order(i) as never)
    oracle.put(order(i) as never)
  }
  const now = createLapidary({ client, tableName, collections: { orders: after }, cursorSecret, derived })
  await createIndexes(client, now.table)
  // In the order of docs/declarations.md: the changes are followed before the items have values.
  await now.stream.catchUp({ idleMs: 20 })
  for (let i = 60; i < 70; i++) {
    const made = { ...order(i), channel: i % 2 === 0 ? ('web' as const) : ('app' as const), agent: `a${i % 3}` }
    await now.orders.create(made)
    oracle.put(made)
  }

  const agrees = async (): Promise<void> => {
    await now.stream.catchUp({ idleMs: 20 })
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          scope: fc.constantFrom('c', 'd'),
          where: fc.record(
            {
              status: fc.constantFrom('open', 'paid'),
              channel: fc.constantFrom<('web' | 'app')[]>(['web'], ['app'], ['web', 'app']),
              agent: fc.constantFrom('a0', 'a1'),
              NOT: fc.constantFrom({ channel: 'web' }, { channel: ['web', 'app'] }, { agent: 'a0', status: 'paid' }),
            },
            { requiredKeys: [] },
          ),
          limit: fc.constantFrom(1, 3, 50),
        }) as fc.Arbitrary<QueryInput & { readonly limit: number }>,
        async (query) => {
          const expected = oracle.matching(query as never)
          expect(await collect(now.orders.iterate(query as never))).toEqual(expected)
          expect((await now.orders.count({ scope: query.scope, where: query.where } as never)).total).toBe(
            expected.length,
          )
          const page = await now.orders.page(2, query as never)
          expect(page.items).toEqual(expected.slice(query.limit, 2 * query.limit))
          expect(page.page.total).toBe(expected.length)
        },
      ),
      { seed, numRuns: 25 },
    )
    const { facets } = await now.orders.count({ scope: 'c' })
    const each = (where: object) => oracle.matching({ scope: 'c', where } as never).length
    expect(facets).toEqual({
      status: { open: each({ status: 'open' }), paid: each({ status: 'paid' }) },
      channel: { web: each({ channel: 'web' }), app: each({ channel: 'app' }) },
      agent: Object.fromEntries(['a0', 'a1', 'a2'].map((agent) => [agent, each({ agent })])),
    })
    expect(await now.derived.verify()).toMatchObject({ differenceCount: 0, uncountable: 0 })
    expect(await now.stream.deadLetters.count()).toBe(0)
  }
  await agrees()

  expect(await now.table.backfill({ fill: { channel: 'web', agent: 'a0' } })).toMatchObject({ complete: true })
  for (let i = 0; i < 60; i++) oracle.put({ ...order(i), channel: 'web', agent: 'a0' })
  await agrees()
})
