import { DeleteItemCommand, PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb'
import fc from 'fast-check'
import { anyOf, createLapidary, defineCollection, eachOf, hierarchy, nativeKeys, powerSet, segments } from 'lapidary'
import { importItems } from 'lapidary/transfer'
import { chosenSeed, createOracle, intercepted } from 'lapidary-testing'
import { afterAll, expect, test, vi } from 'vitest'
import { createTestClient, dropTables, testEngines, uniqueTableName } from '../../../test/engines/index.ts'
import { PATIENCE } from '../../../test/engines/patience.ts'
import { schemaOf } from './comments-fixture.ts'

interface Ticket {
  readonly id: string
  readonly tenant: string
  readonly openedAt: string
  readonly tags?: readonly string[] | null
  readonly sizes: readonly ('S' | 'M' | 'L')[]
  readonly category?: string
  readonly status: 'closed' | 'open'
}

const tickets = defineCollection({
  name: 'TICKET',
  schema: schemaOf<Ticket>(),
  id: 'id',
  scope: { name: 'TENANT', attribute: 'tenant' },
  order: 'openedAt',
  facets: {
    tags: eachOf(),
    sizes: eachOf(['S', 'M', 'L']),
    category: hierarchy(),
    status: anyOf(['closed', 'open']),
  },
  indexes: {
    byDate: {},
    byTags: { partition: ['tags'] },
    byStatusAndTags: { partition: ['status', 'tags'] },
    bySizes: { sort: ['sizes'] },
    byCategory: { partition: ['category'] },
    slowByTags: { partition: ['tags'], sort: ['status'], only: { tags: ['slow', 'total'] } },
  },
})

const seed = chosenSeed(process.env.FC_SEED)
console.log(`FC_SEED=${seed}`)

const TAGS = ['slow', 'login', 'total', '%*', '~', '', 'a/b.c']
const made: readonly Ticket[] = fc
  .sample(
    fc.record({
      tags: fc.oneof(fc.array(fc.constantFrom(...TAGS), { maxLength: 4 }), fc.constantFrom(undefined, null)),
      sizes: fc.array(fc.constantFrom('S', 'M', 'L'), { maxLength: 3 }),
      category: fc.constantFrom('a', 'a/b', 'a/b/c', 'ab', undefined),
      status: fc.constantFrom<Ticket['status']>('closed', 'open'),
    }),
    { numRuns: 40, seed },
  )
  .map(({ tags, category, ...rest }, i) => ({
    id: String(i),
    tenant: 't1',
    openedAt: new Date(Date.UTC(2026, 0, 1) + Math.floor(i / 3)).toISOString(),
    ...(tags === undefined ? {} : { tags }),
    ...(category === undefined ? {} : { category }),
    ...rest,
  }))

const [engine] = testEngines()
if (engine === undefined) throw new Error('no engine')
const client = createTestClient(engine)
const tableName = uniqueTableName()
afterAll(() => dropTables(client, [tableName]))

const QUICK = { idleMs: 20 }
const base = { client, tableName, cursorSecret: 'a secret of the tests' }

test('an item is listed by each of its values, once in a page, and counted once in a total', async () => {
  const lapidary = createLapidary({
    ...{ ...base, collections: { tickets }, stream: { immediate: true } },
    derived: { counts: true, pages: segments() },
  })
  await lapidary.table.create()
  await using _poller = await lapidary.stream.start({ idleMs: 20, gatherMs: 50, discoverMs: 200 })
  const oracle = createOracle(tickets)
  for (const ticket of made) oracle.put(ticket)
  await importItems(lapidary.tickets, made)
  const edits: readonly Partial<Ticket>[] = [
    { tags: ['slow', 'new', 'slow'], category: 'a/b' },
    { tags: [] },
    { tags: ['login'], sizes: ['L', 'S'] },
    { status: 'open', sizes: [] },
  ]
  for (const [i, edit] of edits.entries()) {
    oracle.put({ ...(oracle.get(String(i)) as Ticket), ...edit })
    await lapidary.tickets.patch(String(i), edit)
  }
  await lapidary.tickets.delete('5')
  oracle.delete('5')
  const all = oracle.matching({ scope: 't1' })
  const total = (): Promise<number | null> => lapidary.tickets.count({ scope: 't1' }).then((counts) => counts.total)
  await vi.waitUntil(async () => (await total()) === all.length, PATIENCE)
  await vi.waitUntil(async () => (await lapidary.derived.verify(QUICK)).pending === 0, PATIENCE)

  const wheres = [
    {},
    { tags: 'slow' },
    { tags: '%*' },
    { tags: null },
    { tags: ['slow', 'login', '', null] },
    { tags: ['slow', 'total'], status: 'open' },
    { tags: 'slow', sizes: 'L' },
    { tags: ['slow', 'a/b.c'], sizes: ['L', 'M'] },
    { sizes: ['S', 'M', 'L', null] },
    { category: 'a' },
    { category: ['a/b', 'ab'] },
    { category: 'a', tags: 'login', status: 'closed' },
  ] as const
  for (const where of wheres) {
    const expected = oracle.matching({ scope: 't1', where }).map(({ id }) => id)
    const seen: string[] = []
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const { items, cursors } = await lapidary.tickets.list({ scope: 't1', where, limit: 3, cursor })
      seen.push(...items.map(({ id }) => id))
      cursor = cursors.next
    }
    expect(seen, JSON.stringify(where)).toEqual(expected)
  }

  const countOf = (where: object): number => oracle.matching({ scope: 't1', where } as never).length
  // Counts may be a second old.
  await vi.waitFor(async () => {
    for (const where of [{ tags: 'slow' }, { category: 'a' }, { sizes: 'L', status: 'open' }] as const) {
      const { page } = await lapidary.tickets.list({ scope: 't1', where, limit: 1 })
      expect(page.total, JSON.stringify(where)).toBe(countOf(where))
    }
  }, PATIENCE)
  for (const where of [{}, { status: 'open' }, { tags: 'slow' }] as const) {
    const counts = await lapidary.tickets.count({ scope: 't1', where })
    expect(counts.total).toBe(countOf(where))
    const facets = counts.facets ?? expect.fail('not known')
    for (const tag of TAGS) expect(facets.tags?.[tag] ?? 0).toBe(countOf({ ...where, tags: tag }))
    expect(facets.tags?.null).toBe(countOf({ ...where, tags: null }))
    if ('tags' in where) continue
    expect(facets.sizes?.M).toBe(countOf({ ...where, sizes: 'M' }))
    expect(facets.category?.['a/b'] ?? 0).toBe(countOf({ ...where, category: 'a/b' }))
  }
  // Counts do not know the items of two values together, so the total is null.
  const { page, facets } = await lapidary.tickets.list({ scope: 't1', where: { tags: ['slow', 'login'] }, limit: 2 })
  expect(page.total).toBeNull()
  expect(Object.keys(facets ?? {})).toEqual(['tags'])
  expect(facets?.tags?.slow).toBe(countOf({ tags: 'slow' }))
  await expect(lapidary.tickets.count({ scope: 't1', where: { tags: ['slow', 'login'] } })).rejects.toMatchObject({
    code: 'unprocessable',
    message: expect.stringContaining('several values of tags'),
  })
  // @ts-expect-error no page index is by tags
  await expect(lapidary.tickets.page(2, { scope: 't1', where: { tags: 'slow' } })).rejects.toMatchObject({
    code: 'unprocessable',
    message: expect.stringContaining('tags'),
  })
  const open = oracle.matching({ scope: 't1', where: { status: 'open' } }).slice(8, 12)
  await vi.waitFor(async () => {
    const numbered = await lapidary.tickets.page(3, { scope: 't1', where: { status: 'open' }, limit: 4 })
    expect(numbered.items.map(({ id }) => id)).toEqual(open.map(({ id }) => id))
  }, PATIENCE)

  expect(await lapidary.derived.verify(QUICK)).toMatchObject({ differenceCount: 0 })
  const { Items = [] } = await client.send(new ScanCommand({ TableName: tableName }))
  const further = Items.filter(({ SK, auto }) => SK?.S?.startsWith('~/') && auto?.BOOL)
  const [lost] = further
  await client.send(
    new DeleteItemCommand({ TableName: tableName, Key: { PK: lost?.PK ?? {}, SK: lost?.SK ?? {} } as never }),
  )
  await client.send(new PutItemCommand({ TableName: tableName, Item: { ...lost, SK: { S: '~/tags.never' } } as never }))
  const { differences } = await lapidary.derived.verify(QUICK)
  expect(differences.map(({ kind }) => kind).sort()).toEqual(['dangling', 'missing'])
  await lapidary.derived.repair(QUICK)
  expect(await lapidary.derived.verify(QUICK)).toMatchObject({ differenceCount: 0 })

  for (const { id } of all) await lapidary.tickets.delete(id)
  const left = (await client.send(new ScanCommand({ TableName: tableName }))).Items ?? []
  expect(left.filter(({ PK }) => PK?.S?.startsWith('TICKET#'))).toEqual([])
})

