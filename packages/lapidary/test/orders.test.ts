import { GetItemCommand } from '@aws-sdk/client-dynamodb'
import fc from 'fast-check'
import { anyOf, defineCollection, increment, oneOf, segments } from 'lapidary'
import { chosenSeed, createOracle } from 'lapidary-testing'
import { expect, test, vi } from 'vitest'
import { testEngines } from '../../../test/engines/index.ts'
import { PATIENCE } from '../../../test/engines/patience.ts'
import { collect } from './collect.ts'
import { schemaOf } from './comments-fixture.ts'
import { openTestTable } from './test-table.ts'

type Order = {
  readonly id: string
  readonly customer: string
  readonly placedAt: string
  readonly status: 'OPEN' | 'SENT'
  readonly channel: string
  readonly amount: number
  readonly dueAt?: string | null
  readonly changedAt: string
}

const base = {
  name: 'ORDER',
  schema: schemaOf<Order>(),
  id: 'id',
  scope: { name: 'CUSTOMER', attribute: 'customer' },
  updatedAt: 'changedAt',
  facets: { status: anyOf(['OPEN', 'SENT']), channel: oneOf() },
} as const

const orders = defineCollection({
  ...base,
  order: 'placedAt',
  orders: {
    newest: 'placedAt',
    amount: { attribute: 'amount', type: 'number' },
    due: { attribute: 'dueAt', type: 'time', optional: true },
    changed: 'changedAt',
  },
  indexes: {
    byDate: {},
    byStatus: { partition: ['status'] },
    byAmount: { order: 'amount' },
    byStatusAndAmount: { sort: ['status'], order: 'amount' },
    allByAmount: { order: 'amount', across: 3 },
    openByDue: { only: { status: ['OPEN'] }, order: 'due' },
    byDue: { order: 'due' },
    byChange: { order: 'changed' },
  },
})

const [engine] = testEngines()
if (engine === undefined) throw new Error('no engine')
const seed = chosenSeed(process.env.FC_SEED)
console.log(`FC_SEED=${seed}`)

const AMOUNTS = [-9007199254740991, -1.5, -1, -0, 0, 1e-7, 0.1, 0.2, 0.3, 2, 9, 10, 100, 1e15 + 0.5, 9007199254740991]
const dayOf = (day: number): string => new Date(Date.UTC(2026, 0, 1 + day)).toISOString()
const order = (i: number, given: Partial<Order> = {}): Omit<Order, 'changedAt'> => ({
  ...{ id: `o${i}`, customer: `c${i % 3}`, placedAt: dayOf(i % 5), status: i % 4 === 0 ? 'SENT' : 'OPEN' },
  ...{ channel: 'web', amount: AMOUNTS[i % AMOUNTS.length] ?? 0 },
  ...(i % 2 === 0 ? { dueAt: dayOf(i % 7) } : i % 3 === 0 ? { dueAt: null } : {}),
  ...given,
})

test('each order is that of filter, sort and slice: by customer, of all customers, of two merged, with ranges, both ways', async () => {
  await using table = await openTestTable(engine, { orders })
  const oracle = createOracle(orders)
  for (let i = 0; i < 60; i++) {
    const { id } = await table.lapidary.orders.create(order(i))
    oracle.put(await table.lapidary.orders.get(id))
  }
  const range = (values: readonly (string | number)[]) => {
    const bound = fc.option(fc.constantFrom(...values), { nil: undefined })
    return fc.record({ from: bound, to: bound })
  }
  const byAmount = fc.record({
    by: fc.constant('amount' as const),
    scope: fc.constantFrom(undefined, 'c1', ['c0', 'c2']),
    range: range(AMOUNTS),
  })
  const byTime = fc.record({
    by: fc.constantFrom('due', 'newest', undefined),
    scope: fc.constantFrom('c1', ['c0', 'c2']),
    range: range([dayOf(2), dayOf(3), dayOf(6)]),
  })
  const queries = fc.record({
    asked: fc.oneof(byAmount, byTime),
    where: fc.constantFrom({}, { status: 'OPEN' }, { status: ['OPEN', 'SENT'], channel: 'web' }),
    order: fc.constantFrom('highest', 'lowest'),
    limit: fc.constantFrom(1, 4, 100),
  })
  await fc.assert(
    fc.asyncProperty(queries, async ({ asked: { by, scope, range: bounds }, ...rest }) => {
      const query = {
        ...rest,
        ...bounds,
        ...(by === undefined ? {} : { by }),
        ...(scope === undefined ? {} : { scope }),
      }
      const found = await collect(table.lapidary.orders.iterate(query as { by: 'amount' }))
      expect(found).toEqual(oracle.matching(query as never))
    }),
    { numRuns: 60, seed },
  )
})

test('an edit moves an item in the order of what it changed, in the write itself; an addition without a read too', async () => {
  let now = Date.UTC(2026, 1, 1)
  await using table = await openTestTable(engine, { orders }, { clock: () => now++ })
  const { orders: client } = table.lapidary
  for (const i of [0, 3, 6]) await client.create(order(i, { amount: i }))
  const ids = async (by: 'amount' | 'changed' | 'due'): Promise<readonly string[]> =>
    (await client.list({ scope: 'c0', by })).items.map(({ id }) => id)
  // Lists by a change begin with the creation.
  expect(await ids('changed')).toEqual(['o6', 'o3', 'o0'])
  await client.patch('o0', { amount: 4.5 })
  expect(await ids('amount')).toEqual(['o6', 'o0', 'o3'])
  expect(await ids('changed')).toEqual(['o0', 'o6', 'o3'])
  await client.patch('o3', { amount: increment(1.75, { blind: true }) })
  expect(await ids('amount')).toEqual(['o6', 'o3', 'o0'])
  expect(await ids('changed')).toEqual(['o3', 'o0', 'o6'])
  expect(await ids('due')).toEqual(['o6', 'o0'])
  await client.patch('o3', { dueAt: dayOf(30) })
  await client.patch('o6', { dueAt: null })
  expect(await ids('due')).toEqual(['o3', 'o0'])
  await client.patch('o3', { dueAt: undefined } as object)
  expect(await ids('due')).toEqual(['o0'])
  await client.delete('o0')
  expect(await ids('changed')).toEqual(['o3', 'o6'])
})

