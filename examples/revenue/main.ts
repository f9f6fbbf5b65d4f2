/**
 * What a shop earns: by day, week and month, of one customer and of all, and who buys most. Sums stand beside the counts and are moved by
 * each change, so no order is read. Amounts are decimals, and so are their sums, to the last digit.
 */
import { importItems } from 'lapidary/transfer'
import { openExample, show, showFigures, tally } from '../example.ts'
import { all, orders } from './orders.ts'

type Order = (typeof all)[number]
/** In cents, which are whole numbers: the sum of the decimals has to be the same. */
const sumOf = (some: readonly Order[]): string =>
  String(some.reduce((sum, { amount }) => sum + Math.round(Number(amount) * 100), 0) / 100)
const isPaid = ({ status }: Order): boolean => status === 'PAID'

await using database = await openExample({ orders }, { derived: { counts: true }, stream: { immediate: true } })
const { lapidary } = database
await importItems(lapidary.orders, all, { derived: 'now' })
console.log(`${all.length} orders of ${new Set(all.map(({ customer }) => customer)).size} customers`)

const paid = { where: { status: 'PAID' }, by: [], sums: ['amount'] } as const
const january = all.filter((order) => isPaid(order) && order.placedAt < '2026-02')
await showFigures(
  'What all customers paid in January, day by day',
  lapidary.orders.count({ ...paid, every: 'day', from: '2026-01-01', to: '2026-02-01' }),
  ({ total, sums, series }) => ({ total, sum: sums?.amount.sum, days: series?.map((day) => day.sums.amount.sum) }),
  {
    ...{ total: january.length, sum: sumOf(january) },
    days: Object.keys(tally(january, dayOf)).map((day) => sumOf(january.filter((order) => dayOf(order) === day))),
  },
)

const best = all.filter((order) => isPaid(order) && order.customer === 'c1')
const months = ['2026-01', '2026-02', '2026-03']
await showFigures(
  'What c1 paid, month by month',
  lapidary.orders.count({ ...paid, scope: 'c1', every: 'month' }),
  ({ series }) => series?.map(({ from, sums }) => [from, sums.amount.sum]) ?? [],
  months.map((month) => [`${month}-01`, sumOf(best.filter(({ placedAt }) => placedAt.startsWith(month)))]),
)
const web = all.filter(({ channel }) => channel === 'web')
await showFigures(
  'What came by the web of all customers, by status',
  lapidary.orders.count({ where: { channel: 'web' }, by: ['status'], sums: ['amount'] }),
  ({ total, sums, facets }) => ({ total, sum: sums?.amount.sum, ...facets }),
  { total: web.length, sum: sumOf(web), status: tally(web, ({ status }) => status) },
)

const customers = Object.keys(tally(all, ({ customer }) => customer)).map((customer) => {
  const own = all.filter((order) => order.customer === customer)
  return { customer, own, revenue: Number(sumOf(own.filter(isPaid))), value: Number(sumOf(own)) / own.length }
})
await showFigures(
  'The five customers who paid most',
  lapidary.orders.leaderboard({ name: 'by-revenue', limit: 5 }),
  ({ entries }) => entries?.map(({ rank, scope, sum }) => [rank, scope, sum]) ?? [],
  customers
    .toSorted((a, b) => b.revenue - a.revenue)
    .slice(0, 5)
    .map(({ customer, revenue }, i) => [i + 1, customer, String(revenue)]),
)
await showFigures(
  'The three whose orders are the largest, of those with a hundred orders',
  lapidary.orders.leaderboard({ name: 'by-order-value', limit: 3 }),
  ({ entries }) => entries?.map(({ scope, count }) => [scope, count]) ?? [],
  customers
    .filter(({ own }) => own.length >= 100)
    .toSorted((a, b) => b.value - a.value)
    .slice(0, 3)
    .map(({ customer, own }) => [customer, own.length]),
)
await show(
  'The orders of c1, newest first',
  (cursor) => lapidary.orders.list({ scope: 'c1', cursor, limit: 100 }),
  all.toReversed().filter(({ customer }) => customer === 'c1'),
)

function dayOf({ placedAt }: Order): string {
  return placedAt.slice(0, 10)
}
