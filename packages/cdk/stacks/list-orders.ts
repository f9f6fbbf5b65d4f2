import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { anyOf, createReader, defineCollection } from 'lapidary/reader'
import * as z from 'zod'

const STATUSES = ['OPEN', 'PAID', 'SHIPPED', 'RETURNED'] as const

/** A function that lists and does nothing else: the least that Lapidary is in a bundle. */
const orders = defineCollection({
  name: 'ORDER',
  schema: z.object({ id: z.string(), customer: z.string(), placedAt: z.string(), status: z.enum(STATUSES) }),
  id: 'id',
  scope: { name: 'CUSTOMER', attribute: 'customer' },
  order: 'placedAt',
  facets: { status: anyOf(STATUSES) },
})

const reader = createReader({
  ...{ client: new DynamoDBClient({}), tableName: process.env.TABLE_NAME ?? 'orders', collections: { orders } },
  cursorSecret: process.env.CURSOR_SECRET ?? '',
})

export const handler = async ({
  customer,
  cursor,
}: {
  readonly customer: string
  readonly cursor?: string
}): Promise<object> => reader.orders.list({ scope: customer, cursor: cursor ?? null })
