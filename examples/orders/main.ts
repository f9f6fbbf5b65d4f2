/**
 * Orders by status and date: the status stands before the date in the sort key (a composite sort key), so that the orders of one status
 * lie together, newest first, and a range of dates of it is one piece of the index. By amount, the largest first: another order, with
 * an index of its own. And by status over all customers: an index that is of no one customer, over four partitions.
 */
import { anyOf, defineCollection } from 'lapidary'
import { z } from 'zod'
import { forEach, openExample, show } from '../example.ts'

const STATUSES = ['CANCELLED', 'DELIVERED', 'OPEN', 'RETURNED', 'SHIPPED'] as const

const orders = defineCollection({
  name: 'ORDER',
  schema: z.object({
    id: z.string(),
    customer: z.string(),
    orderedAt: z.string(),
    status: z.enum(STATUSES),
    total: z.number(),
  }),
  id: 'id',
  scope: { name: 'CUSTOMER', attribute: 'customer' },
  order: 'orderedAt',
  orders: { amount: { attribute: 'total', type: 'number' } },
  facets: { status: anyOf(STATUSES) },
  // CUSTOMER#c1 | CANCELLED#2019-07-01T…
  indexes: {
    byDate: {},
    byStatusAndDate: { sort: ['status'] },
    byAmount: { order: 'amount' },
    allByStatus: { partition: ['status'], across: 4 },
  },
  itemBytes: 200,
})

// Two years of orders, one in 20 hours or so; most of them are delivered.
const all = Array.from({ length: 800 }, (_, i) => {
  const orderedAt = new Date(Date.UTC(2018, 0, 1) + i * 71_234_567).toISOString()
  const status = i % 17 === 3 ? 'CANCELLED' : i % 23 === 5 ? 'RETURNED' : i > 780 ? 'OPEN' : 'DELIVERED'
  return {
    id: `o${1000 + i}`,
    customer: i % 4 === 0 ? 'c2' : i % 10 === 1 ? 'c3' : 'c1',
    orderedAt,
    status,
    total: 10 + ((i * 37) % 400),
  } as const
})
const newestFirst = all.toReversed()

await using database = await openExample({ orders })
const { lapidary } = database
await forEach(all, (order) => lapidary.orders.create(order))

await show(
  'Cancelled orders of c1, newest first: one piece of the index',
  (cursor) => lapidary.orders.list({ scope: 'c1', where: { status: 'CANCELLED' }, cursor }),
  newestFirst.filter(({ customer, status }) => customer === 'c1' && status === 'CANCELLED'),
)
await show(
  'Cancelled orders of c1 from July to September 2019: a range within the status',
  (cursor) =>
    lapidary.orders.list({
      ...{ scope: 'c1', where: { status: 'CANCELLED' }, cursor },
      ...{ from: '2019-07-01T00:00:00.000Z', to: '2019-10-01T00:00:00.000Z' },
    }),
  newestFirst.filter(
    ({ customer, status, orderedAt }) =>
      customer === 'c1' && status === 'CANCELLED' && orderedAt >= '2019-07' && orderedAt < '2019-10',
  ),
)
await show(
  'Cancelled and returned orders of c1 in 2019: two ranges, merged by date',
  (cursor) =>
    lapidary.orders.list({
      ...{ scope: 'c1', where: { status: ['CANCELLED', 'RETURNED'] }, limit: 10, cursor },
      ...{ from: '2019-01-01T00:00:00.000Z', to: '2020-01-01T00:00:00.000Z' },
    }),
  newestFirst.filter(
    ({ customer, status, orderedAt }) =>
      customer === 'c1' && ['CANCELLED', 'RETURNED'].includes(status) && orderedAt.startsWith('2019'),
  ),
)
await show(
  'All orders of c2, oldest first: the other index, where no status is before the date',
  (cursor) => lapidary.orders.list({ scope: 'c2', order: 'oldest', limit: 100, cursor }),
  all.filter(({ customer }) => customer === 'c2'),
)
// Orders of one amount are sorted by id: no two orders are equal, so none is lost or repeated between pages.
const largestFirst = all.toSorted((a, b) => b.total - a.total || (a.id < b.id ? 1 : -1))
await show(
  'The orders of c1 of 300 to 400, the largest first: the index in the other order, and one piece of it',
  (cursor) => lapidary.orders.list({ scope: 'c1', by: 'amount', from: 300, to: 400, limit: 100, cursor }),
  largestFirst.filter(({ customer, total }) => customer === 'c1' && total >= 300 && total < 400),
)
await show(
  'The smallest returned orders of c1 below 200: what the index lacks is filtered after the read',
  (cursor) =>
    lapidary.orders.list({
      ...{ scope: 'c1', where: { status: 'RETURNED' }, cursor },
      ...{ by: 'amount', order: 'lowest', to: 200 },
    }),
  largestFirst
    .toReversed()
    .filter(({ customer, status, total }) => customer === 'c1' && status === 'RETURNED' && total < 200),
)
await show(
  'Open orders of all customers: four lists, merged by date',
  (cursor) => lapidary.orders.list({ where: { status: 'OPEN' }, cursor }),
  newestFirst.filter(({ status }) => status === 'OPEN'),
)
await show(
  'Cancelled and returned orders of all customers in June 2019: eight ranges, merged by date',
  (cursor) =>
    lapidary.orders.list({
      ...{ where: { status: ['CANCELLED', 'RETURNED'] }, cursor },
      ...{ from: '2019-06-01T00:00:00.000Z', to: '2019-07-01T00:00:00.000Z' },
    }),
  newestFirst.filter(
    ({ status, orderedAt }) => ['CANCELLED', 'RETURNED'].includes(status) && orderedAt.startsWith('2019-06'),
  ),
)
await show(
  'Returned orders of two customers, who are named',
  (cursor) => lapidary.orders.list({ scope: ['c2', 'c3'], where: { status: 'RETURNED' }, cursor }),
  newestFirst.filter(({ customer, status }) => customer !== 'c1' && status === 'RETURNED'),
)
