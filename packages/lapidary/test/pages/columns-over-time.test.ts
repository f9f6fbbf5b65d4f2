import { anyOf, createLapidary, defineCollection, type QueryInput } from 'lapidary'
import { seededRandom } from 'lapidary-testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestClient, dropTables, testEngines, uniqueTableName } from '../../../../test/engines/index.ts'
import { PATIENCE } from '../../../../test/engines/patience.ts'
import { addedDecimals } from '../../src/model/decimal.ts'
import { schemaOf } from '../comments-fixture.ts'

interface Order {
  readonly id: string
  readonly customer: string
  readonly placedAt: string
  readonly channel: string
  readonly amount?: string
}

const orders = defineCollection({
  name: 'ORDER',
  schema: schemaOf<Order>(),
  id: 'id',
  scope: { name: 'CUSTOMER', attribute: 'customer' },
  order: 'placedAt',
  facets: { channel: anyOf('string', { counted: false }) },
  indexes: { all: {} },
  numbers: { amount: 'decimal' },
  sums: ['amount'],
})

const [engine] = testEngines()
if (engine === undefined) throw new Error('there is no engine')
const seed = Number(process.env.FC_SEED)
const random = seededRandom(seed)
const client = createTestClient(engine)
const tableName = uniqueTableName()
const lapidary = createLapidary({
  ...{ client, tableName, collections: { orders }, cursorSecret: 'a secret of the tests' },
  ...{ derived: { counts: true, columns: true }, stream: { immediate: true } },
})
const items = new Map<string, Order>()
const CUSTOMERS = ['c1', 'c2', 'none']
const CHANNELS = ['web', 'shop', 'phone']
/** Both days in which Berlin's clocks change are among them. */
const FIRST = Date.UTC(2026, 1, 20)
const DAYS = 270
const DAY_MS = 86_400_000

function pick<T>(values: readonly T[]): T {
  return values[Math.floor(random() * values.length)] as T
}

function drawn(i: number): Order {
  // Many at the ends of a day, here and there.
  const hour = pick([0, 1, 2, 4, 5, 12, 21, 22, 23, random() * 24])
  const at = FIRST + Math.floor(random() * DAYS) * DAY_MS + hour * 3_600_000 - pick([0, 0, 1, 1_000])
  return {
    ...{ id: `o${i}`, customer: pick(CUSTOMERS.slice(0, 2)), placedAt: new Date(at).toISOString() },
    channel: pick(CHANNELS),
    ...(random() < 0.2 ? {} : { amount: pick(['0.1', '0.2', '1000000000000000000000.5', '-3']) }),
  }
}

async function put(order: Order): Promise<void> {
  await lapidary.orders.create(order)
  items.set(order.id, order)
}

beforeAll(async () => {
  await lapidary.table.create()
  for (let i = 0; i < 700; i += 50) await Promise.all(Array.from({ length: 50 }, (_, j) => put(drawn(i + j))))
  await lapidary.stream.catchUp()
  await lapidary.derived.rebuild('columns', { idleMs: 1, poll: false })
}, PATIENCE.timeout)
afterAll(() => dropTables(client, [tableName]))

const formats = new Map<string, Intl.DateTimeFormat>()

/** The day of a zone, in another way than the library has it. */
function dayIn(timeZone: string, time: string): string {
  const format = formats.get(timeZone) ?? new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' })
  formats.set(timeZone, format)
  return format.format(new Date(time))
}

function spanOf(every: string, day: string): string {
  if (every === 'month') return `${day.slice(0, 7)}-01`
  if (every === 'day') return day
  const date = new Date(`${day}T00:00:00.000Z`)
  return new Date(date.getTime() - ((date.getUTCDay() + 6) % 7) * DAY_MS).toISOString().slice(0, 10)
}

