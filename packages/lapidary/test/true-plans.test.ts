import { createLapidary } from 'lapidary'
import { describe, expect, test } from 'vitest'
import { countsShape } from '../src/derived/counts/counts-shape.ts'
import {
  changeDerivedRegister,
  noteCounted,
  REGISTER_KEY,
  withState,
} from '../src/derived/register/derived-register.ts'
import { indexes } from '../src/layouts/indexes/indexes.ts'
import type { Collection } from '../src/model/collection.ts'
import { createEntryCodec, type Entry } from '../src/model/entry.ts'
import { type Comment, comment, comments } from './comments-fixture.ts'
import { type MemoryClient, memoryClient } from './memory-client.ts'
import { memoryItems } from './memory-items/memory-items.ts'

const layout = indexes().of(comments)
const codec = createEntryCodec(comments)
const partitionKeys = Object.fromEntries(layout.indexes.map(({ name, keys }) => [name, keys.partition[0]?.name ?? '']))

function entryOf(item: Comment): Entry {
  const [entry = {}] = layout.entriesOf({ ...item }, codec.toEntry({ ...item }))
  return entry
}

/** Comments a minute apart, the rating of each by its number, the newest being number 0. */
function written(count: number, rating: (i: number) => Comment['rating'], bytes = 100): Entry[] {
  return Array.from({ length: count }, (_, i) => {
    const createdAt = new Date(Date.UTC(2024, 0, 1) - i * 60_000).toISOString()
    return entryOf(comment({ id: String(100_000 - i), createdAt, rating: rating(i), text: 'x'.repeat(bytes) }))
  })
}

function open(client: MemoryClient, statistics = false) {
  return createLapidary({
    client: client as never,
    tableName: 'comments',
    collections: { comments },
    cursorSecret: 'a secret of the tests',
    derived: { counts: statistics },
    clock: () => 0,
  }).comments
}

/** A stretch of nothing but threes, though rating 1 is declared as 12 % and rating 3 as 8 %. */
const burst = (i: number): Comment['rating'] => (i % 20 === 0 ? 1 : 3)

describe('shares are local', () => {
  const query = { scope: '42', where: { language: 'en', rating: [1, 3] as const }, limit: 20 }

  test('the page after one that gave another mix reads more of what there is, and no more rounds', async () => {
    const lapidary = open(memoryClient(written(400, burst), partitionKeys))
    const first = await lapidary.list(query)
    const second = await lapidary.list({ ...query, cursor: first.cursors.next ?? '' })
    const fetched = ({ plan }: typeof first): number[] =>
      plan.tree.inputs[0]?.inputs.map(({ estimated }) => estimated.items) ?? []
    expect(fetched(first)[0]).toBeGreaterThanOrEqual(fetched(first)[1] ?? 0)
    expect(fetched(second)[1]).toBeGreaterThan(fetched(second)[0] ?? 0)
    expect(second.plan.actual?.rounds).toBe(1)
    expect(second.plan.estimated.rcu).toBeLessThan(first.plan.estimated.rcu)
  })

  test('another process, which did not see that page, plans by the whole list', async () => {
    const client = memoryClient(written(400, burst), partitionKeys)
    const first = await open(client).list(query)
    const cursor = first.cursors.next ?? ''
    const elsewhere = await open(client).list({ ...query, cursor })
    const again = await open(client).list({ ...query, cursor })
    expect(elsewhere.plan.text).toBe(again.plan.text)
    expect(elsewhere.items).toEqual(again.items)
  })

  test('a cursor tells nothing of the mix: its size and text are those of another process', async () => {
    const client = memoryClient(written(400, burst), partitionKeys)
    const lapidary = open(client)
    const first = await lapidary.list(query)
    expect((await open(client).list(query)).cursors.next).toBe(first.cursors.next)
    const second = await lapidary.list({ ...query, cursor: first.cursors.next ?? '' })
    expect(second.cursors.next?.length).toBe(first.cursors.next?.length)
    expect(second.cursors.next?.length).toBeLessThanOrEqual(160)
  })
})

test('expected capacity becomes that of the entries, whatever was declared', async () => {
  for (const bytes of [20, 1_500]) {
    const lapidary = open(
      memoryClient(
        written(400, () => 5, bytes),
        partitionKeys,
      ),
    )
    let page = await lapidary.list({ scope: '42', limit: 20 })
    for (let i = 0; i < 5; i++) page = await lapidary.list({ scope: '42', limit: 20, cursor: page.cursors.next ?? '' })
    expect(page.plan.actual?.rcu).toBeCloseTo(page.plan.estimated.rcu, 0)
  }
})

test('the counts are not awaited before the list is read', async () => {
  const register = memoryItems()
  const collection = comments as unknown as Collection
  await changeDerivedRegister(register, (found) => withState(found, [countsShape(collection, layout)], 'ready'))
  await noteCounted(register)
  let answerCounts: (entries: readonly Entry[]) => void = () => {}
  const counts = new Promise<readonly Entry[]>((resolve) => {
    answerCounts = resolve
  })
  const client = memoryClient(
    written(40, () => 5),
    partitionKeys,
    async (partition) => (partition === REGISTER_KEY.PK ? register.entries : counts),
  )
  const lapidary = open(client, true)
  const reading = lapidary.list({ scope: '42', limit: 20 })
  await new Promise((resolve) => setImmediate(resolve))
  expect(client.queries).toHaveLength(1)
  const total = { count_5: { N: '40' }, count_total: { N: '40' } }
  answerCounts([{ PK: { S: '~counts#COMMENT#42' }, SK: { S: 'en' }, ...total }])
  const first = await reading
  expect(first).toMatchObject({ page: { total: 40 }, plan: { basis: 'declared' } })
  const second = await lapidary.list({ scope: '42', limit: 20, cursor: first.cursors.next ?? '' })
  expect(second.plan.basis).toBe('statistics')
})
