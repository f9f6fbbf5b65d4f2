import fc from 'fast-check'
import { collectionCase, collectionOf, createOracle, itemsOf, whereOf } from 'lapidary-testing'
import { expect, test } from 'vitest'
import { schemaOf } from '../../test/comments-fixture.ts'
import { defineCollection, type Item } from './collection.ts'
import { facetsOf, isAlways, isNever, matches, NEVER } from './condition.ts'
import { conditionWithin, impliedValues } from './condition-within.ts'
import { anyOf, eachOf, type FacetValue, oneOf } from './facet.ts'
import { facetValuesOf } from './facet-values.ts'
import { answers, isEmptyQuery, parseQuery, type QueryInput } from './query.ts'

const homes = defineCollection({
  ...{ name: 'HOME', schema: schemaOf<Item>(), id: 'id', order: 'at', scope: { name: 'REGION', attribute: 'region' } },
  facets: {
    status: anyOf(['OPEN', 'PAID', 'GONE']),
    kind: oneOf(['flat', 'house', 'room']),
    price: anyOf('number'),
    area: oneOf(),
    pets: oneOf('boolean', { optional: true }),
    tags: eachOf(),
  },
})
type Where = NonNullable<QueryInput['where']>
const parse = (where: Where) => parseQuery(homes, { scope: '1', where })
const asked = (where: Where) => {
  const { where: flat, whole, also } = parse(where)
  return { ...(Object.keys(flat).length === 0 ? {} : { flat }), ...(whole && { whole }), ...(also && { also }) }
}

test('what holds at the top is what lists are chosen by; the rest stands beside it', () => {
  const where = {
    ...{ status: ['OPEN', 'PAID'], price: { from: 10, to: 20 } },
    OR: [{ area: 'north' }, { pets: true }],
    NOT: { area: ['west'] },
  }
  expect(asked({ ...where, NOT: { area: 'west' } })).toEqual({
    flat: { price: { from: 10, to: 20 }, status: ['OPEN', 'PAID'] },
    also: {
      all: [
        {
          any: [
            { facet: 'area', wanted: ['north'] },
            { facet: 'pets', wanted: [true] },
          ],
        },
        { not: { facet: 'area', wanted: ['west'] } },
      ],
    },
  })
  expect(asked({ AND: [{ status: 'OPEN' }, { AND: { price: { to: 5 } } }] })).toEqual({
    flat: { price: { to: 5 }, status: ['OPEN'] },
  })
})

test('not one of the declared values is one of the others', () => {
  expect(asked({ NOT: { status: 'GONE' } })).toEqual({ flat: { status: ['OPEN', 'PAID'] } })
  expect(asked({ NOT: [{ status: 'GONE' }, { status: 'PAID' }] })).toEqual({ flat: { status: ['OPEN'] } })
  expect(asked({ NOT: { pets: true } })).toEqual({ also: { facet: 'pets', wanted: [false, null] } })
  // A layout may have one list of a facet of one value, so several are a condition.
  expect(asked({ NOT: { kind: 'room' } })).toEqual({ also: { facet: 'kind', wanted: ['flat', 'house'] } })
  expect(asked({ OR: [{ status: 'OPEN' }, { status: 'GONE' }] })).toEqual({ flat: { status: ['GONE', 'OPEN'] } })
  expect(asked({ status: [], kind: 'flat' })).toEqual({ flat: { kind: ['flat'], status: [] } })
  expect(asked({ NOT: { status: [] } })).toEqual({ whole: { status: ['GONE', 'OPEN', 'PAID'] } })
})

test('a facet that is named twice is asked for what both want', () => {
  expect(asked({ status: ['OPEN', 'PAID'], AND: { status: ['PAID', 'GONE'] } })).toEqual({ flat: { status: ['PAID'] } })
  expect(asked({ price: { from: 1, to: 9 }, AND: { price: { from: 3 } } })).toEqual({
    flat: { price: { from: 3, to: 9 } },
  })
  expect(asked({ price: { from: 1 }, AND: { price: [0, 1, 2] } })).toEqual({ flat: { price: [1, 2] } })
  // A ticket may have both tags.
  expect(asked({ tags: { hasEvery: ['a', 'b'], hasNone: ['c', 'd'] } })).toEqual({
    flat: { tags: ['a'] },
    also: {
      all: [
        { facet: 'tags', wanted: ['b'], several: true },
        { not: { facet: 'tags', wanted: ['c', 'd'], several: true } },
      ],
    },
  })
})

