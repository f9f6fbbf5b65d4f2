import { anyOf, defineCollection, oneOf } from 'lapidary'
import { seededRandom } from 'lapidary-testing'
import { z } from 'zod'

const STATUSES = ['CANCELLED', 'OPEN', 'PAID'] as const

/** Orders of a shop, whose amounts are added up. */
export const orders = defineCollection({
  name: 'ORDER',
  schema: z.object({
    ...{ id: z.string(), customer: z.string(), placedAt: z.string(), channel: z.string() },
    ...{ status: z.enum(STATUSES), amount: z.string() },
  }),
  id: 'id',
  scope: { name: 'CUSTOMER', attribute: 'customer' },
  order: 'placedAt',
  facets: { channel: oneOf(), status: anyOf(STATUSES) },
  numbers: { amount: 'decimal' },
  sums: ['amount'],
  statistics: { across: 2, days: { zone: 'Europe/Berlin' } },
  leaderboards: {
    'by-revenue': { sum: 'amount', where: { status: ['PAID'] } },
    'by-order-value': { average: 'amount', atLeast: 100 },
  },
  indexes: { byDate: {} },
  itemBytes: 200,
})

const random = seededRandom(99)
/** Orders of ninety days, the oldest first. */
export const all = Array.from({ length: 3_000 }, (_, i) => {
  // At noon of ninety days: their dates in UTC are those in Berlin.
  const placedAt = new Date(Date.UTC(2026, 0, 1 + Math.floor(i / 34), 12) + i).toISOString()
  const cents = 99 + Math.floor(random() ** 3 * 90_000)
  return {
    ...{ id: `o${10_000 + i}`, customer: `c${1 + Math.floor(random() ** 2 * 30)}`, placedAt },
    ...{ status: STATUSES[Math.floor(random() ** 0.5 * 3)] ?? 'PAID', channel: random() < 0.7 ? 'web' : 'shop' },
    amount: String(cents / 100),
  }
})
