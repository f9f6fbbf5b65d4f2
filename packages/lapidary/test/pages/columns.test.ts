import { GetItemCommand } from '@aws-sdk/client-dynamodb'
import {
  anyOf,
  createLapidary,
  defineCollection,
  eachOf,
  type Lapidary,
  type ListEntry,
  oneOf,
  type QueryInput,
} from 'lapidary'
import { importItems } from 'lapidary/transfer'
import { createOracle, type Oracle, seededRandom } from 'lapidary-testing'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createTestClient, dropTables, testEngines, uniqueTableName } from '../../../../test/engines/index.ts'
import { PATIENCE } from '../../../../test/engines/patience.ts'
import { addedDecimals, plainDecimal } from '../../src/model/decimal.ts'
import { schemaOf } from '../comments-fixture.ts'

type Ticket = {
  readonly id: string
  readonly team: string
  readonly openedAt: string
  readonly status: 'CLOSED' | 'OPEN' | 'SOLVED' | 'WAITING'
  readonly priority: 1 | 2 | 3 | 4 | 5
  readonly channel: string
  readonly country?: string | null
  readonly minutes: number
  readonly tags: readonly string[]
  readonly cost?: string
  readonly hours?: number
}

const tickets = defineCollection({
  name: 'TICKET',
  schema: schemaOf<Ticket>(),
  id: 'id',
  scope: { name: 'TEAM', attribute: 'team' },
  order: 'openedAt',
  facets: {
    status: anyOf(['CLOSED', 'OPEN', 'SOLVED', 'WAITING']),
    priority: anyOf([1, 2, 3, 4, 5], { counted: false }),
    channel: anyOf('string', { counted: false }),
    country: anyOf('string', { counted: false, optional: true }),
    minutes: anyOf('number', { counted: false }),
    tags: eachOf('string', { counted: false }),
    // The same attribute as one that is added up.
    effort: anyOf('number', { path: 'hours', counted: false, optional: true }),
    isLong: oneOf('boolean', { of: ({ hours = 0 }: Ticket) => hours > 4, counted: false }),
  },
  indexes: { all: {} },
  numbers: { cost: 'decimal' },
  sums: ['cost', 'hours'],
})

const [engine] = testEngines()
const SEED = Number(process.env.FC_SEED)
const random = seededRandom(SEED)
const ITEMS = 5_000
let lapidary: Lapidary<{ readonly tickets: typeof tickets }>
let oracle: Oracle<Ticket>
const client = createTestClient(engine ?? never())
const tableName = uniqueTableName()

function never(): never {
  throw new Error('no engine')
}

function pick<T>(values: readonly T[]): T {
  return values[Math.floor(random() * values.length)] as T
}

const COUNTRIES = ['AT', 'CH', 'DE', 'FR', 'Côte d’Ivoire', 'a/b#c', null, undefined]
const TAGS = ['slow', 'login', 'a,b', 'x/y', '%~', 'billing']

function drawn(i: number): Ticket {
  const country = pick(COUNTRIES)
  return {
    // Of the longest a position has a hash.
    id: i % 50 === 0 ? `${'long-'.repeat(20)}${i}` : `t${i}`,
    team: i % 20 === 0 ? 'small' : 'large',
    // Many share a time.
    openedAt: new Date(Date.UTC(2026, 0, 1) + Math.floor(i / 7) * 60_000).toISOString(),
    status: pick(['OPEN', 'OPEN', 'WAITING', 'SOLVED', 'CLOSED'] as const),
    priority: pick([1, 2, 3, 3, 3, 4, 5] as const),
    channel: pick(['mail', 'web', 'phone', 'chat', '']),
    ...(country === undefined ? {} : { country }),
    minutes: Math.floor(random() ** 3 * 10_000) / 4,
    ...(i % 3 === 0 ? {} : { cost: pick(['0.1', '0.2', '1e-10', '100000000000000000000.5', '-3.333']) }),
    ...(i % 4 === 0 ? {} : { hours: pick([0.5, 1, 2.25, 8]) }),
    tags: [...new Set([pick(TAGS), pick(TAGS)])].slice(Math.floor(random() * 3)),
  }
}

function plain(amount: string | undefined): string | null {
  return amount === undefined ? null : plainDecimal(amount)
}

