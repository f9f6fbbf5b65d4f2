import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import {
  type Condition,
  Entity,
  executeTransactWrite,
  item,
  list,
  PutTransaction,
  string,
  Table,
} from 'dynamodb-toolbox'
import type { Store } from './domain.ts'
import { createPlainTable, inDynamoForm } from './plain-table.ts'
import type { TicketRow } from './rows.ts'
import { oneOfThese, pageOf } from './toolbox.ts'

export function openTickets(client: DynamoDBClient, name: string): Store<TicketRow> {
  const key = (field: string) => ({ name: field, type: 'string' }) as const
  const table = new Table({
    ...{ name, documentClient: DynamoDBDocumentClient.from(client), partitionKey: key('pk'), sortKey: key('sk') },
    indexes: {
      gsi1: { type: 'global', partitionKey: key('gsi1pk'), sortKey: key('gsi1sk') },
      gsi2: { type: 'global', partitionKey: key('gsi2pk'), sortKey: key('gsi2sk') },
      gsi3: { type: 'global', partitionKey: key('gsi3pk'), sortKey: key('gsi3sk') },
    },
  })
  const attributes = {
    id: string().key(),
    scope: string(),
    at: string(),
    status: string().enum('open', 'pending', 'closed'),
    priority: string().enum('low', 'normal', 'high'),
    tags: list(string()),
    assignee: string(),
    subject: string().optional(),
  }
  const tickets = new Entity({
    name: 'ticket',
    table,
    schema: item(attributes).and((prev) => ({
      gsi1pk: string().link<typeof prev>(({ scope }) => `TICKET#${scope}`),
      gsi1sk: string().link<typeof prev>(({ at, id }) => `${at}#${id}`),
      gsi2pk: string().link<typeof prev>(({ scope, status, priority }) => `TICKET#${scope}#${status}#${priority}`),
      gsi2sk: string().link<typeof prev>(({ at, id }) => `${at}#${id}`),
      gsi3pk: string().link<typeof prev>(({ scope, assignee }) => `TICKET#${scope}#${assignee}`),
      gsi3sk: string().link<typeof prev>(({ at, id }) => `${at}#${id}`),
    })),
    computeKey: ({ id }) => ({ pk: `TICKET#${id}`, sk: 'TICKET' }),
  })
  // A ticket once more under each of its tags, in the table itself: an attribute that is a list can be no key.
  const tagged = new Entity({
    name: 'tagged',
    table,
    schema: item({ ...attributes, scope: string().key(), at: string().key(), tag: string().key() }),
    computeKey: ({ scope, tag, at, id }) => ({ pk: `TAGGED#${scope}#${tag}`, sk: `${at}#${id}` }),
  })
  const creation = (row: TicketRow) => [
    tickets
      .build(PutTransaction)
      .item(row)
      .options({ condition: { attr: 'id', exists: false } }),
    ...row.tags.map((tag) => tagged.build(PutTransaction).item({ ...row, tag })),
  ]
  return {
    createTable: () => createPlainTable(client, name, 3),
    create: (row) => executeTransactWrite(...creation(row)),
    stored: (row) => creation(row).map((write) => inDynamoForm(write.params().Put?.Item ?? {})),
    page({ scope, where, from, to }, limit, cursor) {
      const { status = [], priority = [], tags = [], assignee = [] } = where
      const [person] = assignee
      const isKey = person === undefined && status.length === 1 && priority.length === 1
      const isTagged = !isKey && person === undefined && tags.length === 1
      const look =
        person !== undefined
          ? { index: 'gsi3', partition: `TICKET#${scope}#${person}` }
          : isKey
            ? { index: 'gsi2', partition: `TICKET#${scope}#${status[0]}#${priority[0]}` }
            : isTagged
              ? { partition: `TAGGED#${scope}#${tags[0]}` }
              : { index: 'gsi1', partition: `TICKET#${scope}` }
      const filters: Condition[] = isKey ? [] : [...oneOfThese('status', status), ...oneOfThese('priority', priority)]
      if (!isTagged && tags.length > 0) filters.push({ or: tags.map((tag) => ({ attr: 'tags', contains: tag })) })
      const range = { from: from?.toString(), to: to?.toString() }
      return pageOf(table, isTagged ? tagged : tickets, { ...look, ...range, filters }, limit, cursor)
    },
  }
}
