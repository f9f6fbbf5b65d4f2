import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { Entity } from 'electrodb'
import type { Store } from './domain.ts'
import { anyClause } from './electrodb.ts'
import { createPlainTable } from './plain-table.ts'
import type { TicketRow } from './rows.ts'

const STATUSES = ['open', 'pending', 'closed'] as const
const PRIORITIES = ['low', 'normal', 'high'] as const

export async function openTickets(client: DynamoDBClient, table: string): Promise<Store<TicketRow>> {
  await createPlainTable(client, table, 3)
  const sk = (field: string) => ({ field, composite: ['at', 'id'] as const })
  const tickets = new Entity(
    {
      model: { entity: 'ticket', version: '1', service: 'desk' },
      attributes: {
        id: { type: 'string', required: true },
        scope: { type: 'string', required: true },
        at: { type: 'string', required: true },
        status: { type: STATUSES, required: true },
        priority: { type: PRIORITIES, required: true },
        label: { type: 'string', required: true },
        assignee: { type: 'string', required: true },
        subject: { type: 'string' },
      },
      indexes: {
        byId: { pk: { field: 'pk', composite: ['id'] }, sk: { field: 'sk', composite: [] } },
        byDate: { index: 'gsi1', pk: { field: 'gsi1pk', composite: ['scope'] }, sk: sk('gsi1sk') },
        byStatusAndPriority: {
          index: 'gsi2',
          pk: { field: 'gsi2pk', composite: ['scope', 'status', 'priority'] },
          sk: sk('gsi2sk'),
        },
        byAssignee: { index: 'gsi3', pk: { field: 'gsi3pk', composite: ['scope', 'assignee'] }, sk: sk('gsi3sk') },
      },
    },
    { client, table },
  )
  return {
    create: (row) => tickets.create(row).go(),
    load: (rows) => tickets.put([...rows]).go({ concurrency: 4 }),
    async page({ scope, where, from = '0', to = '9' }, limit, cursor) {
      const { status = [], priority = [], label = [], assignee = [] } = where
      const range = [{ at: from }, { at: to }] as const
      const [person] = assignee
      const isKey = status.length === 1 && priority.length === 1
      // Of what a filter lets through `count` are given, of `limit` that are read at once.
      const isFiltered = label.length > 0 || (!isKey && status.length + priority.length > 0)
      const size = isFiltered ? { count: limit, limit: 100 } : { limit }
      const options = { order: 'desc', cursor: cursor ?? null, ...size } as const
      const query =
        person !== undefined
          ? tickets.query.byAssignee({ scope, assignee: person }).between(...range)
          : isKey
            ? tickets.query
                .byStatusAndPriority({
                  scope,
                  status: status[0] as TicketRow['status'],
                  priority: priority[0] as TicketRow['priority'],
                })
                .between(...range)
            : tickets.query.byDate({ scope }).between(...range)
      const { data, cursor: next } = await query
        .where((the, { eq }) => anyClause(status.map((value) => eq(the.status, value as TicketRow['status']))))
        .where((the, { eq }) => anyClause(priority.map((value) => eq(the.priority, value as TicketRow['priority']))))
        .where((the, { eq }) => anyClause(label.map((value) => eq(the.label, value))))
        .go(options)
      return { ids: data.map(({ id }) => id), next }
    },
  }
}
