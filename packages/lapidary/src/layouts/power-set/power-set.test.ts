import { describe, expect, test } from 'vitest'
import { comment, comments, schemaOf } from '../../../test/comments-fixture.ts'
import { defineCollection, type Item } from '../../model/collection.ts'
import { anyOf, type Facets, oneOf } from '../../model/facet.ts'
import { parseQuery } from '../../model/query.ts'
import { powerSetSize } from './feasible.ts'
import { type PowerSetOptions, powerSet } from './power-set.ts'

const things = (facets: Facets, rest: object = {}) =>
  defineCollection({
    ...{ name: 'THING', schema: schemaOf<Item>(), id: 'id', scope: { name: 'PARENT', attribute: 'parent' } },
    ...{ order: 'at', facets },
    ...rest,
  })

const listOf = (options: PowerSetOptions, where: Record<string, unknown>): string | undefined => {
  const query = parseQuery(comments, { scope: '42', where: where as never })
  const { paths } = powerSet(options)
    .of(comments)
    .accessPaths(query, () => undefined, 1)
  expect(paths).toHaveLength(1)
  expect(paths[0]?.lists).toHaveLength(1)
  return paths[0]?.lists[0]?.partition
}

test('a comment lies in one list for each set of ratings with its own, of its language and of any', () => {
  const entries = powerSet()
    .of(comments)
    .entriesOf(comment({ rating: 5 }), {})
  expect(entries).toHaveLength(32)
  expect(entries[0]).toMatchObject({ SK: { S: '~' }, 'k.lists': { S: 'COMMENT/42/~/~' } })
  expect(entries[0]).not.toHaveProperty('auto')
  const others = entries.slice(1)
  expect(others.every(({ PK, auto }) => PK?.S === 'COMMENT#100001' && auto?.BOOL === true)).toBe(true)
  expect(new Set(others.map(({ SK }) => SK?.S)).size).toBe(31)
  expect(others.find(({ SK }) => SK?.S === '~/=/1.2.5')?.['k.lists']).toEqual({ S: 'COMMENT/42/en/1.2.5' })
})

test('every query is one list, whose set is written as text or as a bit mask', () => {
  expect(listOf({}, {})).toBe('COMMENT/42/~/~')
  expect(listOf({}, { rating: [1, 2, 3, 4, 5] })).toBe('COMMENT/42/~/~')
  expect(listOf({}, { language: 'en', rating: [5, 2, 1] })).toBe('COMMENT/42/en/1.2.5')
  expect(listOf({ sets: 'mask' }, { language: 'en', rating: [5, 2, 1] })).toBe('COMMENT/42/en/19')
  expect(listOf({ sets: 'mask' }, { rating: 5 })).toBe('COMMENT/42/~/16')
})

test('values that read like marks reach into no other list', () => {
  const awkward = things({ a: oneOf(), b: anyOf(['~', '.', '1.2', '1', '2', '']) })
  const { entriesOf } = powerSet().of(awkward)
  const lists = ['~', '.', '1.2', '1', '2', ''].flatMap((b) =>
    entriesOf({ id: '1', parent: '4', at: '2020-01-01T00:00:00.000Z', a: '~', b }, {}).map(
      (each) => each['k.lists']?.S,
    ),
  )
  // 63 sets, in ~ and in the list of the value ~.
  expect(new Set(lists).size).toBe(63 * 2)
})

test('an item without a value that a list has lies in none, and its entry stays its own', () => {
  const entries = powerSet()
    .of(comments)
    .entriesOf({ ...comment(), rating: 9 } as Item, { x: { S: 'y' } })
  expect(entries).toEqual([{ PK: { S: 'COMMENT#100001' }, SK: { S: '~' }, x: { S: 'y' } }])
})

