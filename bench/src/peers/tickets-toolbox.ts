import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { Entity, item, PutItemCommand, string, Table } from 'dynamodb-toolbox'
import type { Store } from './domain.ts'
import { createPlainTable } from './plain-table.ts'
import type { TicketRow } from './rows.ts'
import { loadAll, pageOf } from './toolbox.ts'

export async function openTickets(client: DynamoDBClient, name: string): Promise<Store<TicketRow>> {
  await createPlainTable(client, name, 3)
  const key = (field: string) => ({ name: field, type: 'string' }) as const
  const table = new Table({
    ...{ name, documentClient: DynamoDBDocumentClient.from(client), partitionKey: key('pk'), sortKey: key('sk') },
    indexes: {
      gsi1: { type: 'global', partitionKey: key('gsi1pk'), sortKey: key('gsi1sk') },
      gsi2: { type: 'global', partitionKey: key('gsi2pk'), sortKey: key('gsi2sk') },
      gsi3: { type: 'global', partitionKey: key('gsi3pk'), sortKey: key('gsi3sk') },
    },
  })
  const tickets = new Entity({
    name: 'ticket',
    table,
    schema: item({
      id: string().key(),
      scope: string(),
      at: string(),
      status: string().enum('open', 'pending', 'closed'),
      priority: string().enum('low', 'normal', 'high'),
      label: string(),
      assignee: string(),
      subject: string().optional(),
    }).and((prev) => ({
      gsi1pk: string().link<typeof prev>(({ scope }) => `TICKET#${scope}`),
      gsi1sk: string().link<typeof prev>(({ at, id }) => `${at}#${id}`),
      gsi2pk: string().link<typeof prev>(({ scope, status, priority }) => `TICKET#${scope}#${status}#${priority}`),
      gsi2sk: string().link<typeof prev>(({ at, id }) => `${at}#${id}`),
      gsi3pk: string().link<typeof prev>(({ scope, assignee }) => `TICKET#${scope}#${assignee}`),
      gsi3sk: string().link<typeof prev>(({ at, id }) => `${at}#${id}`),
    })),
    computeKey: ({ id }) => ({ pk: `TICKET#${id}`, sk: 'TICKET' }),
  })
  return {
    create: (row) =>
      tickets
        .build(PutItemCommand)
        .item(row)
        .options({ condition: { attr: 'id', exists: false } })
        .send(),
    load: (rows) => loadAll(table, tickets, rows),
    page({ scope, where, from, to }, limit, cursor) {
      const { status = [], priority = [], label = [], assignee = [] } = where
      const [person] = assignee
      const isKey = status.length === 1 && priority.length === 1
      const [index, partition] =
        person !== undefined
          ? ['gsi3', `TICKET#${scope}#${person}`]
          : isKey
            ? ['gsi2', `TICKET#${scope}#${status[0]}#${priority[0]}`]
            : ['gsi1', `TICKET#${scope}`]
      const filters = { status, priority, label }
      return pageOf(
        table,
        tickets,
        { index: index ?? '', partition: partition ?? '', from, to, filters },
        limit,
        cursor,
      )
    },
  }
}
