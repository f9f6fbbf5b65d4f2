import { type DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb'
import { anyOf, createLapidary, defineCollection, type Lapidary, oneOf, type Poller } from 'lapidary'
import { importItems } from 'lapidary/transfer'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createSdkClient, dropTables, testEngines, uniqueTableName } from '../../../test/engines/index.ts'
import { PATIENCE } from '../../../test/engines/patience.ts'
import { schemaOf } from './comments-fixture.ts'

interface Ticket {
  readonly id: string
  readonly tenant: string
  readonly openedAt: string
  readonly status: 'OPEN' | 'CLOSED'
  readonly label: string
  readonly assignee: string
}

/** More values than one item of counts can hold by far. */
const VALUES = 1_200

const tickets = defineCollection({
  name: 'TICKET',
  schema: schemaOf<Ticket>(),
  id: 'id',
  scope: { name: 'TENANT', attribute: 'tenant' },
  order: 'openedAt',
  facets: {
    status: anyOf(['OPEN', 'CLOSED']),
    label: anyOf(),
    assignee: oneOf('string', { counted: false, frequencies: {} }),
  },
  indexes: { all: {}, byAssignee: { partition: ['assignee'] }, byStatus: { partition: ['status'] } },
  leaderboards: { open: { where: { status: ['OPEN'] } } },
})

const drawn: readonly Ticket[] = Array.from({ length: VALUES + 60 }, (_, i) => ({
  id: String(i).padStart(5, '0'),
  tenant: 'large',
  openedAt: new Date(Date.UTC(2026, 0, 1) + i * 1_000).toISOString(),
  status: i % 3 === 0 ? 'CLOSED' : 'OPEN',
  // The last labels have two tickets or more.
  label: `label ${i < VALUES ? i : VALUES - 1 - (i % 30)}`,
  assignee: `person ${i % 1_000}`,
}))
const small: Ticket = { ...(drawn[0] as Ticket), id: 'small', tenant: 'small' }

let client: DynamoDBClient
let lapidary: Lapidary<{ tickets: typeof tickets }>
let poller: Poller
const tableName = uniqueTableName()

beforeAll(async () => {
  const [engine] = testEngines()
  if (engine === undefined) throw new Error('no engine')
  client = createSdkClient(engine)
  const options = { client, tableName, collections: { tickets }, cursorSecret: 'a secret of the tests' }
  lapidary = createLapidary({ ...options, derived: { counts: true }, stream: { immediate: true } })
  await lapidary.table.create()
  poller = await lapidary.stream.start({ idleMs: 20, gatherMs: 50, discoverMs: 200 })
  await importItems(lapidary.tickets, [...drawn, small])
  await vi.waitUntil(async () => (await lapidary.tickets.count({ scope: 'small' })).total === 1, PATIENCE)
  await vi.waitUntil(async () => (await lapidary.tickets.count({ scope: 'large' })).total === drawn.length, PATIENCE)
})
afterAll(async () => {
  await poller.close()
  await dropTables(client, [tableName])
})

const newest = (held: readonly Ticket[]): readonly string[] => held.map(({ id }) => id).reverse()

describe('a facet that is not counted', () => {
  test('filters as any other, without a total', async () => {
    const page = await lapidary.tickets.list({ scope: 'large', where: { assignee: 'person 7', status: 'OPEN' } })
    const expected = drawn.filter(({ assignee, status }) => assignee === 'person 7' && status === 'OPEN')
    expect(page.items.map(({ id }) => id)).toEqual(newest(expected))
    // A page that has all of it still knows.
    expect(page.page.total).toBe(expected.length)
    expect(page.facets).toBeNull()
    const one = await lapidary.tickets.list({ scope: 'large', where: { assignee: 'person 7' }, limit: 1 })
    expect([one.page.total, one.facets]).toEqual([null, null])
    expect(one.plan.text).toMatch(/^byAssignee/)
  })

  test('is in no count, and takes no room in them', async () => {
    const page = await lapidary.tickets.list({ scope: 'large', where: { status: 'OPEN' } })
    expect(Object.keys(page.facets ?? {})).toEqual(['status', 'label'])
    await expect(lapidary.tickets.count({ scope: 'large', where: { assignee: 'person 7' } })).rejects.toMatchObject({
      code: 'unprocessable',
      message: expect.stringContaining('assignee'),
    })
    const texts: string[] = []
    for await (const { Items } of paginateScan({ client }, { TableName: tableName }))
      texts.push(...(Items ?? []).filter(({ PK }) => PK?.S?.startsWith('~')).map((entry) => JSON.stringify(entry)))
    expect(texts.some((text) => text.includes('label%2012'))).toBe(true)
    expect(texts.filter((text) => text.includes('person%207') || text.includes('person 7'))).toEqual([])
  })
})

