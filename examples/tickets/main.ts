/**
 * Support tickets of tenants: four facets, of which one is tags, several to a ticket, and one is a thousand people, who are not counted. All filters of a
 * tenant are lists or merges of lists; what no index has is a filter, and the plan says what it lets through. No list of a tenant has a ticket
 * of another, though tags and people have the same names in each.
 */
import { anyOf, defineCollection, eachOf, oneOf } from 'lapidary'
import { importItems } from 'lapidary/transfer'
import { z } from 'zod'
import { compare, openExample, show } from '../example.ts'

const STATUSES = ['closed', 'open', 'pending'] as const
const PRIORITIES = ['high', 'low', 'normal'] as const

const tickets = defineCollection({
  name: 'TICKET',
  schema: z.object({
    ...{ id: z.string(), tenant: z.string(), openedAt: z.string(), subject: z.string(), tags: z.array(z.string()) },
    ...{ status: z.enum(STATUSES), priority: z.enum(PRIORITIES), assignee: z.string().optional() },
  }),
  id: 'id',
  scope: { name: 'TENANT', attribute: 'tenant' },
  order: 'openedAt',
  facets: {
    status: anyOf(STATUSES, { frequencies: { closed: 0.8, open: 0.15, pending: 0.05 } }),
    priority: anyOf(PRIORITIES, { frequencies: { normal: 0.7, low: 0.2, high: 0.1 } }),
    tags: eachOf(),
    assignee: oneOf('string', { counted: false, optional: true }),
  },
  indexes: {
    byDate: {},
    byStatusAndPriority: { partition: ['status', 'priority'] },
    byAssignee: { partition: ['assignee'] },
    byTags: { partition: ['tags'] },
    // The desk's own view: what is open anywhere, over two partitions.
    allByStatus: { partition: ['status'], across: 2 },
  },
  itemBytes: 250,
})

const all = Array.from({ length: 3_000 }, (_, i) => {
  const openedAt = new Date(Date.UTC(2026, 0, 1) + i * 987_654).toISOString()
  const status = i % 20 === 7 ? 'pending' : i % 7 === 3 ? 'open' : 'closed'
  const priority = i % 11 === 3 ? 'high' : i % 5 === 1 ? 'low' : 'normal'
  const assigned = i % 9 === 0 ? {} : { assignee: `person ${(i * 37) % 1_000}` }
  const tags = [
    ...(i % 6 === 0 ? [] : [`area ${i % 6}`]),
    ...(i % 8 === 3 ? ['slow'] : []),
    ...(i % 50 === 11 ? ['vip'] : []),
  ]
  const rest = { status, priority, tags, ...assigned } as const
  return { id: `t${10_000 + i}`, tenant: i % 4 === 0 ? 'small' : 'large', openedAt, subject: `Ticket ${i}`, ...rest }
})
const newestFirst = all.toReversed()
type Ticket = (typeof all)[number]
const expected = (passes: (ticket: Ticket) => boolean): Ticket[] => newestFirst.filter(passes)

await using database = await openExample({ tickets })
const { lapidary } = database
await importItems(lapidary.tickets, all)
const people = new Set(all.flatMap(({ assignee }) => assignee ?? []))
console.log(`${all.length} tickets, assigned to ${people.size} people`)

await show(
  'Open tickets of high priority of the large tenant: one list',
  (cursor) => lapidary.tickets.list({ scope: 'large', where: { status: 'open', priority: 'high' }, cursor }),
  expected(({ tenant, status, priority }) => tenant === 'large' && status === 'open' && priority === 'high'),
)
await show(
  'Open or pending, high or low: four lists, merged by date',
  (cursor) =>
    lapidary.tickets.list({
      ...{ scope: 'large', cursor },
      where: { status: ['open', 'pending'], priority: ['high', 'low'] },
    }),
  expected(({ tenant, status, priority }) => tenant === 'large' && status !== 'closed' && priority !== 'normal'),
)
await show(
  'Tickets of one person: one list, without a total',
  (cursor) => lapidary.tickets.list({ scope: 'large', where: { assignee: 'person 37' }, cursor }),
  expected(({ tenant, assignee }) => tenant === 'large' && assignee === 'person 37'),
)
await show(
  'Tickets of one person that are closed: a filter on the list of the person, which is short',
  (cursor) => lapidary.tickets.list({ scope: 'large', where: { assignee: 'person 37', status: 'closed' }, cursor }),
  expected(({ tenant, assignee, status }) => tenant === 'large' && assignee === 'person 37' && status === 'closed'),
)
await show(
  'Tickets that are assigned to no person: no value is a value',
  (cursor) => lapidary.tickets.list({ scope: 'large', where: { assignee: null }, cursor }),
  expected(({ tenant, assignee }) => tenant === 'large' && assignee === undefined),
)
await show(
  'Tickets with a tag: one list, of every ticket that has it among others',
  (cursor) => lapidary.tickets.list({ scope: 'large', where: { tags: 'slow' }, cursor }),
  expected(({ tenant, tags }) => tenant === 'large' && tags.includes('slow')),
)
await show(
  'Tickets with any of three tags: three lists, merged, each ticket once',
  (cursor) => lapidary.tickets.list({ scope: 'large', where: { tags: ['slow', 'vip', 'area 5'] }, cursor }),
  expected(({ tenant, tags }) => tenant === 'large' && ['slow', 'vip', 'area 5'].some((tag) => tags.includes(tag))),
)
await show(
  'Pending with a tag: a filter on what is pending',
  (cursor) => lapidary.tickets.list({ scope: 'large', where: { status: 'pending', tags: 'area 1' }, cursor }),
  expected(({ tenant, status, tags }) => tenant === 'large' && status === 'pending' && tags.includes('area 1')),
)
await show(
  'A tag that both tenants have, in the small one: another list',
  (cursor) => lapidary.tickets.list({ scope: 'small', where: { tags: 'area 4' }, cursor }),
  expected(({ tenant, tags }) => tenant === 'small' && tags.includes('area 4')),
)
await show(
  'Pending tickets of both tenants, named',
  (cursor) => lapidary.tickets.list({ scope: ['large', 'small'], where: { status: 'pending' }, cursor }),
  expected(({ status }) => status === 'pending'),
)
await show(
  'Pending tickets of all tenants: the index that is not of one',
  (cursor) => lapidary.tickets.list({ where: { status: 'pending' }, cursor }),
  expected(({ status }) => status === 'pending'),
)

const { cursors } = await lapidary.tickets.list({ scope: 'large', where: { tags: 'area 4' } })
const stolen = lapidary.tickets.list({ scope: 'small', where: { tags: 'area 4' }, cursor: cursors.next })
console.log('\nA cursor of one tenant in a list of the other, for 0 RCU:')
compare(await stolen.catch(({ code }) => code), 'cursor_mismatch')
