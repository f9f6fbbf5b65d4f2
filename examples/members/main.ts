/**
 * An organisation's members and its admins: the admins have a sparse index, so a list of them reads no other member, and that index can be
 * scanned for the admins of all organisations.
 */
import { anyOf, defineCollection, type ScanProgress } from 'lapidary'
import { z } from 'zod'
import { compare, forEach, openExample, show } from '../example.ts'

const members = defineCollection({
  name: 'MEMBER',
  schema: z.object({
    id: z.string(),
    organisation: z.string(),
    email: z.string(),
    role: z.enum(['admin', 'editor', 'reader']),
    joinedAt: z.string(),
  }),
  id: 'id',
  scope: { name: 'ORGANISATION', attribute: 'organisation' },
  order: 'joinedAt',
  facets: { role: anyOf(['admin', 'editor', 'reader'], { frequencies: { admin: 0.02, editor: 0.18, reader: 0.8 } }) },
  indexes: { all: {}, admins: { only: { role: ['admin'] } } },
  itemBytes: 200,
})

const all = Array.from({ length: 900 }, (_, i) => ({
  id: `m${1000 + i}`,
  organisation: i % 3 === 0 ? 'globex' : 'initech',
  email: `m${1000 + i}@example.org`,
  role: i % 50 === 7 ? ('admin' as const) : i % 5 === 1 ? ('editor' as const) : ('reader' as const),
  joinedAt: new Date(Date.UTC(2021, 0, 1) + i * 51_234_567).toISOString(),
}))
const newestFirst = all.toReversed()

await using database = await openExample({ members })
const { lapidary } = database
await forEach(all, (member) => lapidary.members.create(member))

await show(
  'Admins of initech: the sparse index holds them alone',
  (cursor) => lapidary.members.list({ scope: 'initech', where: { role: 'admin' }, cursor }),
  newestFirst.filter(({ organisation, role }) => organisation === 'initech' && role === 'admin'),
)
await show(
  'All members of initech, 100 to a page: the query goes beyond the condition, so another index answers',
  (cursor) => lapidary.members.list({ scope: 'initech', limit: 100, cursor }),
  newestFirst.filter(({ organisation }) => organisation === 'initech'),
)
await show(
  'Editors of initech: no index has the role, so a filter discards what was read, and the plan warns',
  (cursor) => lapidary.members.list({ scope: 'initech', where: { role: 'editor' }, cursor }),
  newestFirst.filter(({ organisation, role }) => organisation === 'initech' && role === 'editor'),
)

console.log('\nAdmins of all organisations: the sparse index is scanned as a whole, in two segments')
const found: (typeof all)[number][] = []
const onProgress = ({ items, capacity }: ScanProgress): void =>
  console.log(`  SCAN admins: ${items} items so far, ${capacity} RCU`)
for await (const admin of lapidary.members.scan('admins', { segments: 2, onProgress })) found.push(admin)
compare(
  found.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
  all.filter(({ role }) => role === 'admin'),
)
