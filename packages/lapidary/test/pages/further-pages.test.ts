import fc from 'fast-check'
import {
  anyOf,
  createLapidary,
  defineCollection,
  eachOf,
  hierarchy,
  type Lapidary,
  type PageStore,
  type PagesDeclaration,
  pageMarkers,
  parseQuery,
  type SortedLists,
  segments,
} from 'lapidary'
import { chosenSeed, createOracle, memoryLists } from 'lapidary-testing'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createTestClient, dropTables, testEngines, uniqueTableName } from '../../../../test/engines/index.ts'
import { PATIENCE } from '../../../../test/engines/patience.ts'
import { schemaOf } from '../comments-fixture.ts'

type Order = {
  readonly id: string
  readonly customer: string
  readonly placedAt: string
  readonly status: 'OPEN' | 'SENT'
  readonly amount: number
  readonly dueAt?: string | null
  readonly tags: readonly string[]
  readonly path?: string
}

const EVERY: readonly PagesDeclaration[] = [
  { order: 'amount' },
  { order: 'due' },
  { facet: 'tags' },
  { order: 'amount', facet: 'tags' },
  { facet: 'path' },
  { across: true },
  { order: 'amount', facet: 'tags', across: true },
]
const declared = (pages: readonly PagesDeclaration[]) =>
  defineCollection({
    name: 'ORDER',
    schema: schemaOf<Order>(),
    id: 'id',
    scope: { name: 'CUSTOMER', attribute: 'customer' },
    orders: {
      newest: 'placedAt',
      amount: { attribute: 'amount', type: 'number' },
      due: { attribute: 'dueAt', type: 'time', optional: true },
    },
    facets: { status: anyOf(['OPEN', 'SENT']), tags: eachOf(), path: hierarchy() },
    indexes: {
      byDate: { shards: 2 },
      byTag: { partition: ['tags'] },
      byAmount: { order: 'amount' },
      byDue: { order: 'due' },
      all: { across: 2 },
      allByAmount: { order: 'amount', across: 2 },
    },
    pages: pages as readonly PagesDeclaration<'tags' | 'path'>[],
  })
const orders = declared(EVERY)

/** A store of its own that may be away, in memory. */
function memoryStore(): PageStore {
  const opened = new Map<string, SortedLists>()
  return {
    ...{ name: 'memory', apart: true },
    open({ namespace }) {
      const lists = opened.get(namespace) ?? memoryLists()
      opened.set(namespace, lists)
      return lists
    },
  }
}

const [engine] = testEngines()
if (engine === undefined) throw new Error('no engine')
const seed = chosenSeed(process.env.FC_SEED)
console.log(`FC_SEED=${seed}`)
const client = createTestClient(engine)
const PACE = { idleMs: 20, gatherMs: 20, discoverMs: 200 } as const
const FAST = { idleMs: 20, segments: 1 } as const
const tableNames: string[] = []
afterAll(() => dropTables(client, tableNames))

const opened = (tableName: string, collection: typeof orders, pages: PageStore): Lapidary<{ orders: typeof orders }> =>
  createLapidary({
    ...{ client, tableName, collections: { orders: collection }, cursorSecret: 'a secret of the tests' },
    ...{ derived: { counts: true, pages }, stream: { immediate: true } },
  })

async function indexed({ stream }: Pick<Lapidary<{ orders: typeof orders }>, 'stream'>): Promise<void> {
  await vi.waitFor(async () => {
    const { pending, apart } = await stream.report()
    expect([pending, apart?.pending ?? 0]).toEqual([0, 0])
  }, PATIENCE)
}

const LONG = 'long-'.repeat(20)
const TAGS = ['slow', 'a/b#~', '', LONG] as const
const PATHS = ['a', 'a/b', 'a/b/c', 'ab'] as const
const CUSTOMERS = ['c1', 'c/2 #'] as const
const AMOUNTS = [-1e15, -1.5, 0, 1e-7, 0.3, 9, 10, 1e15 + 0.5] as const
const dayOf = (day: number): string => new Date(Date.UTC(2026, 0, 1 + day)).toISOString()
const order = (i: number): Order => ({
  ...{ id: i % 9 === 0 ? `${LONG}${i}` : `o${i}`, customer: CUSTOMERS[i % 3 === 0 ? 1 : 0] },
  ...{ placedAt: dayOf((i * 7) % 11), status: i % 4 === 0 ? 'SENT' : 'OPEN', amount: AMOUNTS[(i * 5) % 8] ?? 0 },
  ...(i % 2 === 0 ? { dueAt: dayOf(i % 7) } : {}),
  tags: TAGS.filter((_, j) => (i >> j) % 2 === 1),
  ...(i % 5 === 0 ? {} : { path: PATHS[i % 4] ?? 'a' }),
})