test('an edit writes the item, its entries and those that go, since each shows the whole, and a page of several values reads each list once', async () => {
  const plain = defineCollection({
    ...tickets,
    indexes: { byTags: { partition: ['tags'] } },
  } as never) as typeof tickets
  const table = uniqueTableName()
  const own = createTestClient(engine)
  const written: number[] = []
  const counting = intercepted<typeof own>(own, (command, send) => {
    const { TransactItems } = (command as { input: { TransactItems?: readonly unknown[] } }).input
    if (/^(Put|Update|Delete|TransactWrite)Item/.test(command.constructor.name))
      written.push(TransactItems?.length ?? 1)
    return send(command)
  })
  const { table: made, plain: client_ } = createLapidary({
    ...{ ...base, client: counting, tableName: table, collections: { plain } },
  })
  await made.create()
  try {
    const ticket = { tenant: 't', openedAt: '2026-01-01T00:00:00.000Z', sizes: [], status: 'open' } as const
    await Promise.all(
      Array.from({ length: 60 }, (_, i) =>
        client_.create({ ...ticket, id: `${i}`, tags: i % 3 === 0 ? ['a'] : ['a', 'b'] }),
      ),
    )
    for (const [tags, writes] of [
      [['a', 'b', 'c'], 1 + 2],
      [['a', 'c'], 1 + 2],
      [['a', 'c', 'd'], 1 + 2],
      [['c', 'a', 'd'], 1 + 3],
    ] as const) {
      written.length = 0
      await client_.patch('0', { tags })
      expect(written, tags.join()).toEqual([writes])
    }
    // Attributes that a change gives unchanged stay as they are, beside those that it changes.
    expect(await client_.patch('0', { tags: ['c', 'a', 'd'], sizes: ['S'] })).toMatchObject({ tags: ['c', 'a', 'd'] })
    expect(await client_.get('0')).toMatchObject({ tags: ['c', 'a', 'd'], sizes: ['S'] })
    written.length = 0
    await client_.delete('0')
    expect(written).toEqual([3])
    const { items, plan } = await client_.list({ scope: 't', where: { tags: ['a', 'b'] }, limit: 20 })
    expect(new Set(items.map(({ id }) => id)).size).toBe(20)
    expect(plan.actual?.rounds).toBeLessThanOrEqual(2)
    expect(plan.actual?.rcu).toBeLessThanOrEqual(3)
  } finally {
    await dropTables(own, [table])
  }
})

