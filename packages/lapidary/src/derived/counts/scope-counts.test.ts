import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { schemaOf } from '../../../test/comments-fixture.ts'
import { indexes } from '../../layouts/indexes/indexes.ts'
import { type Collection, defineCollection, type Item } from '../../model/collection.ts'
import { createEntryCodec, type Entry } from '../../model/entry.ts'
import { anyOf, type Facets, oneOf } from '../../model/facet.ts'
import { type Selection, selects } from '../../model/query.ts'
import { fold } from '../derived-item.ts'
import { netAdditions } from '../sum-projection.ts'
import { countsProjection } from './counts.ts'
import { countsShape } from './counts-shape.ts'
import { type ScopeStatistics, scopeStatistics } from './scope-counts.ts'

const things = (facets: Facets): Collection =>
  defineCollection({
    ...{ name: 'THING', schema: schemaOf<Item>(), id: 'id', order: 'at', facets },
    scope: { name: 'PARENT', attribute: 'parent' },
  }) as unknown as Collection

/** Values that a careless key or counter would take for something else. */
const LANGUAGES = ['en', 'total', '%74otal', '', '~', 'a.b', 'a#b']

const COLLECTIONS: Readonly<Record<string, Collection>> = {
  'an open and a closed facet': things({ language: oneOf(), rating: anyOf([1, 2, 3]) }),
  'two of each kind': things({
    language: oneOf(),
    public: oneOf([true, false]),
    rating: anyOf([1, 2, 3]),
    tag: anyOf(),
  }),
  'facets of one kind': things({ rating: anyOf([1, 2, 3]), tag: anyOf() }),
  'facets of the other kind': things({ language: oneOf(), public: oneOf([true, false]) }),
  'no facet': things({}),
  'more values than an item counts': things({
    tag: anyOf([...LANGUAGES, ...Array.from({ length: 200 }, (_, i) => `tag ${i}`)]),
    rating: anyOf([1, 2, 3]),
  }),
}

const item = fc.record({
  parent: fc.constant('42'),
  at: fc.constant('2024-01-01T00:00:00.000Z'),
  language: fc.constantFrom(...LANGUAGES),
  tag: fc.constantFrom(...LANGUAGES),
  public: fc.boolean(),
  rating: fc.constantFrom(1, 2, 3),
  note: fc.string({ maxLength: 40 }),
})
const items = fc.array(item, { maxLength: 12 }).map((drawn) => drawn.map((each, i) => ({ ...each, id: String(i) })))

/** The items of counts that some items make, each counted at its number in seconds. */
function counted(collection: Collection, held: readonly Item[]): readonly Entry[] {
  const codec = createEntryCodec(collection)
  const projection = countsProjection(countsShape(collection, indexes().of(collection)), [])
  const additions = held.flatMap((each, i) =>
    projection.contributions(codec.toEntry(each)).map((one) => ({ ...one, projection, at: (i + 1) * 1000 })),
  )
  return netAdditions(additions).flatMap(({ target: { PK, SK }, amounts, at }) => {
    const entry = fold(projection, { PK, SK }, undefined, amounts, at)
    return entry === undefined ? [] : [{ PK: { S: PK }, SK: { S: SK }, ...entry }]
  })
}

describe.each(Object.entries(COLLECTIONS))('with %s', (_, collection) => {
  const names = Object.keys(collection.facets)
  const selection = fc.record(
    {
      language: fc.subarray(LANGUAGES),
      tag: fc.subarray(LANGUAGES),
      public: fc.subarray([true, false]),
      rating: fc.subarray([1, 2, 3]),
    },
    { requiredKeys: [], noNullPrototype: true },
  )
  const asked = selection.map(
    (drawn): Selection => Object.fromEntries(Object.entries(drawn).filter(([name]) => names.includes(name))),
  )

  test('a selection has as many items as it selects', () => {
    fc.assert(
      fc.property(items, asked, (held, where) => {
        const statistics = scopeStatistics(collection, counted(collection, held))
        const expected = held.filter((each) => selects(where, each)).length
        expect([statistics.count(where), statistics.count(where)]).toEqual([expected, expected])
      }),
    )
  })

  test('a facet’s own selection does not narrow its counts', () => {
    fc.assert(
      fc.property(items, asked, (held, where) => {
        const statistics = scopeStatistics(collection, counted(collection, held))
        for (const facet of names) {
          const { [facet]: _own, ...others } = where
          const counts = statistics.facetCounts(facet, where)
          const declared = collection.facets[facet]?.values
          const values = declared ?? [...new Set(held.map((each) => (each as Item)[facet] as string))].sort()
          expect(Object.keys(counts).sort()).toEqual(values.map(String).sort())
          expect(statistics.values(facet)).toEqual(declared ?? values)
          for (const value of values) {
            const expected = held.filter((each) => selects({ ...others, [facet]: [value] }, each)).length
            expect(counts[String(value)]).toBe(expected)
          }
        }
      }),
    )
  })

  test('the mean of a selection is that of the bytes of its items', () => {
    const sizes = (held: readonly Item[]): number[] => {
      const codec = createEntryCodec(collection)
      const projection = countsProjection(countsShape(collection, indexes().of(collection)), [])
      return held.map((each) => Number(projection.contributions(codec.toEntry(each))[0]?.amounts.bytes_total ?? 0))
    }
    fc.assert(
      fc.property(items, asked, (held, where) => {
        const selected = sizes(held.filter((each) => selects(where, each)))
        const mean = scopeStatistics(collection, counted(collection, held)).bytes(where)
        if (selected.length === 0) expect(mean).toBeUndefined()
        else expect(mean).toBeCloseTo(selected.reduce((sum, size) => sum + size, 0) / selected.length, 6)
      }),
    )
  })
})

