import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { anyOf, createLapidary, defineCollection, eachOf, oneOf } from 'lapidary'
import { z } from 'zod'
import type { Store } from './domain.ts'
import { putsOf } from './lapidary.ts'
import type { TicketRow } from './rows.ts'

const STATUSES = ['open', 'pending', 'closed'] as const
const PRIORITIES = ['low', 'normal', 'high'] as const

const tickets = defineCollection({
  name: 'TICKET',
  schema: z.object({
    ...{ id: z.string(), scope: z.string(), at: z.string(), subject: z.string(), tags: z.array(z.string()) },
    ...{ status: z.enum(STATUSES), priority: z.enum(PRIORITIES), assignee: z.string() },
  }),
  id: 'id',
  scope: { name: 'TENANT', attribute: 'scope' },
  order: 'at',
  facets: {
    status: anyOf(STATUSES, { frequencies: { closed: 0.85, open: 0.1, pending: 0.05 } }),
    priority: anyOf(PRIORITIES, { frequencies: { normal: 0.7, low: 0.2, high: 0.1 } }),
    tags: eachOf(),
    assignee: oneOf('string', { counted: false }),
  },
  indexes: {
    byDate: {},
    byStatusAndPriority: { partition: ['status', 'priority'] },
    byAssignee: { partition: ['assignee'] },
    byTags: { partition: ['tags'] },
  },
})

export function openTickets(client: DynamoDBClient, tableName: string): Store<TicketRow> {
  const cursorSecret = 'a secret of the bench'
  const lapidary = createLapidary({ client, tableName, collections: { tickets }, cursorSecret })
  return {
    createTable: () => lapidary.table.create(),
    create: (row) => lapidary.tickets.create(row),
    stored: async (row) => putsOf(await lapidary.tickets.writes.create(row)),
    async page({ scope, where: { assignee, ...where }, from, to }, limit, cursor) {
      const filter = assignee === undefined ? where : { ...where, assignee: assignee[0] }
      const page = await lapidary.tickets.list({ scope, where: filter, from, to, limit, cursor } as { scope: string })
      return { ids: page.items.map(({ id }) => id), next: page.cursors.next }
    },
  }
}