describe('an open facet of thousands of values', () => {
  test('is counted exactly, each value in an item of its own', async () => {
    const { facets, total } = await lapidary.tickets.count({
      scope: 'large',
      where: { label: ['label 3', 'label 1190'] },
    })
    const labelled = drawn.filter(({ label }) => label === 'label 3' || label === 'label 1190')
    expect(total).toBe(labelled.length)
    expect(facets?.status).toEqual({
      OPEN: labelled.filter(({ status }) => status === 'OPEN').length,
      CLOSED: labelled.filter(({ status }) => status === 'CLOSED').length,
    })
    for await (const { Items } of paginateScan({ client }, { TableName: tableName }))
      for (const entry of Items ?? []) expect(JSON.stringify(entry).length).toBeLessThan(4_096)
    expect(await lapidary.stream.report()).toMatchObject({ deadLetters: 0 })
    expect((await lapidary.derived.verify()).differenceCount).toBe(0)
  })

  test('shows its most frequent values, and those that are selected', async () => {
    const { facets } = await lapidary.tickets.list({ scope: 'large', where: { label: ['label 3'] } })
    const labels = facets?.label ?? {}
    expect(Object.keys(labels)).toHaveLength(101)
    expect(labels['label 3']).toBe(1)
    const often = Array.from({ length: 30 }, (_, i) => `label ${VALUES - 1 - i}`)
    for (const label of often) expect(labels[label]).toBe(drawn.filter((ticket) => ticket.label === label).length)
  })

  test('costs a page that asks for no counts nothing, and another tenant nothing', async () => {
    const query = { scope: 'large', where: { status: 'OPEN' } } as const
    // Another process: what this one has read does not help it.
    const options = { client, tableName, collections: { tickets }, cursorSecret: 'a secret of the tests' }
    const { tickets: fresh } = createLapidary({ ...options, derived: { counts: true } })
    const without = await fresh.list({ ...query, counts: false })
    expect(without.plan.statisticsRcu).toBeNull()
    expect([without.page.total, without.facets]).toEqual([null, null])
    const counted = await fresh.list(query)
    expect(without.items).toEqual(counted.items)
    expect(counted.plan.statisticsRcu).toBeGreaterThan(10)
    const other = await fresh.list({ scope: 'small' })
    expect(other.plan.statisticsRcu).toBe(0.5)
  })
})

test('counts by other facets than the declared ones let no list pass for empty', async () => {
  const collection = (counted: boolean) =>
    ({
      ...tickets,
      leaderboards: {},
      facets: { status: tickets.facets.status, assignee: oneOf('string', { counted }) },
    }) as never
  const open = (counted: boolean, name: string) =>
    createLapidary({
      ...{ client, tableName: name, collections: { tickets: defineCollection(collection(counted)) } },
      cursorSecret: 'a secret of the tests',
      ...{ derived: { counts: true }, stream: { immediate: true } },
    }) as unknown as Lapidary<{ tickets: typeof tickets }>
  const name = uniqueTableName()
  const before = open(false, name)
  await before.table.create()
  const first = await before.stream.start({ idleMs: 20, gatherMs: 50, discoverMs: 200 })
  await before.tickets.create(small)
  await vi.waitUntil(async () => (await before.tickets.count({ scope: 'small' })).total === 1, PATIENCE)
  await first.close()
  const after = open(true, name)
  await using poller = await after.stream.start({ idleMs: 20, gatherMs: 50, discoverMs: 200 })
  const now = Date.now()
  await vi.waitUntil(() => (poller.status().caughtUpAt ?? 0) > now, PATIENCE)
  for (const where of [{}, { assignee: small.assignee }])
    expect((await after.tickets.list({ scope: 'small', where })).items).toHaveLength(1)
  await dropTables(client, [name])
})
