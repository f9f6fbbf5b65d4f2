// Writes without end, so that a test can kill it: `tsx pglite-process.ts FOLDER`. Says how many changes are in.
import { PGlite } from '@electric-sql/pglite'
import { pgliteLists } from 'lapidary-pages'
import { contextOf } from './setting.ts'

const [folder = ''] = process.argv.slice(2)
const lists = pgliteLists({ folder, open: (data) => PGlite.create(data) }).open(contextOf('pages'))
await lists.create()
const question = {
  groups: ['42'],
  includes: () => true,
  lower: undefined,
  upper: undefined,
  ascending: true,
  offset: 0,
}
const { total } = await lists.select(question)
console.log(total)
for (let i = total; ; i++) {
  const place = { score: i, member: `c${i}` }
  await lists.apply('shard', [
    { sequenceNumber: String(1_000_000 + i), steps: [{ op: 'add', group: '42', cell: 'en#5', place }] },
  ])
  console.log(i + 1)
}