test('what can stand in no order is refused, by create and by patch', async () => {
  await using table = await openTestTable(engine, { orders })
  const { orders: client } = table.lapidary
  const wrong = [
    ...[Number.NaN, Number.NEGATIVE_INFINITY, 1e126, '5', null, undefined].map((amount) => ['amount', amount] as const),
    ...['tomorrow', '2026-02-30T00:00:00.000Z', 5].map((dueAt) => ['dueAt', dueAt] as const),
  ]
  await client.create(order(0))
  for (const [attribute, value] of wrong) {
    const refused = { code: 'unprocessable', details: { errors: [expect.objectContaining({ path: attribute })] } }
    const given = { [attribute]: value }
    await expect(client.create({ ...order(1), ...given }), `${attribute} ${value}`).rejects.toMatchObject(refused)
    if (value !== undefined) await expect(client.patch('o0', given)).rejects.toMatchObject(refused)
  }
})

test('the keys of the default order are as they were, and those of another have one text more', async () => {
  await using table = await openTestTable(engine, { orders })
  await table.lapidary.orders.create(order(3, { dueAt: null, amount: -1.5, placedAt: dayOf(0) }))
  const Key = { PK: { S: 'ORDER#o3' }, SK: { S: '~' } }
  const { Item } = await table.client.send(new GetItemCommand({ TableName: table.tableName, Key }))
  const keys = Object.entries(Item ?? {}).filter(([name]) => /^[ks]\b/.test(name) && !name.includes('changedAt'))
  expect(Object.fromEntries(keys)).toEqual({
    k: { S: 'ORDER/c0' },
    'k.status': { S: 'ORDER/c0/OPEN' },
    s: { S: `${dayOf(0)}#o3` },
    'k.~3': { S: expect.stringMatching(/^ORDER\/~[012]$/) },
    's.~amount': { S: '4007ffffffffffff#o3' },
    's.~amount.status': { S: 'OPEN#4007ffffffffffff#o3' },
  })
})

test('a cursor is of its order, and plans, totals and page numbers say of which order they are', async () => {
  await using table = await openTestTable(engine, { orders }, { derived: { counts: true, pages: segments() } })
  const { orders: client } = table.lapidary
  for (let i = 0; i < 9; i++) await client.create(order(i, { customer: 'c0' }))
  const first = await client.list({ scope: 'c0', by: 'amount', where: { status: ['OPEN'] }, limit: 2 })
  expect(first.plan.text).toMatch(/^byStatusAndAmount\[c0:OPEN\] BY amount DESC LIMIT 2 -- /)
  const cursor = first.cursors.next ?? ''
  const mismatch = { code: 'cursor_mismatch' }
  for (const by of ['due', 'newest', undefined] as const)
    await expect(client.list({ scope: 'c0', by, where: { status: ['OPEN'] }, limit: 2, cursor })).rejects.toMatchObject(
      mismatch,
    )
  const plain = await client.list({ scope: 'c0', limit: 2 })
  const named = await client.list({ scope: 'c0', by: 'newest', limit: 2, cursor: plain.cursors.next ?? '' })
  expect(named.plan.text).toContain('BY position DESC')

  await using poller = await table.lapidary.stream.start({ idleMs: 20, gatherMs: 20, discoverMs: 200 })
  await vi.waitUntil(async () => (await client.count({ scope: 'c0' })).total === 9, PATIENCE)
  expect(poller).toBeDefined()
  const totals = async (by: 'amount' | 'due') => {
    const { page, facets } = await client.list({ scope: 'c0', by, limit: 2 })
    return { total: page.total, status: facets?.status }
  }
  expect(await totals('amount')).toEqual({ total: 9, status: { OPEN: 6, SENT: 3 } })
  // Who is in an order that items may be missing from, or in a range, is not counted.
  expect(await totals('due')).toEqual({ total: null, status: undefined })

  const refused = {
    code: 'unprocessable',
    message: expect.stringContaining(
      "by: has no numbered pages: declare ORDER with pages: [{ order: 'amount' }], or go by cursor",
    ),
  }
  // @ts-expect-error no page index is by the amount
  await expect(client.page(2, { scope: 'c0', by: 'amount' })).rejects.toMatchObject(refused)
  expect((await client.page(1, { scope: 'c0', by: 'amount' })).items).toHaveLength(9)
  const unknown = {
    code: 'unprocessable',
    message: expect.stringMatching(/the orders are newest, amount, due, changed/),
  }
  await expect(client.list({ scope: 'c0', by: 'nope' as 'amount' })).rejects.toMatchObject(unknown)
  await expect(client.list({ scope: 'c0', by: 'constructor' as 'amount' })).rejects.toMatchObject(unknown)
  const noNumber = {
    code: 'unprocessable',
    message: expect.stringMatching(/from: must be a value of amount \(number\)/),
  }
  await expect(client.list({ scope: 'c0', by: 'amount', from: dayOf(1) as never })).rejects.toMatchObject(noNumber)
})