describe.each([segments(), memoryStore()])('further page indexes in $name', (store) => {
  const tableName = uniqueTableName()
  tableNames.push(tableName)
  const lapidary = opened(tableName, orders, store)
  const oracle = createOracle(orders)
  const [byAmount] = lapidary.orders.context.pages.filter(({ label }) => label === "{ order: 'amount' }")

  beforeAll(async () => {
    await lapidary.table.create()
    await using _poller = await lapidary.stream.start(PACE)
    for (let i = 0; i < 70; i++) oracle.put(await lapidary.orders.create(order(i)))
    for (const [i, { id }] of oracle.matching({}).entries()) {
      if (i % 7 === 0) {
        await lapidary.orders.delete(id)
        oracle.delete(id)
      } else if (i % 3 === 0) {
        const edit = { amount: AMOUNTS[i % 8] ?? 0, dueAt: null, tags: TAGS.slice(i % 4), path: PATHS[i % 3] ?? 'a' }
        oracle.put(await lapidary.orders.patch(id, edit))
      }
    }
    await indexed(lapidary)
  })

  const query = fc
    .record({
      pages: fc.constantFrom({}, ...EVERY),
      customer: fc.constantFrom(...CUSTOMERS, 'none', CUSTOMERS, [...CUSTOMERS, 'none', 'c1']),
      tag: fc.constantFrom<string | null>(...TAGS, null, 'none'),
      path: fc.constantFrom<string | null>(...PATHS, 'b', null),
      status: fc.constantFrom({}, { status: 'SENT' }, { status: ['OPEN'] }),
      ends: fc.tuple(fc.nat({ max: 12 }), fc.nat({ max: 12 })),
      isRange: fc.boolean(),
      order: fc.constantFrom('newest', 'oldest'),
      limit: fc.constantFrom(1, 4, 20),
    })
    .map(({ pages, customer, tag, path, status, ends: [from, to], isRange, ...rest }) => {
      const bound = (n: number): unknown => (pages.order === 'amount' ? AMOUNTS[n] : dayOf(n))
      const facet = pages.facet === undefined ? {} : { [pages.facet]: pages.facet === 'tags' ? tag : path }
      return {
        ...{ ...rest, where: { ...status, ...facet } },
        ...(pages.order === undefined ? {} : { by: pages.order }),
        ...(pages.across === true ? {} : { scope: customer }),
        ...(isRange ? { from: bound(from), to: bound(to) } : {}),
      }
    })

  test('have each page of each order, of one value of many, and of all scopes, as the oracle has it', async () => {
    await fc.assert(
      fc.asyncProperty(query, fc.integer({ min: 2, max: 14 }), async (asked, number) => {
        const expected = oracle.matching(asked as never)
        const first = (number - 1) * asked.limit
        const { items, page, plan, cursors } = await lapidary.orders.page(number, asked as never)
        expect(items).toEqual(expected.slice(first, first + asked.limit))
        if (plan.pageIndex !== null) expect(page.total).toBe(expected.length)
        expect(cursors.next === null).toBe(first + asked.limit >= expected.length)
      }),
      { seed, numRuns: 80 },
    )
  })

  test('find a place in two rounds, and in the table for a branch and a leaf', async () => {
    for (const index of lapidary.orders.context.pages) {
      const { order: by, facet, across } = index.declared
      const asked = {
        ...(across === true ? {} : { scope: 'c1' }),
        ...(by === undefined ? {} : { by }),
        ...(facet === undefined ? {} : { where: { [facet]: facet === 'tags' ? 'slow' : 'a' } }),
      }
      const { position, rcu, rounds } = await index.find(parseQuery(orders as never, asked), 2)
      expect(position).toBeDefined()
      expect(rounds).toBe(store.apart === true ? 0 : 2)
      expect(store.apart === true || rcu === 1 || rcu === 2, `${index.label}: ${rcu} RCU`).toBe(true)
    }
  })

  test('are told of by the first page, where counts have no total', async () => {
    const due = oracle.matching({ scope: 'c1', by: 'due' } as never).length
    // A page does not wait long for its total.
    await vi.waitFor(async () => {
      expect((await lapidary.orders.page(1, { scope: 'c1', by: 'due', limit: 2 })).page.total).toBe(due)
      expect((await lapidary.orders.page(1, { limit: 2 })).page.total).toBe(oracle.matching({}).length)
    }, PATIENCE)
  })

  test('are verified and mended each by itself', async () => {
    expect(await lapidary.derived.verify(FAST)).toMatchObject({ differences: [], notVerified: [] })
    const { collection, codec } = lapidary.orders.context
    const [item] = oracle.matching({ scope: 'c1' })
    const image = { ...codec.toEntry(item ?? {}), PK: { S: `${collection.name}#${item?.id}` }, SK: { S: '~' } }
    const [entry = expect.fail('no entry')] = byAmount?.entriesOf(image) ?? []
    const wrong = { ...entry, place: { ...entry.place, score: 17 } }
    const steps = [
      { op: 'remove', ...entry },
      { op: 'add', ...wrong },
    ] as const
    await byAmount?.lists.apply('spoiler', [{ sequenceNumber: '1', steps }])
    const { differences } = await lapidary.derived.verify(FAST)
    expect(differences.map(({ kind, name }) => `${kind} ${name}`).sort()).toEqual([
      "dangling list of { order: 'amount' }",
      "missing list of { order: 'amount' }",
    ])
    expect((await lapidary.derived.repair(FAST)).mended).toBe(2)
    expect((await lapidary.derived.verify(FAST)).differences).toEqual([])
  })
})