function drawnWhere(): NonNullable<QueryInput['where']> {
  const from = Math.floor(random() * 300)
  const all: readonly [string, unknown][] = [
    ['status', pick([['OPEN'], ['OPEN', 'WAITING'], ['CLOSED', 'SOLVED', 'WAITING']])],
    ['priority', pick([[3], [1, 2], { from: 2, to: 4 }])],
    ['channel', pick([['web'], ['', 'mail'], ['fax']])],
    ['country', pick([['DE'], [null], ['a/b#c', 'AT', null]])],
    ['minutes', pick([{ from, to: from + 500 }, { to: 30 }, { from: 2_000 }])],
    ['effort', pick([[1], [0.5, 8], [null], { from: 1, to: 8 }])],
    ['isLong', pick([[true], [false]])],
    ['tags', pick([['slow'], ['x/y', '%~'], [null]])],
  ]
  const chosen = all.filter(() => random() < 0.6)
  const where = Object.fromEntries(chosen.length === 0 ? [pick(all)] : chosen)
  const either = [pick(all), pick(all)].map(([name, wanted]) => ({ [name]: wanted }))
  const [name, wanted] = pick(all)
  return {
    ...where,
    ...(random() < 0.3 ? { OR: either } : {}),
    ...(random() < 0.3 ? { NOT: { [name]: wanted } } : {}),
    ...(random() < 0.2 ? { channel: { startsWith: pick(['m', 'we', '']) } } : {}),
  } as NonNullable<QueryInput['where']>
}

beforeAll(async () => {
  lapidary = createLapidary({
    ...{ client, tableName, collections: { tickets }, cursorSecret: 'a secret of the tests' },
    ...{ derived: { counts: true, columns: true }, stream: { immediate: true } },
  })
  oracle = createOracle(tickets)
  await lapidary.table.create({ pages: 'later' })
  const { plan } = await lapidary.tickets.list({ scope: 'large', where: { status: ['OPEN'] } })
  expect(plan.rejected).toContainEqual({
    ...{ text: 'COLUMNS', rcu: null, rounds: null },
    reason: 'are not built; run lapidary rebuild columns',
  })
  const items = Array.from({ length: ITEMS }, (_, i) => drawn(i))
  await importItems(lapidary.tickets, items, {})
  for (const item of items) oracle.put(item)
  await lapidary.derived.rebuild('all', { idleMs: 1, poll: false })
}, PATIENCE.timeout)
afterAll(() => dropTables(client, [tableName]))

/** Goes through a list page by page, there and back, and says how often columns were used. */
async function walk(query: QueryInput, most: number): Promise<number> {
  const expected = oracle.matching(query).map(({ id }) => id)
  const seen: string[] = []
  let byColumns = 0
  let cursor: string | null | undefined
  let previous: string | null = null
  for (let pages = 0; pages < most && cursor !== null; pages++) {
    const page = await lapidary.tickets.list({ ...query, cursor } as never)
    const ids = page.items.map(({ id }) => id)
    expect(ids, JSON.stringify({ SEED, query, text: page.plan.text, items: page.items.slice(0, 2) })).toEqual(
      expected.slice(seen.length, seen.length + (query.limit ?? 20)),
    )
    byColumns += Number(page.plan.text.startsWith('COLUMNS'))
    seen.push(...ids)
    previous = page.cursors.previous
    cursor = page.cursors.next
    expect(cursor === null, JSON.stringify({ SEED, query })).toBe(seen.length === expected.length)
  }
  if (previous !== null && seen.length > 0) {
    const size = query.limit ?? 20
    const back = await lapidary.tickets.list({ ...query, cursor: previous } as never)
    const end = seen.length - (seen.length % size || size)
    expect(back.items.map(({ id }) => id)).toEqual(expected.slice(Math.max(0, end - size), end))
  }
  return byColumns
}

test('columns answer as a filter in memory does, page by page', { timeout: PATIENCE.timeout }, async () => {
  console.log(`columns: FC_SEED=${SEED}`)
  let byColumns = 0
  for (let i = 0; i < 40; i++) {
    const order = pick(['newest', 'oldest'] as const)
    byColumns += await walk({ scope: pick(['large', 'small']), where: drawnWhere(), order, limit: pick([1, 5, 20]) }, 4)
  }
  expect(byColumns).toBeGreaterThan(5)
})

