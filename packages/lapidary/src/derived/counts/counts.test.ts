import { expect, test } from 'vitest'
import { schemaOf } from '../../../test/comments-fixture.ts'
import { withoutDigest } from '../../../test/derived-keys.ts'
import { indexes } from '../../layouts/indexes/indexes.ts'
import { type Collection, defineCollection, type Item } from '../../model/collection.ts'
import { createEntryCodec, type Entry } from '../../model/entry.ts'
import { anyOf, eachOf, type Facets, oneOf } from '../../model/facet.ts'
import type { Amounts } from '../amount.ts'
import type { SumProjection } from '../sum-projection.ts'
import { cellReader, OTHER_VALUE } from './counted-cell.ts'
import { countsProjection } from './counts.ts'
import { counterName, counterText, counterTexts, countsShape, isCounted, statisticsShape } from './counts-shape.ts'
import { scopeStatistics } from './scope-counts.ts'

const things = (facets: Facets): Collection =>
  defineCollection({
    ...{ name: 'THING', schema: schemaOf<Item>(), id: 'id', order: 'at', facets, indexes: { all: {} } },
    scope: { name: 'PARENT', attribute: 'parent' },
  }) as unknown as Collection

const projectionOf = (collection: Collection): SumProjection =>
  countsProjection(countsShape(collection, indexes().of(collection)), [])

/** What an item adds to the counts of each sort key, without its bytes. */
function counted(collection: Collection, item: Item): Record<string, Amounts> {
  const whole = { id: '1', parent: '42', at: '2024-01-01T00:00:00.000Z', ...item }
  const contributions = projectionOf(collection).contributions(createEntryCodec(collection).toEntry(whole))
  return Object.fromEntries(
    contributions.map(({ target, amounts }) => {
      expect(withoutDigest(target.PK)).toBe('~counts#THING#42')
      return [target.SK, Object.fromEntries(Object.entries(amounts).filter(([name]) => !name.startsWith('bytes')))]
    }),
  )
}
const total = { count_total: 1, sized_total: 1 }

test('an item counts in all of its scope, and in each value of an open facet, by the values of closed ones', () => {
  const collection = things({ language: oneOf(), rating: anyOf([1, 2, 3]), state: anyOf(['OPEN', 'total']) })
  const amounts = { ...total, 'count_2.%74otal': 1 }
  expect(counted(collection, { language: 'en', rating: 2, state: 'total' })).toEqual({ '~': amounts, en: amounts })
})

test('an item counts by each of its values of a facet that has several, with the others at any', () => {
  const collection = things({ rating: anyOf([1, 2]), size: eachOf(['S', 'M']), colour: eachOf(['red', 'blue']) })
  expect(counted(collection, { rating: 2, size: ['S', 'M'], colour: ['red'] })).toEqual({
    '~': {
      ...total,
      ...{ 'count_2.%*.%*': 1, 'count_2.S.%*': 1, 'count_2.M.%*': 1, 'count_2.%*.red': 1 },
    },
  })
})

test('an item counts in an item of counts for each of its values of an open facet that has several', () => {
  const collection = things({ language: oneOf(), tags: eachOf(), rating: anyOf([1, 2]) })
  const amounts = { ...total, count_1: 1 }
  expect(counted(collection, { language: 'en', tags: ['a', 'b'], rating: 1 })).toEqual({
    ...{ '~': amounts, 'en#%*': amounts, 'en#a': amounts, 'en#b': amounts },
  })
})

test('a heavy item counts by its class, beside each counter', () => {
  const collection = things({ rating: anyOf([1, 2]) })
  const names = (text: string): string[] =>
    Object.keys(counted(collection, { rating: 1, text: 'x'.repeat(Number(text)) })['~'] ?? {}).sort()
  expect(names('10')).toEqual(['count_1', 'count_total', 'sized_total'])
  expect(names('3000')).toEqual(['count_1', 'count_total', 'sized_total', 'upto4k_1', 'upto4k_total'])
})

test('what can not be counted says why', () => {
  const collection = things({ rating: anyOf([1, 2]) })
  const item = { parent: { S: '42' }, rating: { N: '2' } }
  const read = (image: Entry, facets = ['rating']) =>
    cellReader(collection, createEntryCodec(collection), facets)(image)
  expect(read(item).value('rating')).toBe(2)
  expect([read(item).values('rating'), read(item).scope]).toEqual([[2], '42'])
  const { rating, parent, ...none } = item
  for (const [image, message] of [
    [{ rating }, "parent is missing, so the item can't be counted"],
    [{ rating, parent: { N: '4' } }, "parent is 4, so the item can't be counted"],
    [{ rating, parent: { S: '' } }, 'parent is "", so the item can\'t be counted'],
    [{ ...none }, "parent is missing, so the item can't be counted"],
  ] as const) {
    expect(() => read(image as Entry)).toThrow(new TypeError(message))
  }
  expect(() => read({ ...item, other: { S: 'x' } }, ['other'])).toThrow('other is no facet')
  // An item that lacks the facet is in lists without a filter, so it counts in the totals.
  for (const image of [{ parent }, { parent, rating: { NULL: true } }] as const)
    expect(read(image as Entry).values('rating')).toEqual([null])
  // A value that is not declared is in lists without a filter, so it counts in the totals.
  for (const rating of [{ N: '3' }, { S: '2' }, { M: {} }])
    expect(read({ parent, rating }).values('rating')).toEqual([OTHER_VALUE])
})

