import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { anyOf, createLapidary, defineCollection, oneOf } from 'lapidary'
import { z } from 'zod'
import type { Store } from './domain.ts'
import { putsOf } from './lapidary.ts'
import type { OrderRow } from './rows.ts'

const STATUSES = ['OPEN', 'SHIPPED', 'DELIVERED', 'CANCELLED', 'RETURNED'] as const

const orders = defineCollection({
  name: 'ORDER',
  schema: z.object({
    ...{ id: z.string(), scope: z.string(), at: z.string(), amount: z.number(), note: z.string() },
    ...{ status: z.enum(STATUSES), channel: z.enum(['web', 'shop']) },
  }),
  id: 'id',
  scope: { name: 'CUSTOMER', attribute: 'scope' },
  order: 'at',
  orders: { amount: { attribute: 'amount', type: 'number' } },
  facets: { status: anyOf(STATUSES), channel: oneOf(['web', 'shop']) },
  indexes: {
    byDate: {},
    byStatus: { partition: ['status'] },
    byAmount: { order: 'amount' },
    allByStatus: { partition: ['status'], across: 1 },
  },
})

export function openOrders(client: DynamoDBClient, tableName: string): Store<OrderRow> {
  const lapidary = createLapidary({ client, tableName, collections: { orders }, cursorSecret: 'a secret of the bench' })
  return {
    createTable: () => lapidary.table.create(),
    create: (row) => lapidary.orders.create(row),
    stored: async (row) => putsOf(await lapidary.orders.writes.create(row)),
    async page({ scope, where, by = 'at', from, to }, limit, cursor) {
      const page = await lapidary.orders.list({ scope, where, by, from, to, limit, cursor } as object)
      return { ids: page.items.map(({ id }) => id), next: page.cursors.next }
    },
  }
}