test('counts of any condition and of each value beside it, and sums, are exact', {
  timeout: PATIENCE.timeout,
}, async () => {
  for (let i = 0; i < 25; i++) {
    const where = drawnWhere()
    const query = {
      scope: pick(['large', 'small']),
      where,
      ...(i % 3 === 0 ? { from: '2026-01-01T03:00:00.000Z' } : {}),
    }
    // A part that asks about one facet alone may be a choice of it.
    const refused = [where.NOT ?? {}, ...((where.OR as object[]) ?? [])].flatMap(Object.keys)
    const by = [
      pick(['status', 'priority', 'country', 'tags', 'minutes'].filter((each) => !refused.includes(each))),
    ] as const
    const counted = await lapidary.tickets.count({ ...query, by, sums: ['cost'] } as never)
    const items = oracle.matching(query as never)
    const told = JSON.stringify({ SEED, query, by })
    expect(counted.total, told).toBe(items.length)
    const { [by[0]]: _, ...others } = where as Record<string, unknown>
    const beside = new Map<string, number>()
    for (const item of oracle.matching({ ...query, where: others } as never)) {
      const own = (item as Record<string, unknown>)[by[0]] ?? null
      const values = Array.isArray(own) ? (own.length === 0 ? [null] : own) : [own]
      for (const value of values) beside.set(String(value), (beside.get(String(value)) ?? 0) + 1)
    }
    expect(counted.facets?.[by[0] as never], told).toEqual(Object.fromEntries(beside))
    const costs = items.flatMap(({ cost }) => (cost === undefined ? [] : [cost]))
    const byValue = costs.toSorted((a, b) => Number(a) - Number(b))
    expect(counted.sums).toMatchObject({
      cost: {
        ...{ count: costs.length, sum: costs.reduce(addedDecimals, '0') },
        ...{ minimum: plain(byValue[0]), maximum: plain(byValue.at(-1)) },
      },
    })
  }
})

test('they follow what is written, and an item that left is replaced by the next', {
  timeout: PATIENCE.timeout,
}, async () => {
  await using _poller = await lapidary.stream.start({ idleMs: 20, gatherMs: 30 })
  for (let i = 0; i < 200; i++) {
    const { id } = pick(oracle.matching({ scope: 'large' })) as Ticket
    const chance = random()
    if (chance < 0.3) {
      await lapidary.tickets.delete(id)
      oracle.delete(id)
    } else if (chance < 0.7) oracle.put(await lapidary.tickets.patch(id, { status: pick(['OPEN', 'CLOSED'] as const) }))
    else oracle.put(await lapidary.tickets.create(drawn(ITEMS + i)))
    if (i % 20 === 0) {
      // The newest items are not counted yet: of what is shown nothing is wrong, though new ones may lack.
      const query = {
        scope: 'large',
        where: { status: ['OPEN'], channel: ['web'], priority: [3, 4] },
        limit: 10,
      } as const
      const { items } = await lapidary.tickets.list(query)
      const allowed = new Set(oracle.matching(query).map((each) => each.id))
      expect(items.filter((each) => !allowed.has(each.id))).toEqual([])
    }
  }
  await vi.waitFor(async () => {
    for (let i = 0; i < 10; i++) await walk({ scope: 'large', where: drawnWhere(), limit: 20 }, 2)
  }, PATIENCE)
})

test('an item that is found in two places while it moves is read once', async () => {
  const index = lapidary.tickets.context.columns?.index ?? never()
  const find = index.find.bind(index)
  vi.spyOn(index, 'find').mockImplementation(async (...asked) => {
    const { items, ...told } = await find(...asked)
    const former = items.map(({ position, id }) => ({
      id,
      position: { ...position, order: '2027-01-01T00:00:00.000Z' },
    }))
    return { ...told, items: items.flatMap((each, i) => [former[i] ?? never(), each]) }
  })
  try {
    const query = { scope: 'large', where: { country: ['AT'], channel: ['web'], priority: [1] }, limit: 100 } as const
    const { items, plan } = await lapidary.tickets.list(query)
    expect(plan.text).toMatch(/^COLUMNS/)
    expect(items.map(({ id }) => id)).toEqual(oracle.matching(query).map(({ id }) => id))
  } finally {
    vi.restoreAllMocks()
  }
})

