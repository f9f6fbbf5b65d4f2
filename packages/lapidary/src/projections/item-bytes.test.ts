import fc from 'fast-check'
import { defineCollection, lookup } from 'lapidary'
import { awkwardText } from 'lapidary/testing'
import { describe, expect, test } from 'vitest'
import { type Comment, comment, comments, schemaOf } from '../../test/comments-fixture.ts'
import { indexesLayout } from '../layouts/indexes/indexes-layout.ts'
import type { Collection, Item } from '../model/collection.ts'
import { parseQuery } from '../model/query.ts'
import { primaryKey } from '../model/stored-item.ts'
import { keyBytes } from '../operations/page-estimates.ts'
import { createEntryCodec, type Entry, entryBytes } from '../table/entry.ts'
import { itemBytes } from './item-bytes.ts'
import { scopeStatistics } from './scope-statistics.ts'
import { statisticsProjection } from './statistics.ts'

const short = defineCollection({
  name: 'COMMENT',
  schema: schemaOf<Comment>(),
  id: 'id',
  scope: { name: 'PRODUCT', attribute: 'productId' },
  order: 'createdAt',
  facets: comments.facets,
  attributes: {
    ...{ id: 'i', productId: 'p', language: 'l', rating: 'r', createdAt: 'c', version: 'v', updatedAt: 'u' },
    text: lookup('x'),
  },
  indexes: { all: {}, byLanguage: { partition: ['language'], sort: ['rating'] } },
})

/** The entry of an item in the table, with the keys of all indexes. */
function storedEntry(collection: Collection, item: Comment): Entry {
  const keys = Object.entries(indexesLayout(collection).keysOf(item as Item)).map(([name, S]) => [name, { S }])
  const { PK, SK } = primaryKey(collection, item.id)
  const attributes = createEntryCodec(collection).toEntry(item as Item)
  return { PK: { S: PK }, SK: { S: SK }, ...Object.fromEntries(keys), '~v': { N: '1' }, ...attributes }
}

const drawn = fc
  .tuple(awkwardText(), fc.string({ minLength: 1 }), fc.constantFrom(1, 3, 5))
  .map(([language, text, rating]) => comment({ language, text, rating: rating as Comment['rating'] }))

describe.each([
  ['with short names', short as unknown as Collection],
  ['with everything in every index', comments as unknown as Collection],
])('%s', (_, collection) => {
  test('an item weighs in every list what its index entry has', () => {
    const layout = indexesLayout(collection)
    fc.assert(
      fc.property(drawn, (item) => {
        const stored = storedEntry(collection, item)
        const query = parseQuery(collection, {
          scope: item.productId,
          where: { language: item.language, rating: item.rating },
        })
        const { paths } = layout.accessPaths(query, () => undefined, 32)
        expect(paths.length).toBeGreaterThan(0)
        for (const list of paths.flatMap(({ lists }) => lists)) {
          const index = layout.indexes.find(({ name }) => name === list.index)
          const names = index?.include && ['PK', 'SK', index.partitionKey, index.sortKey, ...index.include]
          const projected = names?.map((name) => [name, stored[name]] as const).filter(([, value]) => value) ?? []
          const entry = names === undefined ? stored : (Object.fromEntries(projected) as Entry)
          const bytes = itemBytes(collection, layout, stored, item as Item) + keyBytes(layout, list)
          expect(bytes).toBe(entryBytes(entry))
        }
      }),
    )
  })
})

describe('counted', () => {
  const collection = short as unknown as Collection
  const options = { collection, layout: indexesLayout(collection), codec: createEntryCodec(collection) }
  const projection = statisticsProjection({ ...options, tableName: 'comments' })
  const change = (before: Comment | undefined, after: Comment | undefined) => ({
    ...{ key: { PK: 'COMMENT#1', SK: '~' }, at: 0, sequenceNumber: '1' },
    before: before && storedEntry(collection, before),
    after: after && storedEntry(collection, after),
  })
  const named = (values: Record<string, number>): Entry => ({
    ...{ PK: { S: 'PRODUCT#42' }, SK: { S: 'S#en' } },
    ...Object.fromEntries(Object.entries(values).map(([name, N]) => [name, { N: String(N) }])),
  })

  test('a change of weight alone is counted, and one of nothing that lists show is not', () => {
    const before = comment()
    expect(projection.contributions(change(before, { ...before, text: 'Much longer than before' }))).toEqual([])
    const edited = projection.contributions(change(before, { ...before, updatedAt: '2024-01-01T00:00:00.000Z' }))
    const net = (name: string): number =>
      edited.reduce((sum, { target, counts }) => sum + (target.SK === 'S' ? (counts[name] ?? 0) : 0), 0)
    expect([net('count_5'), net('bytes_5'), net('bytes_total'), net('sized_total')]).toEqual([0, 23, 23, 0])
  })

  test('a list has the mean of its items', () => {
    const entry = named({ count_4: 2, bytes_4: 800, count_5: 4, bytes_5: 2400, count_total: 6, sized_total: 6 })
    const statistics = scopeStatistics(collection, [entry])
    expect(statistics.bytes({ language: ['en'], rating: [4] })).toBe(400)
    expect(statistics.bytes({ language: ['en'] })).toBeCloseTo(3200 / 6, 9)
    expect(statistics.bytes({ language: ['de'] })).toBeUndefined()
  })

  test('counts from before bytes were kept have none, also when some items were added since', () => {
    const old = named({ count_5: 1000, count_total: 1000 })
    expect(scopeStatistics(collection, [old]).bytes({})).toBeUndefined()
    const mixed = named({ count_5: 1001, bytes_5: 500, count_total: 1001, bytes_total: 500, sized_total: 1 })
    expect(scopeStatistics(collection, [mixed]).bytes({})).toBeUndefined()
    expect(scopeStatistics(collection, [mixed]).count({})).toBe(1001)
  })
})
