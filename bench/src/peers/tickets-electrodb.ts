import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { Entity, Service } from 'electrodb'
import type { Store } from './domain.ts'
import { anyClause } from './electrodb.ts'
import { createPlainTable, inDynamoForm } from './plain-table.ts'
import type { TicketRow } from './rows.ts'

const STATUSES = ['open', 'pending', 'closed'] as const
const PRIORITIES = ['low', 'normal', 'high'] as const

export function openTickets(client: DynamoDBClient, table: string): Store<TicketRow> {
  const attributes = {
    id: { type: 'string', required: true },
    scope: { type: 'string', required: true },
    at: { type: 'string', required: true },
    status: { type: STATUSES, required: true },
    priority: { type: PRIORITIES, required: true },
    tags: { type: 'list', items: { type: 'string' }, required: true },
    assignee: { type: 'string', required: true },
    subject: { type: 'string' },
  } as const
  const sk = <F extends string>(field: F) => ({ field, composite: ['at', 'id'] as const })
  const tickets = new Entity({
    model: { entity: 'ticket', version: '1', service: 'desk' },
    attributes,
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
  })
  // A ticket once more under each of its tags, in the table itself: an attribute that is a list can be no key.
  const tagged = new Entity({
    model: { entity: 'tagged', version: '1', service: 'desk' },
    attributes: { ...attributes, tag: { type: 'string', required: true } },
    indexes: { byTag: { pk: { field: 'pk', composite: ['scope', 'tag'] }, sk: sk('sk') } },
  })
  const desk = new Service({ tickets, tagged }, { client, table })
  const creation = (row: TicketRow) =>
    desk.transaction.write((the) => [
      the.tickets.create(row).commit(),
      ...row.tags.map((tag) => the.tagged.put({ ...row, tag }).commit()),
    ])
  const queryOf = (
    { scope = '', from = '0', to = '9' }: Parameters<Store<TicketRow>['page']>[0],
    [person]: readonly string[],
    key: Pick<TicketRow, 'status' | 'priority'> | undefined,
    tag: string | undefined,
  ) => {
    const range = [{ at: String(from) }, { at: String(to) }] as const
    if (person !== undefined) return tickets.query.byAssignee({ scope, assignee: person }).between(...range)
    if (key !== undefined) return tickets.query.byStatusAndPriority({ scope, ...key }).between(...range)
    if (tag !== undefined) return tagged.query.byTag({ scope, tag }).between(...range)
    return tickets.query.byDate({ scope }).between(...range)
  }
  return {
    createTable: () => createPlainTable(client, table, 3),
    create: (row) => creation(row).go(),
    stored: (row) =>
      creation(row)
        .params()
        .TransactItems.map((write) => inDynamoForm('Put' in write ? write.Put.Item : {})),
    async page(question, limit, cursor) {
      const {
        status = [],
        priority = [],
        tags = [],
        assignee = [],
      } = question.where as Partial<Record<string, string[]>>
      const statuses = status as TicketRow['status'][]
      const priorities = priority as TicketRow['priority'][]
      const isKey = assignee.length === 0 && status.length === 1 && priority.length === 1
      const key = isKey ? ({ status: statuses[0], priority: priorities[0] } as TicketRow) : undefined
      const isTagged = !isKey && assignee.length === 0 && tags.length === 1
      // ElectroDB reads `limit` items at once and returns `count` of those that pass the filter.
      const isFiltered = (!isTagged && tags.length > 0) || (!isKey && status.length + priority.length > 0)
      const size = isFiltered ? { count: limit, limit: 100 } : { limit }
      const { data, cursor: next } = await queryOf(question, assignee, key, isTagged ? tags[0] : undefined)
        .where((the, { eq }) => anyClause((isKey ? [] : statuses).map((value) => eq(the.status, value))))
        .where((the, { eq }) => anyClause((isKey ? [] : priorities).map((value) => eq(the.priority, value))))
        .where((the, { contains }) => anyClause((isTagged ? [] : tags).map((value) => contains(the.tags, value))))
        .go({ order: 'desc', cursor: cursor ?? null, ...size })
      return { ids: data.map(({ id }) => id), next }
    },
  }
}