describe.each([segments(), memoryStore()])('a page index more, in $name', (store) => {
  test('says that it is not built, is built beside those that are, and never has a page that lacks what another declaration counted', async () => {
    const tableName = uniqueTableName()
    tableNames.push(tableName)
    const before = opened(tableName, declared([{ facet: 'tags' }]), store)
    const after = () => opened(tableName, declared([{ facet: 'tags' }, { order: 'amount' }]), store)
    const byTag = { scope: 'c1', where: { tags: 'slow' }, limit: 2 } as const
    const deep = { scope: 'c1', by: 'amount', limit: 100 } as const
    const create = async (lapidary: typeof before, ids: readonly number[]) => {
      await using _poller = await lapidary.stream.start({ ...PACE, fill: false })
      for (const i of ids) await lapidary.orders.create({ ...order(i), id: `o${i}`, customer: 'c1', tags: ['slow'] })
      await indexed(lapidary)
    }
    await before.table.create()
    await create(before, [1, 2, 3])

    const notBuilt = {
      code: 'unavailable',
      message: expect.stringContaining(
        "the page index { order: 'amount' } of ORDER is not built yet; run lapidary rebuild page-index --missing",
      ),
    }
    await create(after(), [4])
    await expect(after().orders.page(50, deep)).rejects.toMatchObject(notBuilt)
    expect((await after().orders.page(2, byTag)).page.total).toBe(4)
    const notVerified = { collection: 'ORDER', label: "{ order: 'amount' }", store: store.name, reason: 'absent' }
    expect(await after().derived.verify(FAST)).toMatchObject({ differences: [], notVerified: [notVerified] })
    expect(await after().derived.rebuildPages({ ...FAST, missing: true })).toMatchObject({ items: 4 })
    expect(await after().derived.rebuildPages({ ...FAST, missing: true })).toMatchObject({ items: 0 })
    expect((await after().orders.page(50, deep)).page.total).toBe(4)

    // Back to the declaration of before, and forth again.
    await create(before, [5])
    if (store.apart === true) {
      await using _poller = await after().stream.start(PACE)
      await indexed(after())
    }
    // In the table, every process keeps what the register names.
    expect((await after().orders.page(50, deep)).page.total).toBe(5)
    expect((await after().orders.page(2, byTag)).page.total).toBe(5)
    expect((await after().derived.verify(FAST)).differences).toEqual([])
  })
})

test.each([
  [{ scope: ['c1', 'c2'], where: { tags: ['slow', 'new'] } }, 'tags: names several values'],
  [{ scope: 'c1', where: { tags: ['slow', 'new'] } }, 'tags: names several values'],
  [{ scope: 'c1', where: { tags: 'slow', path: 'a' } }, 'tags: narrows beside path, and pages'],
  [
    { scope: 'c1', by: 'due', where: { tags: 'slow' } },
    "by: has no numbered pages: declare ORDER with pages: [{ order: 'due', facet: 'tags' }]",
  ],
  [{ by: 'amount' }, "by: has no numbered pages: declare ORDER with pages: [{ order: 'amount', across: true }]"],
])('a page of %j is refused, and says why', async (query, message) => {
  const { orders: client } = opened('none', orders, segments())
  const refused = { code: 'unprocessable', message: expect.stringContaining(message) }
  await expect(client.page(2, query as never)).rejects.toMatchObject(refused)
})

test.each([
  [[{ order: 'nope' }], 'pages has the order "nope"; the orders are newest, amount, due'],
  [[{ order: 'newest' }], "pages has { order: 'newest' }, which every collection has"],
  [[{}], 'which every collection has; leave it out'],
  [[{ facet: 'status' }], 'pages has the facet "status", of which an item has one value'],
  [[{ order: 'due', across: true }], 'no index of that order is across all scopes'],
  [[{ order: 'amount' }, { facet: 'tags' }, { order: 'amount' }], "pages has { order: 'amount' } twice"],
])('pages: %j is refused', (pages, message) => {
  expect(() => declared(pages)).toThrow(message)
})

test('a store for lists that only grow refuses an order in which items move, and keeps the others', () => {
  const refused = "page-markers are for lists that grow at their newest end, and ORDER has pages: [{ order: 'amount' }]"
  expect(() => opened('none', orders, pageMarkers())).toThrow(refused)
  expect(opened('none', declared([{ facet: 'tags' }]), pageMarkers()).orders.context.pages).toHaveLength(2)
})
