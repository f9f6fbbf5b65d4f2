import { anyOf, defineCollection, type Lapidary, oneOf } from 'lapidary'
import { schemaOf } from '../comments-fixture.ts'

interface Ticket {
  readonly id: string
  readonly tenant: string
  readonly status: string
  readonly urgent: boolean
  readonly priority: number
  readonly openedAt: Date
  readonly note?: string
}

const ticketBase = {
  name: 'TICKET',
  schema: schemaOf<Ticket>(),
  id: 'id',
  scope: { name: 'TENANT', attribute: 'tenant' },
} as const

const tickets = defineCollection({
  ...ticketBase,
  order: { attribute: 'priority', type: 'number' },
  facets: { status: anyOf(), urgent: oneOf('boolean') },
})

const priced = defineCollection({
  ...ticketBase,
  order: { attribute: 'priority', type: 'number' },
  facets: { status: anyOf(), urgent: oneOf('boolean') },
  numbers: { note: 'decimal' },
  statistics: { across: 2, days: { of: 'note' } },
  sums: ['priority', 'note'],
  leaderboards: { urgent: { sum: 'priority' }, noted: { average: 'note', atLeast: 3 } },
})

/** Only compiled: sums have the type of what is summed. */
export async function refusedSums({
  priced: client,
}: Lapidary<{ priced: typeof priced }>): Promise<readonly unknown[]> {
  const { sums } = await client.count({ scope: 't', by: ['status'], sums: ['priority', 'note'] })
  const priority: number | undefined = sums?.priority.sum
  const note: string | null | undefined = sums?.note.average
  const none = await client.count({ scope: 't' })
  const all = await client.count({ every: 'day', sums: ['priority'] })
  const part: number | undefined = all.series?.[0]?.sums.priority.sum
  const declared = { ...ticketBase, order: { attribute: 'priority', type: 'number' }, facets: {} } as const
  return [
    ...[priority, note, part],
    // @ts-expect-error a part of a time line that there is not
    client.count({ scope: 't', every: 'year' }),
    // @ts-expect-error a sum that was not asked for
    none.sums?.priority,
    // @ts-expect-error all scopes, which are not counted together
    ({} as Lapidary<{ tickets: typeof tickets }>).tickets.count({}),
    // @ts-expect-error days of what is no time
    defineCollection({ ...declared, statistics: { days: { of: 'urgent' } } }),
    // @ts-expect-error an attribute that is not summed
    client.count({ scope: 't', sums: ['tenant'] }),
    // @ts-expect-error what is no facet
    client.count({ scope: 't', by: ['note'] }),
    // @ts-expect-error a sum of what is no number
    defineCollection({ ...declared, sums: ['openedAt'] }),
    // @ts-expect-error a sum of texts that are not declared as numbers
    defineCollection({ ...declared, sums: ['note'] }),
    // @ts-expect-error a board by the sum of what is no number
    defineCollection({ ...declared, leaderboards: { top: { sum: 'openedAt' } } }),
  ]
}
