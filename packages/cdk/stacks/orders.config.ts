import { anyOf, defineCollection } from 'lapidary'
import { defineConfig } from 'lapidary-cli'
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

/** As people write it: a cold start reads nothing of the command line that the word comes from. */
export default defineConfig({ collections: { orders } })