test('what the filter says already is not asked again', () => {
  expect(asked({ area: 'n', OR: [{ area: 'n', price: 1 }, { area: 's' }] })).toEqual({
    flat: { area: ['n'], price: [1] },
  })
  expect(asked({ area: 'n', OR: [{ area: 'n' }, { price: 1 }] })).toEqual({ flat: { area: ['n'] } })
  expect(isEmptyQuery(parse({ area: 'n', OR: [{ area: 's' }, { area: 't', price: 1 }] }))).toBe(true)
})

test('texts that begin with one are a range of texts', () => {
  expect(asked({ area: { startsWith: 'ab' } })).toEqual({ flat: { area: { from: 'ab', to: 'ac' } } })
  expect(asked({ area: { startsWith: 'a\u{10FFFF}' } })).toEqual({ flat: { area: { from: 'a\u{10FFFF}', to: 'b' } } })
  expect(asked({ area: { startsWith: '\uD7FF' } })).toEqual({ flat: { area: { from: '\uD7FF', to: '\uE000' } } })
  expect(asked({ area: { startsWith: '\u{10FFFF}' } })).toEqual({ flat: { area: { from: '\u{10FFFF}' } } })
  expect(asked({ area: { startsWith: 'north' }, AND: { area: { from: 'northa', to: 'x' } } })).toEqual({
    flat: { area: { from: 'northa', to: 'norti' } },
  })
  expect(asked({ kind: { startsWith: 'h' } })).toEqual({ flat: { kind: ['house'] } })
})

test('what can never hold is known before anything is read', () => {
  for (const where of [{ status: [] }, { NOT: { kind: { from: 'a' } } }, { price: { from: 2, to: 1 } }] as const)
    expect(isEmptyQuery(parse(where))).toBe(true)
  expect(isEmptyQuery(parse({ OR: [{ price: { from: 2, to: 1 } }, { status: [] }] }))).toBe(true)
  expect(isEmptyQuery(parse({ OR: [{ price: { from: 1, to: 2 } }, { status: [] }] }))).toBe(false)
})

const refusedBy = (where: unknown): readonly unknown[] => {
  try {
    parse(where as Where)
  } catch (error) {
    return (error as { details: { errors: readonly unknown[] } }).details.errors
  }
  return []
}

test('a wrong condition is refused by its place', () => {
  const deep = (levels: number): Where => (levels === 0 ? { kind: 'flat' } : { NOT: deep(levels - 1) })
  const many = Array.from({ length: 200 }, (_, i) => ({ price: i }))
  const cases: readonly (readonly [unknown, string, string])[] = [
    [{ OR: [] }, 'OR', 'has no filter; leave it out'],
    [{ NOT: {} }, 'NOT', 'asks nothing; leave it out, or name a facet'],
    [{ NOT: [] }, 'NOT', 'has no filter; leave it out'],
    [{ OR: [{ kind: 'flat' }, { area: undefined }] }, 'OR[1]', 'asks nothing; leave it out, or name a facet'],
    [{ OR: { kind: 'flat' } }, 'OR', 'takes a list of filters, not [object Object]'],
    [{ AND: ['flat'] }, 'AND[0]', 'takes a filter, an object of facets, not "flat"'],
    [
      { NOT: { OR: [{ size: 1 }] } },
      'NOT.OR[0].size',
      'is not a facet; the facets are status, kind, price, area, pets, tags',
    ],
    [
      deep(50),
      'NOT.NOT.NOT.NOT.NOT.NOT.NOT.NOT.NOT.NOT.NOT',
      'is in more than 10 levels of AND, OR and NOT; write it flatter',
    ],
    [{ OR: many }, 'where', 'has 200 terms; a filter has at most 100. Name several values of a facet in one list'],
    [
      { NOT: { price: { from: 'a' } } },
      'NOT.price',
      'must be 0 or a number from 1e-130 to 9007199254740991 either side of it, not "a"',
    ],
    [{ area: { from: 1 } }, 'area', 'takes a range of texts, since it holds no numbers, not of 1'],
    [{ pets: { from: 1 } }, 'pets', 'takes values, not a range: it holds no numbers and no texts'],
    [{ area: { startsWith: 1 } }, 'area', "must be a text, not 1; declare the facet's type: number"],
    [{ price: { startsWith: 'a' } }, 'price', 'takes no startsWith: it holds no texts'],
    [{ area: { startsWith: 'a', to: 'b' } }, 'area', 'takes startsWith without to'],
    [{ tags: { startsWith: 'a' } }, 'tags', 'takes values, not startsWith: an item may have several of it; name them'],
    [{ tags: { has: 'a', not: 'b' } }, 'tags', 'takes has, hasEvery and hasNone, not not'],
    [{ status: { has: 'OPEN' } }, 'status', 'takes a range of from and to, not has'],
  ]
  for (const [where, path, message] of cases) expect(refusedBy(where)).toEqual([{ path, message }])
  expect(refusedBy(deep(10))).toEqual([])
})