async function requireSeries(): Promise<void> {
  const { scope, where } = pick<QueryInput>([
    { scope: 'c1', where: { channel: 'web' } },
    { scope: 'c1', where: { NOT: { channel: ['shop', 'phone'] } } },
    { scope: ['c1', 'c2', 'none'], where: { channel: ['shop', 'web'] } },
    { scope: 'c2', where: { channel: 'fax' } },
    { scope: 'none', where: { channel: 'web' } },
    { scope: 'c2', where: {} },
  ])
  const every = pick(['day', 'week', 'month'] as const)
  const zone = pick([undefined, 'Europe/Berlin', 'America/New_York', 'Pacific/Apia', 'Asia/Kathmandu'])
  const from = pick([undefined, '2026-03-29', '2026-02-01'])
  const to = pick([undefined, '2026-06-03', '2027-01-05'])
  const asked = JSON.stringify({ scope, where, every, zone, from, to, seed })
  const dayOf = new Map([...items.values()].map((order) => [order, dayIn(zone ?? 'UTC', order.placedAt)]))
  const day = (order: Order): string => dayOf.get(order) ?? ''
  const isIn = (order: Order): boolean =>
    [scope].flat().includes(order.customer) && day(order) >= (from ?? '0') && day(order) < (to ?? '9')
  const all = [...items.values()].filter(isIn)
  const wanted = new Set([where?.channel ?? CHANNELS].flat())
  const matching = all.filter(({ channel }) => (where && 'NOT' in where ? channel === 'web' : wanted.has(channel)))
  const counted = await lapidary.orders.count({ scope, where, every, zone, from, to, sums: ['amount'] } as never)
  expect(counted.total, asked).toBe(matching.length)
  const series = counted.series ?? []
  const days = all.map(day).toSorted()
  const [first, last] = [from ?? days[0], to ?? days.at(-1)]
  const starts = new Set(series.map((part) => spanOf(every, part.from)))
  // Each part once, in order, from the first to the last.
  expect(series.map((part) => part.from)).toEqual(series.map((part) => part.from).toSorted())
  expect(starts.size, asked).toBe(series.length)
  if (first === undefined || (to === undefined && days.length === 0)) expect(series, asked).toEqual([])
  else {
    expect(series[0]?.from, asked).toBe(from ?? spanOf(every, first))
    const end = spanOf(every, to === undefined ? (last as string) : dayIn('UTC', `${to}T00:00:00.000Z`))
    const isEndLeftOut = to !== undefined && end === to
    expect(starts.has(end), asked).toBe(!isEndLeftOut)
    for (const order of all) expect(starts, asked).toContain(spanOf(every, day(order)))
  }
  for (const part of series) {
    const own = matching.filter((order) => spanOf(every, day(order)) === spanOf(every, part.from))
    const amounts = own.flatMap(({ amount }) => amount ?? [])
    expect(part.total, `${asked} ${part.from}`).toBe(own.length)
    expect((part.sums as Readonly<Record<string, unknown>>).amount, `${asked} ${part.from}`).toMatchObject({
      sum: amounts.reduce(addedDecimals, '0'),
      count: amounts.length,
    })
  }
}

test(
  'columns count any condition by day, week and month of any zone, as the items say',
  async () => {
    console.info(`columns over time: FC_SEED=${seed}`)
    for (let i = 0; i < 40; i++) await requireSeries()
  },
  PATIENCE.timeout,
)

test(
  'they do so while items come and go, the first and the last ones too',
  async () => {
    for (let round = 0; round < 4; round++) {
      const inOrder = [...items.values()].toSorted((a, b) => (a.placedAt < b.placedAt ? -1 : 1))
      for (const { id } of [...inOrder.slice(0, 3), ...inOrder.slice(-3)]) {
        await lapidary.orders.delete(id)
        items.delete(id)
      }
      for (let i = 0; i < 5; i++) await put(drawn(10_000 + round * 10 + i))
      await lapidary.stream.catchUp()
      for (let i = 0; i < 10; i++) await requireSeries()
    }
  },
  PATIENCE.timeout,
)

test('days that there are not are refused, by name', async () => {
  const count = (options: object) => lapidary.orders.count({ scope: 'c1', ...options } as never)
  const refused: readonly [object, string, RegExp][] = [
    [{ every: 'year' }, 'every', /must be one of day, week, month, not "year"/],
    [{ every: 'day', zone: 'Mars' }, 'zone', /must be a zone, as UTC or Europe\/Berlin, not "Mars"/],
    [{ every: 'day', from: '2026-02-30' }, 'from', /must be a day/],
    [{ every: 'day', from: '1924-01-02', to: '2024-01-02' }, 'to', /at most 3700/],
  ]
  for (const [options, path, message] of refused) {
    await expect(count(options)).rejects.toMatchObject({
      code: 'unprocessable',
      details: { errors: [{ path, message: expect.stringMatching(message) }] },
    })
  }
})
