import { type ListChange, type ListEntry, type ListStep, type PageStore, pageMarkers, segments } from 'lapidary'
import { advise, type PageIndexName } from 'lapidary/advisor'
import { expect, test } from 'vitest'
import { testEngines } from '../../../../test/engines/index.ts'
import { seededRandom } from '../../src/testing/seeded-random.ts'
import { comment, comments } from '../comments-fixture.ts'
import { openTestTable } from '../test-table.ts'
import { observeWrites } from './observe-writes.ts'

const [engine] = testEngines()
const CHANGES = 40
const LOOK_UPS = 12

/** Nine in ten are new; of the others half change a rating and half delete. */
const MIXED = { create: 0.9, delete: 0.05, edit: { rating: 0.05 } } as const

test.each<[PageIndexName, PageStore, number, number, boolean]>([
  ['dynamodb', segments(), 120, 1, true],
  ['dynamodb', segments(), 3_000, 4, true],
  ['page-markers', pageMarkers(), 120, 1, true],
  ['page-markers', pageMarkers(), 3_000, 4, false],
])('%s, case %#: a write and a look-up take what is measured', async (name, store, items, together, mixed) => {
  if (engine === undefined) throw new Error('there is no engine')
  const writes = mixed ? MIXED : { create: 1 }
  const { pages } = advise(comments as never, {
    ...{ writesPerSecond: 1, readsPerSecond: 1, writes, pages: { share: 1, together } },
    scopes: [{ scopes: 1, items, reads: 1, writes: 1 }],
  })
  const expected = pages.indexes.find((index) => index.name === name)
  await using table = await openTestTable(engine, { comments }, { derived: { pages: store } })
  const index = table.lapidary.comments.context.pages
  if (index === undefined || expected === undefined) throw new Error('there is no page index')
  const random = seededRandom(7)
  const at = (i: number): ListEntry => index.entryOf(entryAt(i, random)) ?? expect.fail('an entry')
  const { layout, codec } = table.lapidary.comments.context
  function entryAt(i: number, draw: () => number) {
    const item = comment({
      id: `01JXB0QR1RYGA95JZ7Q6P${String(i).padStart(5, '0')}`,
      ...{ rating: ([5, 5, 5, 4, 1] as const)[Math.floor(draw() * 5)] ?? 5, language: draw() < 0.7 ? 'en' : 'de' },
      createdAt: new Date(Date.UTC(2024, 0, 1) + i * 60_000).toISOString(),
    })
    return layout.entriesOf({ ...item }, codec.toEntry({ ...item }))[0] ?? {}
  }
  const stored = Array.from({ length: items }, (_, i) => at(i))
  const filling = await index.lists.fill()
  await filling.add(stored)
  await filling.finish()

  const lookUp = async (i: number): Promise<number> => {
    const offset = Math.floor((items * i) / LOOK_UPS)
    const range = { lower: undefined, upper: undefined }
    return (await index.lists.select({ group: '42', includes: () => true, ...range, ascending: false, offset })).rcu
  }
  // The first one reads whether the index is complete, too.
  await lookUp(0)
  let read = 0
  for (let i = 0; i < LOOK_UPS; i++) read += await lookUp(i)
  expect(Math.abs(read / LOOK_UPS / expected.unitsPerLookUp - 1), 'read units').toBeLessThan(0.1)

  const units = observeWrites(table.client)
  const changes = Array.from({ length: CHANGES }, (_, i): ListChange => {
    const old = stored[Math.floor(random() * items)] as ListEntry
    const steps: readonly ListStep[] =
      mixed && i % 20 === 10
        ? [{ op: 'remove', ...old }]
        : mixed && i % 20 === 0
          ? [
              { op: 'remove', ...old },
              { op: 'add', ...old, cell: old.cell === 'en#5' ? 'en#1' : 'en#5' },
            ]
          : [{ op: 'add', ...at(items + i) }]
    return { sequenceNumber: String(1e9 + i), steps }
  })
  for (let i = 0; i < CHANGES; i += together) await index.lists.apply('shard', changes.slice(i, i + together))
  expect(Math.abs(units.written / CHANGES / expected.unitsPerWrite - 1), 'write units').toBeLessThan(0.1)
})