test('verify compares each row with its item, and repair mends what differs', {
  timeout: PATIENCE.timeout,
}, async () => {
  const verified = async (): Promise<readonly [string, string][]> => {
    const { differences, notVerified } = await lapidary.derived.verify({ idleMs: 1 })
    expect(notVerified).toEqual([])
    return differences.map(({ projection, kind }) => [projection, kind])
  }
  expect(await verified()).toEqual([])
  const lists = lapidary.tickets.context.columns?.index.lists
  const [lost, wrong] = ['large', 'small'].map((scope) => pick(oracle.matching({ scope }))) as [Ticket, Ticket]
  const entryOf = async ({ id }: Ticket): Promise<ListEntry> => {
    const { Item } = await client.send(
      new GetItemCommand({ TableName: tableName, Key: { PK: { S: `TICKET#${id}` }, SK: { S: '~' } } }),
    )
    return lapidary.tickets.context.columns?.index.entriesOf(Item ?? {})[0] ?? never()
  }
  const [gone, other] = [await entryOf(lost), await entryOf(wrong)]
  const place = { ...gone.place, member: `${gone.place.member}x` }
  await lists?.apply('spoilt', [
    { sequenceNumber: '1', steps: [{ op: 'remove', ...gone }] },
    { sequenceNumber: '2', steps: [{ op: 'add', ...other, cell: other.cell.replace(/^[^#]*/, 'fax') }] },
    { sequenceNumber: '3', steps: [{ op: 'add', ...gone, place }] },
  ])
  expect((await verified()).toSorted()).toEqual([
    ['columns', 'dangling'],
    ['columns', 'missing'],
    ['columns', 'wrong'],
  ])
  expect(await lapidary.derived.repair({ idleMs: 1, poll: false })).toMatchObject({ mended: 3 })
  expect(await verified()).toEqual([])
  for (const group of ['large', 'small']) await lists?.validate(group)
})

test('pages have numbers by columns, of any condition', { timeout: PATIENCE.timeout }, async () => {
  for (let i = 0; i < 15; i++) {
    const order = pick(['newest', 'oldest'] as const)
    const query = { scope: 'large', where: drawnWhere(), order, limit: pick([1, 7, 20]) }
    const expected = oracle.matching(query as never)
    const number = 2 + Math.floor(random() * (1 + expected.length / query.limit))
    const { items, page, plan } = await lapidary.tickets.page(number, query as never)
    const from = (number - 1) * query.limit
    const told = JSON.stringify({ SEED, query, number, text: plan.text })
    expect(
      items.map(({ id }) => id),
      told,
    ).toEqual(expected.slice(from, from + query.limit).map(({ id }) => id))
    if (items.length > 0) expect(page.total ?? expected.length, told).toBe(expected.length)
  }
})

test('a fresh page and one with a low cap leave columns out', async () => {
  const query = {
    scope: 'large',
    where: { status: ['OPEN'], channel: ['web'], priority: [3], tags: ['slow'] },
  } as const
  expect((await lapidary.tickets.list(query)).plan.text).toMatch(/^COLUMNS\[large\] /)
  expect((await lapidary.tickets.list({ ...query, fresh: true })).plan.text).toMatch(/^all\[large\] /)
  const capped = await lapidary.tickets.list({ ...query, maxCapacity: 8 })
  expect(capped.plan.text).toMatch(/^all\[large\] /)
  expect(capped.plan.rejected.some(({ text }) => text.startsWith('COLUMNS[large]'))).toBe(true)
  expect(capped.plan.actual?.rcu).toBeLessThanOrEqual(9)
  const wide = await lapidary.tickets.list({ ...query, maxCapacity: 100 })
  expect(wide.plan.text).toMatch(/^COLUMNS/)
  expect(wide.plan.actual?.rcu).toBeLessThanOrEqual(100)
  const expected = oracle.matching(query).slice(0, 20)
  expect(wide.items.map(({ id }) => id)).toEqual(expected.map(({ id }) => id))
})
