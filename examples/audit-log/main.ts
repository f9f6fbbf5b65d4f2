/**
 * An audit log: entries are only added, several at one millisecond, and expire. A page is a range of time and some kinds of entries; what has
 * expired is in no list, whether or not DynamoDB has removed it. With `ITEMS=1000000` there are as many entries as that,
 * which takes some minutes to store: a page costs the same.
 */
import { anyOf, defineCollection } from 'lapidary'
import { importItems } from 'lapidary/transfer'
import { z } from 'zod'
import { compare, openExample, show } from '../example.ts'

const KINDS = ['export', 'grant', 'login', 'read', 'write'] as const
const NOW = Date.UTC(2030, 0, 31)
const DAY = 86_400_000
const ITEMS = Number(process.env.ITEMS ?? 6_000)

const entries = defineCollection({
  name: 'AUDIT',
  schema: z.object({
    ...{ id: z.string(), organisation: z.string(), at: z.string(), actor: z.string() },
    ...{ kind: z.enum(KINDS), expiresAt: z.string() },
  }),
  id: 'id',
  scope: { name: 'ORGANISATION', attribute: 'organisation' },
  order: 'at',
  facets: { kind: anyOf(KINDS, { frequencies: { read: 0.7, write: 0.2, login: 0.08, grant: 0.015, export: 0.005 } }) },
  indexes: { byTime: {}, byKind: { partition: ['kind'] } },
  expires: 'expiresAt',
  itemBytes: 200,
})

// A month, three entries at a time; reads are kept for a week.
const all = Array.from({ length: ITEMS }, (_, i) => {
  const time = NOW - 30 * DAY + Math.floor(((i - (i % 3)) / ITEMS) * 30 * DAY)
  const kind =
    i % 211 === 5 ? 'export' : i % 67 === 2 ? 'grant' : i % 12 === 1 ? 'login' : i % 5 === 3 ? 'write' : 'read'
  return {
    ...{ id: `e${String(i).padStart(7, '0')}`, organisation: 'acme', at: new Date(time).toISOString(), kind },
    ...{ actor: `user ${i % 50}`, expiresAt: new Date(time + (kind === 'read' ? 7 : 365) * DAY).toISOString() },
  } as const
})
const live = all.toReversed().filter(({ expiresAt }) => Date.parse(expiresAt) > NOW)

await using database = await openExample({ entries }, { clock: () => NOW })
const { lapidary } = database
const { written } = await importItems(lapidary.entries, all)
console.log(`${written} entries, of which ${all.length - live.length} have expired`)

await show(
  'The latest entries: one list',
  (cursor) => lapidary.entries.list({ scope: 'acme', limit: 100, cursor }),
  live,
)
await show(
  'Grants and exports, the latest first: two lists, merged',
  (cursor) => lapidary.entries.list({ scope: 'acme', where: { kind: ['grant', 'export'] }, cursor }),
  live.filter(({ kind }) => kind === 'grant' || kind === 'export'),
)
const range = { from: new Date(NOW - 3 * DAY).toISOString(), to: new Date(NOW - 2 * DAY).toISOString() }
await show(
  'Writes of one day, from its beginning: a range of a list',
  (cursor) => lapidary.entries.list({ scope: 'acme', where: { kind: 'write' }, ...range, order: 'oldest', cursor }),
  live.filter(({ kind, at }) => kind === 'write' && at >= range.from && at < range.to).toReversed(),
)

const ids: string[] = []
for await (const { id } of lapidary.entries.iterate({ scope: 'acme', where: { kind: 'export' } })) ids.push(id)
console.log(`  and ${ids.length} exports for an auditor, one after the other by iterate:`)
compare(
  ids,
  live.filter(({ kind }) => kind === 'export').map(({ id }) => id),
)
