import fc from 'fast-check'
import { awkwardText } from 'lapidary-testing'
import { describe, expect, test } from 'vitest'
import { type Comment, comment, comments, schemaOf } from '../../../test/comments-fixture.ts'
import { keyAttributes } from '../../layouts/index-definition.ts'
import { indexes } from '../../layouts/indexes/indexes.ts'
import type { Collection, Item } from '../../model/collection.ts'
import { defineCollection, lookup } from '../../model/collection.ts'
import { createEntryCodec, type Entry, entryBytes } from '../../model/entry.ts'
import { parseQuery } from '../../model/query.ts'
import { keyBytes } from '../../read/page-estimates.ts'
import { countsProjection } from './counts.ts'
import { countsShape } from './counts-shape.ts'
import { byteReader, shownBytes } from './item-bytes.ts'
import { scopeStatistics } from './scope-counts.ts'

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
  const attributes = createEntryCodec(collection).toEntry(item as Item)
  const [entry = {}] = indexes()
    .of(collection)
    .entriesOf(item as Item, { '~v': { N: '1' }, ...attributes })
  return entry
}

const drawn = fc
  .tuple(awkwardText(), fc.string({ minLength: 1 }), fc.constantFrom(1, 3, 5))
  .map(([language, text, rating]) => comment({ language, text, rating: rating as Comment['rating'] }))

describe.each([
  ['with short names', short as unknown as Collection],
  ['with everything in every index', comments as unknown as Collection],
])('%s', (_, collection) => {
  test('an item weighs in every list what its index entry has', () => {
    const layout = indexes().of(collection)
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
          const names = index?.include && [
            'PK',
            'SK',
            ...keyAttributes(index).map(({ name }) => name),
            ...index.include,
          ]
          const projected = names?.map((name) => [name, stored[name]] as const).filter(([, value]) => value) ?? []
          const entry = names === undefined ? stored : (Object.fromEntries(projected) as Entry)
          const bytes = byteReader(shownBytes(collection, layout))(stored) + keyBytes(layout, list)
          expect(bytes).toBe(entryBytes(entry))
        }
      }),
    )
  })
})

describe('counted', () => {
  const collection = short as unknown as Collection
  const projection = countsProjection(countsShape(collection, indexes().of(collection)), [])
  const added = (item: Comment, name: string): number =>
    Number(projection.contributions(storedEntry(collection, item))[0]?.amounts[name] ?? 0)
  const named = (values: Record<string, number>): Entry => ({
    ...{ PK: { S: '~counts#COMMENT#42' }, SK: { S: 'en' } },
    ...Object.fromEntries(Object.entries(values).map(([name, N]) => [name, { N: String(N) }])),
  })

  test('a change of weight alone is counted, and one of nothing that lists show is not', () => {
    const before = comment()
    const longer = { ...before, text: 'Much longer than before' }
    expect(projection.contributions(storedEntry(collection, longer))).toEqual(
      projection.contributions(storedEntry(collection, before)),
    )
    const edited = { ...before, updatedAt: '2024-01-01T00:00:00.000Z' }
    const names = ['count_5', 'bytes_5', 'bytes_total', 'sized_total']
    expect(names.map((name) => added(edited, name) - added(before, name))).toEqual([0, 23, 23, 0])
  })

  test('a heavy item is counted by its class, in each list that has it, and an edit takes it to another', () => {
    // An id is in an item three times: as its key, by itself, and at the end of its position.
    const of = (length: number): Comment => comment({ id: 'a'.repeat(length) })
    const names = ['upto4k_5', 'upto8k_5', 'upto4k_total', 'upto8k_total']
    const classes = (item: Comment): readonly number[] => names.map((name) => added(item, name))
    expect([of(500), of(1_000), of(2_000)].map(classes)).toEqual([
      [0, 0, 0, 0],
      [1, 0, 1, 0],
      [0, 1, 0, 1],
    ])
    const entry = named({ count_4: 9, bytes_4: 9_000, count_5: 2, bytes_5: 9_000, upto4k_5: 1, upto8k_5: 1 })
    const statistics = scopeStatistics(collection, [{ ...entry, count_total: { N: '11' }, sized_total: { N: '11' } }])
    const heavy = (rating: number): unknown =>
      statistics.sizeClasses({ rating: [rating] })?.filter(({ entries }) => entries > 0)
    const others = { entries: Number.POSITIVE_INFINITY, bytes: 2_048 }
    expect(heavy(4)).toEqual([others])
    expect(heavy(5)).toEqual([{ entries: 1, bytes: 8_192 }, { entries: 1, bytes: 4_096 }, others])
    expect(statistics.sizeClasses({ rating: [3] })).toBeUndefined()
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

test('in an index whose keys are the item’s own, an item weighs what is projected, and its keys', () => {
  const collection = comments as unknown as Collection
  const key = (name: string) => ({ name, type: 'S' }) as const
  const own = {
    ...{ name: 'byProduct', include: ['text'] },
    keys: { partition: [key('productId')], sort: [key('createdAt'), key('version')] },
  }
  const image: Entry = {
    ...{ PK: { S: 'COMMENT#1' }, SK: { S: '~' }, text: { S: 'Good.' }, language: { S: 'en' } },
    ...{ productId: { S: '42' }, createdAt: { S: '2024' } },
  }
  const { language: _, ...shown } = image
  expect(byteReader(shownBytes(collection, { indexes: [own] }))(image)).toBe(entryBytes(shown))
  const whole = { ...own, include: undefined }
  expect(byteReader(shownBytes(collection, { indexes: [whole] }))(image)).toBe(entryBytes(image))
})