test('what can have no such lists, or too many, is refused by name', async () => {
  const lapidary = createLapidary({ ...base, collections: { tickets } })
  const ticket: Ticket = { id: 'x', tenant: 't1', openedAt: '2026-01-01T00:00:00.000Z', sizes: [], status: 'open' }
  const refused: readonly (readonly [Partial<Record<keyof Ticket, unknown>>, string])[] = [
    [{ tags: 'slow' }, 'must be an array of values'],
    [{ tags: ['slow', 5] }, 'must be a text'],
    [{ tags: ['slow', null] }, 'must not hold null'],
    [{ tags: ['null'] }, 'stands for no value'],
    [{ tags: Array.from({ length: 21 }, (_, i) => `tag ${i}`) }, 'has 21 values; at most 20'],
    [{ category: 'a//b' }, 'without empty parts'],
    [{ category: '/a' }, 'without empty parts'],
    [{ category: Array(21).fill('a').join('/') }, 'has 21 parts'],
  ]
  for (const [attributes, message] of refused) {
    await expect(lapidary.tickets.create({ ...ticket, ...attributes } as Ticket)).rejects.toMatchObject({
      code: 'unprocessable',
      details: { errors: [{ message: expect.stringContaining(message) }] },
    })
  }
  const declared = { ...tickets, indexes: undefined } as never as typeof tickets
  for (const layout of [powerSet(), nativeKeys()])
    expect(() => createLapidary({ ...base, layout, collections: { tickets: declared } })).toThrow(
      /several values of the facet tags.*use the layout indexes\(\)/,
    )
  const withIndex =
    (index: object): (() => unknown) =>
    () =>
      createLapidary({ ...base, collections: { tickets: { ...tickets, indexes: { one: index } } as never } })
  expect(withIndex({ partition: ['tags'], scan: true })).toThrow(/for scans/)
  expect(withIndex({ partition: ['tags', 'sizes'], sort: ['category'] })).toThrow(/at most 2/)
})

test('a sparse index is listed by the values that it has, beside one of all values with the same sort prefix', async () => {
  const sized = defineCollection({
    ...{ name: 'SIZED', schema: schemaOf<Ticket>(), id: 'id', order: 'openedAt' },
    scope: { name: 'TENANT', attribute: 'tenant' },
    facets: { sizes: eachOf(['S', 'M', 'L']) },
    indexes: {
      byDate: {},
      bySizes: { sort: ['sizes'], shards: 2 },
      large: { sort: ['sizes'], only: { sizes: ['M', 'L'] } },
    },
  })
  const lapidary = createLapidary({ ...base, tableName: uniqueTableName(), collections: { sized } })
  await lapidary.table.create()
  const oracle = createOracle(sized)
  const orders = [['S', 'M'], ['M', 'S'], ['S', 'L', 'M'], ['S'], ['L'], []] as const
  for (const [i, sizes] of orders.entries()) {
    const item = {
      id: String(i),
      tenant: 't1',
      openedAt: `2026-01-0${i + 1}T00:00:00.000Z`,
      status: 'open',
      sizes,
    } as const
    await lapidary.sized.create(item)
    oracle.put(item)
  }
  for (const sizes of [['M'], ['L'], ['M', 'L'], ['S'], ['S', 'M']] as const) {
    const query = { scope: 't1', where: { sizes: [...sizes] } }
    const { items } = await lapidary.sized.list(query)
    expect(items).toEqual(oracle.matching(query))
  }
  expect((await lapidary.sized.list({ scope: 't1', where: { sizes: 'L' } })).plan.text).toContain('large')
  const { collections } = await lapidary.table.backfill({ dryRun: true, segments: 1 })
  expect(collections.map(({ written }) => written)).toEqual([0])
  await dropTables(client, [lapidary.sized.context.table.tableName])
})
