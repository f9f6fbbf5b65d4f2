import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { Entity } from 'electrodb'
import type { Store } from './domain.ts'
import { anyClause } from './electrodb.ts'
import { createPlainTable } from './plain-table.ts'
import type { OrderRow } from './rows.ts'

const STATUSES = ['OPEN', 'SHIPPED', 'DELIVERED', 'CANCELLED', 'RETURNED'] as const

export async function openOrders(client: DynamoDBClient, table: string): Promise<Store<OrderRow>> {
  await createPlainTable(client, table, 2)
  const orders = new Entity(
    {
      model: { entity: 'order', version: '1', service: 'shop' },
      attributes: {
        id: { type: 'string', required: true },
        scope: { type: 'string', required: true },
        at: { type: 'string', required: true },
        status: { type: STATUSES, required: true },
        channel: { type: ['web', 'shop'] as const, required: true },
        note: { type: 'string' },
      },
      indexes: {
        byId: { pk: { field: 'pk', composite: ['id'] }, sk: { field: 'sk', composite: [] } },
        byDate: {
          index: 'gsi1',
          pk: { field: 'gsi1pk', composite: ['scope'] },
          sk: { field: 'gsi1sk', composite: ['at', 'id'] },
        },
        byStatus: {
          index: 'gsi2',
          pk: { field: 'gsi2pk', composite: ['scope', 'status'] },
          sk: { field: 'gsi2sk', composite: ['at', 'id'] },
        },
      },
    },
    { client, table },
  )
  return {
    create: (row) => orders.create(row).go(),
    load: (rows) => orders.put([...rows]).go({ concurrency: 4 }),
    async page({ scope, where: { status = [], channel = [] }, from = '0', to = '9' }, limit, cursor) {
      const [only, ...more] = status as OrderRow['status'][]
      // Of what a filter lets through `count` are given, of `limit` that are read at once.
      const size = more.length > 0 || channel.length > 0 ? { count: limit, limit: 100 } : { limit }
      const options = { order: 'desc', cursor: cursor ?? null, ...size } as const
      const range = [{ at: from }, { at: to }] as const
      // One status is a key; several, and the channel, are filtered after the read.
      const { data, cursor: next } =
        only !== undefined && more.length === 0
          ? await orders.query
              .byStatus({ scope, status: only })
              .between(...range)
              .where((the, { eq }) => anyClause(channel.map((value) => eq(the.channel, value as OrderRow['channel']))))
              .go(options)
          : await orders.query
              .byDate({ scope })
              .between(...range)
              .where((the, { eq }) => anyClause((status as OrderRow['status'][]).map((value) => eq(the.status, value))))
              .where((the, { eq }) => anyClause(channel.map((value) => eq(the.channel, value as OrderRow['channel']))))
              .go(options)
      return { ids: data.map(({ id }) => id), next }
    },
  }
}