const [collection] = Object.values(COLLECTIONS) as [Collection]
const thing = (id: string, more: object = {}): Item => ({
  ...{ id, parent: '42', at: '2024-01-01T00:00:00.000Z', language: 'en', rating: 1, note: '' },
  ...more,
})

test('counts are up to the last change in any of them', () => {
  const entries = counted(collection, [thing('1', { language: 'de' }), thing('2'), thing('3', { language: 'de' })])
  const asOf = (of: readonly Entry[]): ScopeStatistics['asOf'] => scopeStatistics(collection, of).asOf
  expect(asOf(entries)).toBe('1970-01-01T00:00:03.000Z')
  expect(asOf(entries.toReversed())).toBe('1970-01-01T00:00:03.000Z')
  expect(asOf([])).toBeUndefined()
  expect(asOf(entries.map(({ asOf: _time, ...rest }) => rest))).toBeUndefined()
})

test('values that no item has any more are none of an open facet', () => {
  const [en, de] = [thing('1'), thing('2', { language: 'de' })]
  const entries = counted(collection, [en, de]).map((entry) =>
    entry.SK?.S === 'de' ? { ...entry, count_1: { N: '0' }, count_total: { N: '0' } } : entry,
  )
  expect(scopeStatistics(collection, entries).values('language')).toEqual(['en'])
})

test.each([
  ['no scope', { parent: undefined }, /^parent is missing, so/],
  ['an empty scope', { parent: '' }, /^parent is .+, so/],
  ['a scope that is no text', { parent: 42 }, /^parent is 42, so/],
  ['a language that is no text', { language: 5 }, /^language .+, so/],
])('an item with %s counts nowhere', (_, wrong, message) => {
  const given: Record<string, unknown> = { ...thing('1'), ...wrong }
  expect(() => counted(collection, [given])).toThrow(message)
  expect(() => counted(collection, [given])).toThrow(TypeError)
})

test('an item that lacks a facet counts in the totals, and under no value of it', () => {
  for (const lacks of [{ language: undefined }, { language: null }]) {
    const statistics = scopeStatistics(
      collection,
      counted(collection, [{ ...thing('1'), ...lacks } as Item, thing('2')]),
    )
    expect([statistics.count({}), statistics.values('language'), statistics.hasOthers('language')]).toEqual([
      2,
      ['en'],
      true,
    ])
    expect(statistics.facetCounts('language', {})).toEqual({ en: 1 })
  }
})

test('counts own the keys of counts, of each collection its own, and tell the partition of a scope', () => {
  const projection = countsProjection(countsShape(collection, indexes().of(collection)), [])
  const [first] = projection.contributions(createEntryCodec(collection).toEntry(thing('1')))
  expect(projection.owns(first?.target ?? expect.fail())).toBe(true)
  expect(projection.partitionOf?.('42')).toBe(first?.target.PK)
  for (const PK of ['~counts#THING#42', '~leaders#THING#42', 'THING#1'])
    expect(projection.owns({ PK, SK: '~' })).toBe(false)
  expect([projection.isItem({ PK: 'THING#1', SK: '~' }), projection.isItem({ PK: 'OTHER#1', SK: '~' })]).toEqual([
    true,
    false,
  ])
})

test('counters that another version of the program keeps stay in an item of counts', () => {
  const projection = countsProjection(countsShape(collection, indexes().of(collection)), [])
  const target = { PK: '~counts#THING#42', SK: '~' }
  const held = { count_total: { N: '1' }, stars_7: { N: '4' }, note: { S: 'by hand' } }
  expect(fold(projection, target, held, { count_total: 1 }, 0)).toEqual({
    count_total: { N: '2' },
    stars_7: { N: '4' },
  })
  expect(fold(projection, target, { count_total: { N: '1' } }, { count_total: -1 }, 0)).toBeUndefined()
})
