/**
 * Tickets of a help desk by ten facets, tags among them: what a desk asks next is never known beforehand. The list of a status is an index,
 * since each desk looks at what is open; everything else is answered by columns.
 */
import { anyOf, defineCollection, eachOf, oneOf } from 'lapidary'
import { importItems } from 'lapidary/transfer'
import { seededRandom } from 'lapidary-testing'
import { z } from 'zod'
import { openExample, show, showFigures, tally } from '../example.ts'

const STATUSES = ['closed', 'open', 'pending', 'solved'] as const
const PRIORITIES = ['high', 'low', 'normal'] as const
const CHANNELS = ['chat', 'mail', 'phone', 'web'] as const
const TIERS = ['free', 'pro', 'team'] as const
const TAGS = ['bug', 'login', 'refund', 'slow', 'vip'] as const
const counted = false

const tickets = defineCollection({
  name: 'TICKET',
  schema: z.object({
    ...{ id: z.string(), desk: z.string(), openedAt: z.string(), subject: z.string(), tags: z.array(z.enum(TAGS)) },
    ...{ status: z.enum(STATUSES), priority: z.enum(PRIORITIES), channel: z.enum(CHANNELS), tier: z.enum(TIERS) },
    ...{ product: z.string(), country: z.string(), language: z.string(), replies: z.number() },
    assignee: z.string().optional(),
  }),
  id: 'id',
  scope: { name: 'DESK', attribute: 'desk' },
  order: 'openedAt',
  facets: {
    status: anyOf(STATUSES),
    priority: anyOf(PRIORITIES, { counted }),
    channel: anyOf(CHANNELS, { counted }),
    tier: anyOf(TIERS, { counted }),
    product: anyOf('string', { counted }),
    country: anyOf('string', { counted }),
    language: oneOf('string', { counted }),
    replies: anyOf('number', { counted }),
    assignee: anyOf('string', { counted, optional: true }),
    tags: eachOf(TAGS, { counted }),
  },
  indexes: { all: {}, byStatus: { partition: ['status'] } },
  itemBytes: 300,
})

const random = seededRandom(10)
const pick = <V>(values: readonly [V, ...V[]]): V => values[Math.floor(random() ** 2 * values.length)] ?? values[0]
const all = Array.from({ length: 6_000 }, (_, i) => ({
  ...{ id: `t${10_000 + i}`, desk: 'europe', subject: `It does not do what it did, ${i}` },
  openedAt: new Date(Date.UTC(2026, 0, 1) + i * 765_432).toISOString(),
  ...{ status: pick(STATUSES), priority: pick(['normal', 'low', 'high'] as const), channel: pick(CHANNELS) },
  ...{ tier: pick(TIERS), product: pick(['app/ios', 'app/web', 'api', 'billing']), country: pick(['DE', 'FR', 'AT']) },
  ...{ language: pick(['en', 'de', 'fr']), replies: Math.floor(12 * random() ** 2) },
  ...(random() < 0.2 ? {} : { assignee: `person ${Math.floor(random() * 60)}` }),
  tags: TAGS.filter(() => random() < 0.25),
}))
type Ticket = (typeof all)[number]
const expected = (passes: (ticket: Ticket) => boolean): Ticket[] => all.toReversed().filter(passes)

const derived = { counts: true, columns: true }
await using database = await openExample({ tickets }, { derived, stream: { immediate: true } })
const { lapidary } = database
await importItems(lapidary.tickets, all, { derived: 'now' })
console.log(`${all.length} tickets of one desk, ten facets, two indexes`)

await show(
  'What is pending: the list of the status',
  (cursor) => lapidary.tickets.list({ scope: 'europe', where: { status: 'pending' }, cursor }),
  expected(({ status }) => status === 'pending'),
)

const wanted = {
  status: ['open', 'pending'],
  priority: ['high', 'low'],
  channel: ['mail', 'web'],
  tier: ['pro', 'team'],
  language: 'de',
  country: ['AT', 'DE'],
} as const
const isWanted = ({ status, priority, channel, tier, language, country }: Ticket): boolean =>
  (status === 'open' || status === 'pending') &&
  priority !== 'normal' &&
  (channel === 'mail' || channel === 'web') &&
  tier !== 'free' &&
  language === 'de' &&
  country !== 'FR'
const found = expected(isWanted)

await show(
  'Open or pending, not of normal priority, by mail or web, paid for, in German, from Austria or Germany: six columns',
  (cursor) => lapidary.tickets.list({ scope: 'europe', where: wanted, cursor }),
  found,
)
await showFigures(
  'How many these are, of each product and with each tag',
  lapidary.tickets.count({ scope: 'europe', where: wanted, by: ['product', 'tags'] }),
  ({ total, facets }) => ({ total, product: facets?.product, tags: facets?.tags }),
  {
    total: found.length,
    product: tally(found, ({ product }) => product),
    tags: tally(
      found.flatMap(({ tags }) => (tags.length === 0 ? [null] : tags)),
      (tag) => tag,
    ),
  },
)
await show(
  'Slow and of a VIP, not a refund, of an app, more than four replies: tags together, and the beginning of a text',
  (cursor) =>
    lapidary.tickets.list({
      ...{ scope: 'europe', cursor },
      where: {
        tags: { hasEvery: ['slow', 'vip'], hasNone: ['refund'] },
        ...{ product: { startsWith: 'app/' }, replies: { from: 5 } },
      },
    }),
  expected(
    ({ tags, product, replies }) =>
      tags.includes('slow') &&
      tags.includes('vip') &&
      !tags.includes('refund') &&
      product.startsWith('app/') &&
      replies > 4,
  ),
)
await show(
  'High and assigned to no person, or answered ten times and not solved: OR of different facets',
  (cursor) =>
    lapidary.tickets.list({
      ...{ scope: 'europe', cursor },
      where: {
        NOT: { status: ['closed', 'solved'] },
        OR: [{ priority: 'high', assignee: null }, { replies: { from: 10 } }],
      },
    }),
  expected(
    ({ status, priority, assignee, replies }) =>
      (status === 'open' || status === 'pending') && ((priority === 'high' && assignee === undefined) || replies >= 10),
  ),
)