test('at most two open facets of several values can be counted, since one change would be of too many items', () => {
  const open = (...names: string[]) => Object.fromEntries(names.map((name) => [name, eachOf()]))
  expect(() => projectionOf(things(open('a', 'b')))).not.toThrow()
  expect(() => projectionOf(things(open('a', 'b', 'c')))).toThrow(
    expect.objectContaining({
      code: 'declaration_invalid',
      message:
        'THING: lists are counted by each value of a, b, c, and at most 2 such facets can be counted; say counted: false of the others',
    }),
  )
  expect(() => projectionOf(things({ ...open('a', 'b'), c: oneOf(), d: anyOf() }))).not.toThrow()
})

test('closed facets are counters as long as an item can hold them, the smallest first', () => {
  const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i)
  const shape = (facets: Facets) => statisticsShape(things(facets))
  expect(
    shape({ wide: anyOf(numbers(100)), narrow: anyOf(numbers(5)), open: anyOf(), one: oneOf(['a', 'b']) }),
  ).toEqual({
    ...{ by: ['open', 'one'], counted: ['wide', 'narrow'] },
  })
  expect(shape({ wide: anyOf(numbers(101)), narrow: anyOf(numbers(5)) })).toEqual({ by: ['wide'], counted: ['narrow'] })
  // Of several values an item may have none of, any is one too.
  expect(shape({ wide: anyOf(numbers(100)), each: eachOf(['a', 'b', 'c']) })).toEqual({
    ...{ by: [], counted: ['wide', 'each'] },
  })
  expect(shape({ wide: anyOf(numbers(100)), each: eachOf(['a', 'b', 'c', 'd']) })).toEqual({
    ...{ by: ['wide'], counted: ['each'] },
  })
  expect(shape({ rating: anyOf([1, 2], { counted: false }), language: oneOf() })).toEqual({
    ...{ by: ['language'], counted: [] },
  })
})

test('counts say how many a filter lets through, where it is of counted facets and of one value of one that has several', () => {
  const collection = things({ language: oneOf(), rating: anyOf([1, 2]), tags: eachOf(), sizes: eachOf(['S']) })
  const uncounted = things({ language: oneOf(), rating: anyOf([1, 2], { counted: false }) })
  expect([isCounted(collection, {}), isCounted(collection, { none: ['x'] })]).toEqual([true, false])
  expect(isCounted(collection, { language: ['en', 'de'], rating: [1, 2] })).toBe(true)
  expect(isCounted(uncounted, { rating: [1] })).toBe(false)
  expect(isCounted(uncounted, { language: ['en'], rating: [1] })).toBe(false)
  expect(isCounted(collection, { tags: ['a'], rating: [1, 2] })).toBe(true)
  expect(isCounted(collection, { tags: [] })).toBe(true)
  expect(isCounted(collection, { tags: ['a', 'b'] })).toBe(false)
  expect(isCounted(collection, { tags: ['a'], sizes: ['S'] })).toBe(false)
  expect(isCounted(collection, { tags: { from: 'a' } as never })).toBe(true)
})

test('counters have the names that tables hold already', () => {
  expect([counterName([]), counterName(['5']), counterName(['5', 'OPEN'])]).toEqual([
    undefined,
    'count_5',
    'count_5.OPEN',
  ])
  expect([counterText('total'), counterText('totals'), counterText(5), counterText(true)]).toEqual([
    ...['%74otal', 'totals', '5', 'true'],
  ])
  expect(counterTexts('count_5.OPEN')).toEqual(['5', 'OPEN'])
  expect(counterTexts('count_a\nb')).toEqual(['a\nb'])
  for (const none of ['count_total', 'discount_5', 'bytes_5', 'count']) expect(counterTexts(none)).toBeUndefined()
})

/** The counts of a scope whose items have these values of an open facet. */
function tagged(values: Readonly<Record<string, number>>, more: readonly Entry[] = []) {
  const collection = things({ tag: anyOf() })
  const entries = Object.entries(values).map(([value, count]) => ({
    ...{ PK: { S: '~counts#THING#42' }, SK: { S: value }, count_total: { N: String(count) } },
  }))
  return scopeStatistics(collection, [...entries, ...more])
}

