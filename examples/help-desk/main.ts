/**
 * Tickets of a help desk by ten facets, tags among them: what a desk asks next is never known beforehand. The list of a status is an index,
 * since each desk looks at what is open; everything else is answered by columns.
 */
import { importItems } from 'lapidary/transfer'
import { openExample, show, showFigures, tally } from '../example.ts'
import { all, tickets } from './tickets.ts'

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
