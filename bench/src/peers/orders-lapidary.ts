import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { anyOf, createLapidary, defineCollection, oneOf } from 'lapidary'
import { importItems } from 'lapidary/transfer'
import { z } from 'zod'
import type { Store } from './domain.ts'
import type { OrderRow } from './rows.ts'

const STATUSES = ['OPEN', 'SHIPPED', 'DELIVERED', 'CANCELLED', 'RETURNED'] as const

const orders = defineCollection({
  name: 'ORDER',
  schema: z.object({
    ...{ id: z.string(), scope: z.string(), at: z.string(), note: z.string() },
    ...{ status: z.enum(STATUSES), channel: z.enum(['web', 'shop']) },
  }),
  id: 'id',
  scope: { name: 'CUSTOMER', attribute: 'scope' },
  order: 'at',
  facets: { status: anyOf(STATUSES), channel: oneOf(['web', 'shop']) },
  indexes: { byDate: {}, byStatus: { partition: ['status'] } },
})

export async function openOrders(client: DynamoDBClient, tableName: string): Promise<Store<OrderRow>> {
  const lapidary = createLapidary({ client, tableName, collections: { orders }, cursorSecret: 'a secret of the bench' })
  await lapidary.table.create()
  return {
    create: (row) => lapidary.orders.create(row),
    load: (rows) => importItems(lapidary.orders, rows),
    async page({ scope, where, from, to }, limit, cursor) {
      const page = await lapidary.orders.list({ scope, where: where as object, from, to, limit, cursor })
      return { ids: page.items.map(({ id }) => id), next: page.cursors.next }
    },
  }
}
