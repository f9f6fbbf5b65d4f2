import { anyOf, defineCollection } from 'lapidary'
import * as z from 'zod'

const STATUSES = ['OPEN', 'PAID', 'SHIPPED', 'RETURNED'] as const

const orders = defineCollection({
  name: 'ORDER',
  schema: z.object({
    id: z.string(),
    customer: z.string(),
    placedAt: z.string(),
    status: z.enum(STATUSES),
    total: z.number(),
  }),
  id: 'id',
  scope: { name: 'CUSTOMER', attribute: 'customer' },
  order: 'placedAt',
  facets: { status: anyOf(STATUSES) },
})

export default { collections: { orders } }