test('a facet can’t have the name of what combines filters', () => {
  expect(() => defineCollection({ ...base, facets: { OR: anyOf() } })).toThrow(
    'a facet is called OR, by which filters are combined; give its attribute another name',
  )
})

const base = {
  ...{ name: 'HOME', schema: schemaOf<Item>(), id: 'id', order: 'at', scope: { name: 'REGION', attribute: 'region' } },
} as const

const made = collectionCase().chain((collection) =>
  fc.tuple(fc.constant(collection), itemsOf(collection, 20), whereOf(collection, 3)),
)

const smaller = collectionCase().chain((collection) =>
  fc.tuple(fc.constant(collection), itemsOf(collection, 20), whereOf(collection, 2)),
)

test('a condition holds for the items for which the filter does as it was written', () => {
  fc.assert(
    fc.property(made, ([collection, items, where]) => {
      const declared = collectionOf(collection)
      const oracle = createOracle<Item>(declared)
      for (const item of items) oracle.put(item)
      const scope = [...new Set(items.map(({ parent }) => String(parent)))]
      if (scope.length === 0) return
      const expected = new Set(oracle.matching({ scope, where }).map(({ id }) => id))
      const query = parseQuery(declared, { scope, where })
      for (const item of items) expect(answers(declared, query, item)).toBe(expected.has(item.id))
      if (isEmptyQuery(query)) expect(expected.size).toBe(0)
    }),
  )
})

test('equal questions are equal objects', () => {
  const shuffled = (where: Where, seed: number): Where => {
    const entries = Object.entries(where).map(([name, given]): [string, unknown] => {
      if (!['AND', 'OR', 'NOT'].includes(name)) return [name, given]
      const filters = [given as Where | readonly Where[]].flat().map((each) => shuffled(each, seed))
      return [name, seed % 2 === 0 ? filters.toReversed() : filters]
    })
    return Object.fromEntries(seed % 3 === 0 ? entries.toReversed() : entries) as Where
  }
  const repeated = (where: Where): Where => (Object.keys(where).length === 0 ? where : { AND: [where, where] })
  fc.assert(
    fc.property(smaller, fc.nat(30), ([collection, , where], seed) => {
      const declared = collectionOf(collection)
      const query = parseQuery(declared, { scope: '42', where })
      expect(JSON.stringify(parseQuery(declared, { scope: '42', where: repeated(shuffled(where, seed)) }))).toBe(
        JSON.stringify(query),
      )
      const { also } = query
      if (also === undefined) return
      // Its own form is the canonical one.
      expect(conditionWithin(also, {})).toEqual(also)
      for (const facet of facetsOf(also)) expect(Object.hasOwn(declared.facets, facet)).toBe(true)
    }),
  )
})

test('what is left of a condition within a list holds for the same items of the list', () => {
  fc.assert(
    fc.property(made, fc.nat(), ([collection, items, where], pick) => {
      const declared = collectionOf(collection)
      const { also } = parseQuery(declared, { scope: '42', where })
      const facet = Object.keys(declared.facets)[pick % Object.keys(declared.facets).length] as string
      if (also === undefined) return
      const valuesIn = (item: Item) => (name: string) => facetValuesOf(item, name, declared.facets[name])
      for (const item of items) {
        const held: readonly FacetValue[] = [valuesIn(item)(facet)[0] as FacetValue]
        const rest = conditionWithin(also, { [facet]: held })
        expect(matches(rest, valuesIn(item))).toBe(matches(also, valuesIn(item)))
        if (isAlways(rest)) expect(matches(also, valuesIn(item))).toBe(true)
        if (isNever(rest)) expect(rest).toEqual(NEVER)
        const implied = impliedValues(also, facet)
        if (implied !== undefined && matches(also, valuesIn(item)))
          expect(valuesIn(item)(facet).some((value) => implied.includes(value))).toBe(true)
      }
    }),
  )
})
