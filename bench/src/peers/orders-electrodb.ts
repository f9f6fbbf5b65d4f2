import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { Entity } from 'electrodb'
import type { Store } from './domain.ts'
import { anyClause } from './electrodb.ts'
import { createPlainTable, inDynamoForm } from './plain-table.ts'
import type { OrderRow } from './rows.ts'

const STATUSES = ['OPEN', 'SHIPPED', 'DELIVERED', 'CANCELLED', 'RETURNED'] as const

export function openOrders(client: DynamoDBClient, table: string): Store<OrderRow> {
  const orders = new Entity(
    {
      model: { entity: 'order', version: '1', service: 'shop' },
      attributes: {
        id: { type: 'string', required: true },
        scope: { type: 'string', required: true },
        at: { type: 'string', required: true },
        amount: { type: 'number', required: true, padding: { length: 10, char: '0' } },
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
        byAmount: {
          index: 'gsi3',
          pk: { field: 'gsi3pk', composite: ['scope'] },
          sk: { field: 'gsi3sk', composite: ['amount', 'id'] },
        },
        allByStatus: {
          index: 'gsi4',
          pk: { field: 'gsi4pk', composite: ['status'] },
          sk: { field: 'gsi4sk', composite: ['at', 'id'] },
        },
      },
    },
    { client, table },
  )
  const queryOf = ({ scope, by, ...question }: Parameters<Store<OrderRow>['page']>[0], only?: OrderRow['status']) => {
    const range = [{ at: String(question.from ?? '0') }, { at: String(question.to ?? '9') }] as const
    if (scope === undefined) return orders.query.allByStatus({ status: only as OrderRow['status'] }).between(...range)
    const amounts = [{ amount: Number(question.from ?? 0) }, { amount: Number(question.to ?? 9e9) }] as const
    if (by === 'amount') return orders.query.byAmount({ scope }).between(...amounts)
    if (only !== undefined) return orders.query.byStatus({ scope, status: only }).between(...range)
    return orders.query.byDate({ scope }).between(...range)
  }
  return {
    createTable: () => createPlainTable(client, table, 4),
    create: (row) => orders.create(row).go(),
    stored: (row) => [inDynamoForm(orders.create(row).params<{ Item: object }>().Item)],
    async page(question, limit, cursor) {
      const { status = [], channel = [] } = question.where as Partial<Record<string, string[]>>
      const statuses = status as OrderRow['status'][]
      const isKey = status.length === 1 && question.by !== 'amount'
      // ElectroDB reads `limit` items at once and returns `count` of those that pass the filter.
      const isFiltered = channel.length > 0 || (status.length > 0 && !isKey)
      const size = isFiltered ? { count: limit, limit: 100 } : { limit }
      // One status is a key; several, and the channel, are filtered after the read.
      const { data, cursor: next } = await queryOf(question, isKey ? statuses[0] : undefined)
        .where((the, { eq }) => anyClause((isKey ? [] : statuses).map((value) => eq(the.status, value))))
        .where((the, { eq }) => anyClause(channel.map((value) => eq(the.channel, value as OrderRow['channel']))))
        .go({ order: 'desc', cursor: cursor ?? null, ...size })
      return { ids: data.map(({ id }) => id), next }
    },
  }
}
