import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { Entity, item, number, PutItemCommand, string, Table } from 'dynamodb-toolbox'
import type { Store } from './domain.ts'
import { createPlainTable, inDynamoForm } from './plain-table.ts'
import type { OrderRow } from './rows.ts'
import { oneOfThese, pageOf } from './toolbox.ts'

export function openOrders(client: DynamoDBClient, name: string): Store<OrderRow> {
  const key = (field: string) => ({ name: field, type: 'string' }) as const
  const table = new Table({
    ...{ name, documentClient: DynamoDBDocumentClient.from(client), partitionKey: key('pk'), sortKey: key('sk') },
    indexes: {
      gsi1: { type: 'global', partitionKey: key('gsi1pk'), sortKey: key('gsi1sk') },
      gsi2: { type: 'global', partitionKey: key('gsi2pk'), sortKey: key('gsi2sk') },
      gsi3: { type: 'global', partitionKey: key('gsi3pk'), sortKey: key('gsi3sk') },
      gsi4: { type: 'global', partitionKey: key('gsi4pk'), sortKey: key('gsi4sk') },
    },
  })
  const orders = new Entity({
    name: 'order',
    table,
    schema: item({
      id: string().key(),
      scope: string(),
      at: string(),
      amount: number(),
      status: string().enum('OPEN', 'SHIPPED', 'DELIVERED', 'CANCELLED', 'RETURNED'),
      channel: string().enum('web', 'shop'),
      note: string().optional(),
    }).and((prev) => ({
      gsi1pk: string().link<typeof prev>(({ scope }) => `ORDER#${scope}`),
      gsi1sk: string().link<typeof prev>(({ at, id }) => `${at}#${id}`),
      gsi2pk: string().link<typeof prev>(({ scope, status }) => `ORDER#${scope}#${status}`),
      gsi2sk: string().link<typeof prev>(({ at, id }) => `${at}#${id}`),
      gsi3pk: string().link<typeof prev>(({ scope }) => `ORDER#${scope}`),
      gsi3sk: string().link<typeof prev>(({ amount, id }) => `${digits(amount)}#${id}`),
      gsi4pk: string().link<typeof prev>(({ status }) => `ORDER#${status}`),
      gsi4sk: string().link<typeof prev>(({ at, id }) => `${at}#${id}`),
    })),
    computeKey: ({ id }) => ({ pk: `ORDER#${id}`, sk: 'ORDER' }),
  })
  const creation = (row: OrderRow) =>
    orders
      .build(PutItemCommand)
      .item(row)
      .options({ condition: { attr: 'id', exists: false } })
  return {
    createTable: () => createPlainTable(client, name, 4),
    create: (row) => creation(row).send(),
    stored: (row) => [inDynamoForm(creation(row).params().Item ?? {})],
    page({ scope, where: { status = [], channel = [] }, by, from, to }, limit, cursor) {
      const isKey = status.length === 1 && by !== 'amount'
      const filters = [...oneOfThese('channel', channel), ...oneOfThese('status', isKey ? [] : status)]
      const range =
        by === 'amount'
          ? { from: digits(Number(from ?? 0)), to: digits(Number(to ?? 9e9)) }
          : { from: from?.toString(), to: to?.toString() }
      const look =
        scope === undefined
          ? { index: 'gsi4', partition: `ORDER#${status[0]}` }
          : by === 'amount'
            ? { index: 'gsi3', partition: `ORDER#${scope}` }
            : isKey
              ? { index: 'gsi2', partition: `ORDER#${scope}#${status[0]}` }
              : { index: 'gsi1', partition: `ORDER#${scope}` }
      return pageOf(table, orders, { ...look, ...range, filters }, limit, cursor)
    },
  }
}

/** A number as a sort key. */
function digits(amount: number): string {
  return String(amount).padStart(10, '0')
}