test('of an open facet the hundred most frequent values are counted, and those that are selected', () => {
  const numbered = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`v${String(i).padStart(3, '0')}`, i + 1]))
  const hundred = tagged(numbered(100)).facetCounts('tag', {})
  expect(hundred).toEqual(numbered(100))
  const more = tagged(numbered(103)).facetCounts('tag', {})
  expect(Object.keys(more)).toEqual(Object.keys(numbered(103)).slice(3))
  const selected = tagged(numbered(103)).facetCounts('tag', { tag: ['v001'] })
  expect(Object.keys(selected)).toEqual(['v001', ...Object.keys(numbered(103)).slice(3)])
  expect(selected.v001).toBe(2)
})

test('of a closed facet all values are counted, however many', () => {
  const values = Array.from({ length: 150 }, (_, i) => i + 1)
  const collection = things({ number: anyOf(values) })
  const counts = Object.fromEntries(values.map((value) => [`count_${value}`, { N: String(value) }]))
  const entry = { PK: { S: '~counts#THING#42' }, SK: { S: '~' }, ...counts, count_total: { N: '11325' } }
  const statistics = scopeStatistics(collection, [entry])
  expect(Object.keys(statistics.facetCounts('number', {}))).toHaveLength(150)
  expect(statistics.facetCounts('number', { number: [3] })).toMatchObject({ 1: 1, 150: 150 })
  expect(statistics.whole).toBe(true)
})

test('a facet that is not declared has no values', () => {
  expect(tagged({ a: 1 }).values('none')).toEqual([])
})

test('counts are whole where the facets that are declared count as many as there are', () => {
  const all = (count: number): Entry => ({
    ...{ PK: { S: '~counts#THING#42' }, SK: { S: '~' }, count_total: { N: String(count) } },
  })
  expect(tagged({ a: 2, b: 1 }, [all(3)]).whole).toBe(true)
  expect(tagged({ a: 2, b: 1 }, [all(4)]).whole).toBe(false)
  expect(tagged({ a: 2 }).whole).toBe(false)
  expect(tagged({}).whole).toBe(true)
})

test('of a facet of several values each value has its items, and all together each item once', () => {
  const collection = things({ size: eachOf(['S', 'M']), rating: anyOf([1, 2]) })
  const numbers = { 'count_%*.1': 3, 'count_S.1': 2, 'count_M.1': 2, 'count_%*.2': 1, 'count_M.2': 1, count_total: 4 }
  const bytes = { 'bytes_%*.1': 300, 'bytes_S.1': 250, 'bytes_%*.2': 100, bytes_total: 400, sized_total: 4 }
  const heavy = { 'upto4k_%*.1': 2, upto4k_total: 2 }
  const entry = Object.fromEntries(
    Object.entries({ ...numbers, ...bytes, ...heavy }).map(([name, n]) => [name, { N: String(n) }]),
  )
  const statistics = scopeStatistics(collection, [{ PK: { S: 'x' }, SK: { S: '~' }, ...entry }])
  expect(statistics.count({})).toBe(4)
  expect(statistics.count({ rating: [1] })).toBe(3)
  expect(statistics.count({ size: ['S'] })).toBe(2)
  expect(statistics.count({ size: ['M'] })).toBe(3)
  expect(statistics.facetCounts('size', {})).toEqual({ S: 2, M: 3, null: 0 })
  expect([statistics.bytes({}), statistics.bytes({ rating: [1] })]).toEqual([100, 100])
  expect(statistics.sizeClasses({})?.at(-2)).toEqual({ entries: 2, bytes: 4_096 })
  expect(statistics.sizeClasses({})?.at(0)).toEqual({ entries: 0, bytes: 400 * 1_024 })
  expect(statistics.sizeClasses({})?.at(-1)).toEqual({ entries: Number.POSITIVE_INFINITY, bytes: 2_048 })
})

test('bytes say nothing where some items were counted without them', () => {
  const entry = (sized: number): Entry => ({
    ...{ PK: { S: 'x' }, SK: { S: '~' }, count_1: { N: '2' }, count_total: { N: '2' }, bytes_1: { N: '100' } },
    sized_total: { N: String(sized) },
  })
  const collection = things({ rating: anyOf([1, 2]) })
  expect(scopeStatistics(collection, [entry(2)]).bytes({})).toBe(50)
  expect(scopeStatistics(collection, [entry(1)]).bytes({})).toBeUndefined()
  expect(scopeStatistics(collection, [entry(1)]).sizeClasses({})).toBeUndefined()
  expect(scopeStatistics(collection, []).bytes({})).toBeUndefined()
  const { bytes_1: _, ...unsized } = entry(2)
  expect(scopeStatistics(collection, [unsized]).bytes({})).toBeUndefined()
})