test('a compact duplicate lacks what only a look-up shows; a whole one has it; the list shows the same', () => {
  const attributes = { id: 'i', parent: 'p', at: 'c', size: 'z', note: { name: 'n', shownIn: 'lookup' } }
  const short = things({ size: anyOf([1, 2]) }, { attributes })
  const stored = { i: { S: '1' }, n: { S: 'long' }, '~v': { N: '1' }, foreign: { S: 'x' } }
  const item = { id: '1', parent: '4', at: '2020-01-01T00:00:00.000Z', size: 1, note: 'long' }
  const [primary, compact] = powerSet().of(short).entriesOf(item, stored)
  expect(primary).toMatchObject(stored)
  expect(Object.keys(compact ?? {}).sort()).toEqual(['PK', 'SK', 'auto', 'i', 'k.lists', 's.lists'])
  const [, whole] = powerSet({ duplicates: 'whole' }).of(short).entriesOf(item, stored)
  expect(Object.keys(whole ?? {}).sort()).toEqual(['PK', 'SK', 'auto', 'i', 'k.lists', 'n', 's.lists'])
  for (const duplicates of ['compact', 'whole'] as const)
    expect(powerSet({ duplicates }).of(short).indexes[0]?.include).toEqual(['i', 'p', 'c', 'z'])
})

test('duplicates expire with their item', () => {
  const notes = things({ size: anyOf([1, 2]) }, { expires: 'until' })
  const item = { id: '1', parent: '4', at: '2020-01-01T00:00:00.000Z', size: 1, until: '2030-01-01T00:00:00.000Z' }
  const [, duplicate] = powerSet()
    .of(notes)
    .entriesOf(item, { until: { S: item.until } })
  expect(duplicate).toMatchObject({ until: { S: item.until }, ttl: { N: '1893456000' } })
})

describe('what it takes', () => {
  test('is counted as DynamoDB charges it: 32 entries and 64 units for five ratings and a language', () => {
    expect(powerSetSize(comments)).toMatchObject({ entries: 32, edited: 48, units: 64 })
    expect(powerSetSize(things({ a: oneOf(), b: oneOf(), c: anyOf([1]), d: anyOf([1, 2]) }))).toMatchObject({
      ...{ entries: 8, edited: 12 },
    })
    expect(powerSetSize(things({ a: anyOf([1, 2, 3]), b: anyOf([1, 2, 3]) }))).toMatchObject({
      entries: 16,
      edited: 28,
    })
  })

  const values = (count: number) => Array.from({ length: count }, (_, i) => i)
  const refusal = (facets: Facets, options: PowerSetOptions = {}): unknown => {
    try {
      powerSet(options).of(things(facets))
      return undefined
    } catch (error) {
      return error
    }
  }

  test.each<[string, Facets, PowerSetOptions, RegExp]>([
    [
      '12 values',
      { tag: anyOf(values(12)) },
      {},
      /tag with 12 values takes 2,048 entries .* 4,096 write units .* 2,097,152 bytes.*At most 512.*indexes\(\)/,
    ],
    ['60 values by the stream', { tag: anyOf(values(60)) }, { kept: 'stream' }, /entries for each item.*indexes\(\)/],
    [
      '7 values and a language in the write',
      { tag: anyOf(values(7)), l: oneOf() },
      {},
      /takes 128 entries.*edit of its facets is 192.*kept: 'stream'/,
    ],
    ['an open set', { tag: anyOf() }, {}, /tag is open.*declare them/],
    ['long values', { tag: anyOf(['a', 'b', 'c', 'd'].map((each) => each.repeat(300))) }, {}, /bytes.*sets: 'mask'/],
  ])('%s is refused with the numbers and what to do', (_, facets, options, message) => {
    expect(refusal(facets, options)).toMatchObject({
      ...{ code: 'declaration_invalid', message: expect.stringMatching(message) },
    })
  })

  test('what just fits is taken', () => {
    expect(refusal({ tag: anyOf(values(6)), l: oneOf() })).toBeUndefined()
    expect(refusal({ tag: anyOf(values(10)) }, { kept: 'stream' })).toBeUndefined()
    expect(
      refusal({ tag: anyOf(['a', 'b', 'c', 'd'].map((each) => each.repeat(300))) }, { sets: 'mask' }),
    ).toBeUndefined()
  })

  test('an option that does not exist is named', () => {
    expect(() => powerSet({ kept: 'nightly' as never })).toThrow(/kept.*nightly.*write, stream/)
  })
})
