import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { Entity, item, PutItemCommand, string, Table } from 'dynamodb-toolbox'
import type { Store } from './domain.ts'
import { createPlainTable } from './plain-table.ts'
import type { OrderRow } from './rows.ts'
import { loadAll, pageOf } from './toolbox.ts'

export async function openOrders(client: DynamoDBClient, name: string): Promise<Store<OrderRow>> {
  await createPlainTable(client, name, 2)
  const key = (field: string) => ({ name: field, type: 'string' }) as const
  const table = new Table({
    ...{ name, documentClient: DynamoDBDocumentClient.from(client), partitionKey: key('pk'), sortKey: key('sk') },
    indexes: {
      gsi1: { type: 'global', partitionKey: key('gsi1pk'), sortKey: key('gsi1sk') },
      gsi2: { type: 'global', partitionKey: key('gsi2pk'), sortKey: key('gsi2sk') },
    },
  })
  const orders = new Entity({
    name: 'order',
    table,
    schema: item({
      id: string().key(),
      scope: string(),
      at: string(),
      status: string().enum('OPEN', 'SHIPPED', 'DELIVERED', 'CANCELLED', 'RETURNED'),
      channel: string().enum('web', 'shop'),
      note: string().optional(),
    }).and((prev) => ({
      gsi1pk: string().link<typeof prev>(({ scope }) => `ORDER#${scope}`),
      gsi1sk: string().link<typeof prev>(({ at, id }) => `${at}#${id}`),
      gsi2pk: string().link<typeof prev>(({ scope, status }) => `ORDER#${scope}#${status}`),
      gsi2sk: string().link<typeof prev>(({ at, id }) => `${at}#${id}`),
    })),
    computeKey: ({ id }) => ({ pk: `ORDER#${id}`, sk: 'ORDER' }),
  })
  return {
    create: (row) =>
      orders
        .build(PutItemCommand)
        .item(row)
        .options({ condition: { attr: 'id', exists: false } })
        .send(),
    load: (rows) => loadAll(table, orders, rows),
    page({ scope, where: { status = [], channel = [] }, from, to }, limit, cursor) {
      const isKey = status.length === 1
      const index = isKey ? 'gsi2' : 'gsi1'
      const partition = isKey ? `ORDER#${scope}#${status[0]}` : `ORDER#${scope}`
      const filters = { channel, status: isKey ? [] : status }
      return pageOf(table, orders, { index, partition, from, to, filters }, limit, cursor)
    },
  }
}
