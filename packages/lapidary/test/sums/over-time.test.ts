import { createLapidary, defineCollection, eachOf } from 'lapidary'
import { chosenSeed, seededRandom } from 'lapidary-testing'
import { expect, test } from 'vitest'
import { testEngines } from '../../../../test/engines/index.ts'
import {
  amountsOf,
  CUSTOMERS,
  type Order,
  type Orders,
  openOrders,
  plain,
  STATUSES,
  untilCounted,
  writeOrders,
  ZONE,
} from './orders.ts'

const [engine] = testEngines()
if (engine === undefined) throw new Error('there is no engine')
const seed = chosenSeed(process.env.SUMS_SEED)
console.info(`SUMS_SEED=${seed}`)

/** The day of an order, by another way than the library's. */
const dayOf = ({ at }: Order): string => new Date(at).toLocaleDateString('sv-SE', { timeZone: ZONE })

function startOf(every: 'day' | 'week' | 'month', day: string): string {
  if (every === 'day') return day
  if (every === 'month') return `${day.slice(0, 7)}-01`
  let time = Date.parse(day)
  while (new Date(time).getUTCDay() !== 1) time -= 86_400_000
  return new Date(time).toISOString().slice(0, 10)
}

test('counts and sums over time, and of all scopes, are those of adding up by hand', async () => {
  await using table = await openOrders(engine)
  const { lapidary } = table
  const held = await writeOrders(lapidary, seededRandom(seed), 150)
  await untilCounted(lapidary, held)
  expect(await lapidary.derived.verify()).toMatchObject({ differences: [], uncountable: 0 })

  for (const where of [{}, { status: ['OPEN', 'SENT'] }, { NOT: { status: 'PAID' } }, { tags: ['gift'] }] as const) {
    const selected = held.filter(
      (order) =>
        (!('status' in where || 'NOT' in where) || order.status !== 'PAID') &&
        (!('tags' in where) || order.tags?.includes('gift') === true),
    )
    const all = await lapidary.orders.count({ where, sums: ['amount'] })
    expect(all).toMatchObject({ total: selected.length, sums: { amount: amountsOf(selected) }, series: [] })
    for (const status of STATUSES) {
      // What is refused of a closed facet is a choice of its others, and does not narrow its own counts.
      const among = 'status' in where || 'NOT' in where ? held : selected
      expect(all.facets?.status?.[status]).toBe(among.filter((order) => order.status === status).length)
    }
    for (const every of ['day', 'week', 'month'] as const) {
      for (const scope of ['a', [...CUSTOMERS], undefined]) {
        for (const range of [
          {},
          { from: '2024-03-20', to: '2024-04-03' },
          { from: '2024-03-31' },
          { to: '2024-03-31' },
        ]) {
          const { from = '0', to = '9' } = range as { from?: string; to?: string }
          const inScope = (order: Order): boolean => scope === undefined || [scope].flat().includes(order.customer)
          const inRange = (order: Order): boolean => dayOf(order) >= from && dayOf(order) < to
          const own = selected.filter((order) => inScope(order) && inRange(order))
          const asked = { ...(scope === undefined ? {} : { scope }), where, every, sums: ['amount'] as const, ...range }
          const { total, sums, series, unknown } = await lapidary.orders.count(asked)
          expect([total, unknown]).toEqual([own.length, null])
          expect(sums?.amount).toMatchObject(amountsOf(own))
          const parts = series ?? expect.fail()
          expect(parts.reduce((sum, part) => sum + part.total, 0)).toBe(own.length)
          for (const [i, part] of parts.entries()) {
            const here = own.filter((order) => startOf(every, dayOf(order)) === startOf(every, part.from))
            expect(part).toMatchObject({ total: here.length, sums: { amount: amountsOf(here) } })
            const start = startOf(every, part.from)
            expect(part.from).toBe(i === 0 && start < from ? from : start)
            const before = parts[i - 1]
            if (before !== undefined) expect(part.from > before.from).toBe(true)
          }
          if (every === 'day' && from !== '0' && to !== '9') expect(parts).toHaveLength(14)
        }
      }
    }
  }
}, 300_000)

test('days, facets and zones that are not counted are refused by name', async () => {
  await using table = await openOrders(engine)
  const { lapidary } = table
  const scope = 'a'
  for (const [asked, path, message] of [
    [{ every: 'year' }, 'every', /must be one of day, week, month, not "year"/],
    [{ every: 'day', from: '2024-02-30' }, 'from', /must be a day, as 2026-01-31, not "2024-02-30"/],
    [{ every: 'day', to: '2024-01-01T00:00:00.000Z' }, 'to', /must be a day/],
    [{ every: 'day', from: '2024-01-02', to: '2024-01-02' }, 'to', /must be a day after from/],
    [{ every: 'day', from: '1924-01-02', to: '2024-01-02' }, 'to', /is 36525 days after from; at most 3700/],
    [{ every: 'day', zone: 'UTC' }, 'zone', /is "UTC", and items are counted by the days of Europe\/Berlin/],
    [{ every: 'day', where: { channel: 'web' } }, 'channel', /days are not counted by it, but by status, tags/],
    [{ every: 'day', where: { OR: [{ channel: 'web' }, { status: 'OPEN' }] } }, 'channel', /not counted by it/],
    [{ every: 'day', by: ['channel'] }, 'by[0]', /none of the facets that are counted here, which are status, tags/],
  ] as const) {
    await expect(lapidary.orders.count({ scope, ...asked } as never)).rejects.toMatchObject({
      code: 'unprocessable',
      details: { errors: [{ path, message: expect.stringMatching(message) }] },
    })
  }
  await expect(lapidary.orders.count({ scope, from: '2024-01-01' } as never)).rejects.toThrow(
    /whole lists, not ranges; leave out from and to, or count by days with every/,
  )
}, 300_000)

test('all scopes are counted over as many shards as may be, and not beside two facets of any values', async () => {
  await using table = await openOrders(engine)
  const { client, tableName } = table
  const open = (declared: object) =>
    createLapidary({
      ...{ client, tableName, cursorSecret: 'a secret of the tests', derived: { counts: true } },
      ...{ collections: { orders: defineCollection({ ...plain, ...declared } as never) }, stream: { immediate: true } },
    }) as unknown as Orders
  const wide = open({ statistics: { across: 64, days: true } })
  await wide.orders.create({ customer: 'a', channel: 'web', status: 'OPEN', at: '2024-01-31T23:30:00.000Z' })
  expect(await wide.orders.count({})).toMatchObject({ total: null, unknown: 'absent' })
  await wide.derived.rebuild('counts-across')
  await wide.derived.rebuild('counts-by-day-across')
  expect(await wide.orders.count({})).toMatchObject({ total: 1, facets: { channel: { web: 1 } } })
  const { series } = await wide.orders.count({ every: 'day' })
  expect(series).toEqual([{ from: '2024-01-31', total: 1, sums: {} }])
  const facets = { tags: eachOf(), sizes: eachOf() }
  expect(open({ facets })).toBeDefined()
  expect(() => open({ facets, statistics: { across: 1 } })).toThrow(
    /each value of tags, sizes, and at most 1 such facet can be counted where all scopes are too; say counted: false/,
  )
}, 300_000)
