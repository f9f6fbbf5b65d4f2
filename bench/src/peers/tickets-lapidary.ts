import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { anyOf, createLapidary, defineCollection, oneOf } from 'lapidary'
import { importItems } from 'lapidary/transfer'
import { z } from 'zod'
import type { Store } from './domain.ts'
import type { TicketRow } from './rows.ts'

const STATUSES = ['open', 'pending', 'closed'] as const
const PRIORITIES = ['low', 'normal', 'high'] as const

const tickets = defineCollection({
  name: 'TICKET',
  schema: z.object({
    ...{ id: z.string(), scope: z.string(), at: z.string(), subject: z.string(), label: z.string() },
    ...{ status: z.enum(STATUSES), priority: z.enum(PRIORITIES), assignee: z.string() },
  }),
  id: 'id',
  scope: { name: 'TENANT', attribute: 'scope' },
  order: 'at',
  facets: {
    status: anyOf(STATUSES, { frequencies: { closed: 0.85, open: 0.1, pending: 0.05 } }),
    priority: anyOf(PRIORITIES, { frequencies: { normal: 0.7, low: 0.2, high: 0.1 } }),
    label: anyOf('string'),
    assignee: oneOf('string', { counted: false }),
  },
  indexes: {
    byDate: {},
    byStatusAndPriority: { partition: ['status', 'priority'] },
    byAssignee: { partition: ['assignee'] },
  },
})

export async function openTickets(client: DynamoDBClient, tableName: string): Promise<Store<TicketRow>> {
  const lapidary = createLapidary({
    client,
    tableName,
    collections: { tickets },
    cursorSecret: 'a secret of the bench',
  })
  await lapidary.table.create()
  return {
    create: (row) => lapidary.tickets.create(row),
    load: (rows) => importItems(lapidary.tickets, rows),
    async page({ scope, where: { assignee, ...where }, from, to }, limit, cursor) {
      const filter = { ...where, ...(assignee === undefined ? {} : { assignee: assignee[0] }) } as object
      const page = await lapidary.tickets.list({ scope, where: filter, from, to, limit, cursor })
      return { ids: page.items.map(({ id }) => id), next: page.cursors.next }
    },
  }
}
