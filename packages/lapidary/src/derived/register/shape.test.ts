import { memoryLists } from 'lapidary-testing'
import { describe, expect, test } from 'vitest'
import { schemaOf } from '../../../test/comments-fixture.ts'
import { indexes } from '../../layouts/indexes/indexes.ts'
import { type Collection, defineCollection, type Item, lookup } from '../../model/collection.ts'
import { anyOf, eachOf, type Facets, hierarchy, oneOf } from '../../model/facet.ts'
import { openPageIndexes } from '../../pages/page-index.ts'
import { furtherShapes } from '../../read/further-counts.ts'
import { countsShape } from '../counts/counts-shape.ts'
import { boardShape } from '../leaderboards/leaderboard-keys.ts'
import { isOwnFormat, keyKind, projectionShape, shapeId, shapeOf } from './shape.ts'

/** What is declared otherwise, by name. */
type Declaration = Readonly<Record<string, unknown>>

/** Things with a facet of each kind and two boards, declared otherwise in some way. */
function things(declared: Declaration = {}): Collection {
  return defineCollection({
    ...{ name: 'THING', schema: schemaOf<Item>(), id: 'id', order: 'at', indexes: { all: {} } },
    scope: { name: 'PARENT', attribute: 'parent' },
    attributes: stored(),
    facets: FACETS,
    leaderboards: { best: { where: { rating: [2, 3] } }, all: { where: {} } },
    ...declared,
  } as unknown as Parameters<typeof defineCollection>[0]) as unknown as Collection
}
const FACETS: Facets = { language: oneOf(), rating: anyOf([1, 2, 3]), tag: eachOf(['a', 'b']), path: hierarchy('/') }

const pagesOf = (collection: Collection) =>
  openPageIndexes({ name: 'memory', open: memoryLists }, collection, {
    ...{ table: expect.anything(), clock: () => 0, follower: 'memory' },
  })

const digests = {
  counts: (collection: Collection) => countsShape(collection, indexes().of(collection)).digest,
  leaderboards: (collection: Collection) =>
    collection.leaderboards.map((board) => boardShape(collection, indexes().of(collection), board)?.digest).join(),
  pages: (collection: Collection) =>
    pagesOf(collection)
      .map(({ projection }) => projectionShape(projection).digest)
      .join(),
} as const
const BEST = { where: { rating: [2, 3] } }
const HIDDEN = lookup('n')
type Kind = keyof typeof digests
const KINDS = Object.keys(digests) as Kind[]

/** The kinds whose shape is another one where a declaration is this one. */
function othersOf(declared: Declaration): readonly Kind[] {
  return KINDS.filter((kind) => digests[kind](things(declared)) !== digests[kind](things()))
}

describe('a shape', () => {
  test('is the same for what is declared the same, in every process and by every release', () => {
    expect(KINDS.map((kind) => digests[kind](things()))).toEqual(KINDS.map((kind) => digests[kind](things())))
    // Whoever changes one of these has every table in the world filled anew.
    expect(Object.fromEntries(KINDS.map((kind) => [kind, digests[kind](things())]))).toMatchInlineSnapshot(`
      {
        "counts": "MObRU09CZk",
        "leaderboards": "Dzsso9vI8c,x11q0sfQji",
        "pages": "9BXP23sFX1",
      }
    `)
  })

  test('is known again by what the table has of it', () => {
    const collection = things()
    const shapes = [
      countsShape(collection, indexes().of(collection)),
      ...collection.leaderboards.map((board) => boardShape(collection, indexes().of(collection), board)),
      ...pagesOf(collection).map(({ projection }) => projectionShape(projection)),
    ]
    for (const shape of shapes) {
      const made: unknown = JSON.parse(JSON.stringify(shape?.made))
      expect(isOwnFormat({ ...(shape ?? expect.fail()), made })).toBe(true)
    }
  })

  test('is another one in another format, and the same as ever in the first', () => {
    const of = { collection: 'THING', name: 'counts' }
    for (const made of [{ by: ['rating'] }, undefined]) {
      const [first, second, third] = [1, 2, 3].map((format) => shapeOf(of, made, format).digest)
      expect(first).toBe(shapeOf(of, made).digest)
      expect(new Set([first, second, third]).size).toBe(3)
    }
  })

  test.each<[string, Declaration]>([
    [
      'a facet has its values in another order',
      { facets: { ...FACETS, rating: anyOf([3, 1, 2]), tag: eachOf(['b', 'a']) } },
    ],
    [
      'a facet is expected to be narrowed to other shares',
      { facets: { ...FACETS, language: oneOf('string', { frequencies: { en: 0.9 } }) } },
    ],
    [
      'a board has its values in another order',
      { leaderboards: { best: { where: { rating: [3, 2] } }, all: { where: {} } } },
    ],
    ['there is one index more', { indexes: { all: {}, byLanguage: { partition: ['language'] } } }],
    ['an attribute that no list shows is stored under another name', { attributes: stored({ note: HIDDEN }) }],
    ['a board of everything says so in fewer words', { leaderboards: { best: BEST, all: {} } }],
    ['attributes are named in another order', { attributes: Object.fromEntries(Object.entries(stored()).reverse()) }],
  ])('is the same where %s', (_, declared) => {
    expect(othersOf(declared)).toEqual([])
  })

  test.each<[string, Declaration, readonly Kind[]]>([
    ['a facet is added', { facets: { ...FACETS, colour: oneOf() } }, KINDS],
    ['lists show one attribute more', { attributes: stored({ note: 'note' }) }, ['counts']],
    [
      'a facet is removed',
      { facets: { language: FACETS.language, rating: FACETS.rating } as Facets },
      ['counts', 'pages'],
    ],
    ['a facet is closed', { facets: { ...FACETS, language: oneOf(['en', 'de']) } }, KINDS],
    ['a facet is opened', { facets: { ...FACETS, rating: anyOf('number') } }, KINDS],
    ['a facet has a value more', { facets: { ...FACETS, rating: anyOf([1, 2, 3, 4]) } }, KINDS],
    ['a facet takes one value instead of several', { facets: { ...FACETS, language: anyOf() } }, KINDS],
    ['a facet may be lacking', { facets: { ...FACETS, language: oneOf('string', { optional: true }) } }, KINDS],
    [
      'a facet is no more counted',
      { facets: { ...FACETS, language: oneOf('string', { counted: false }) } },
      ['counts', 'leaderboards'],
    ],
    ['a path is parted by another text', { facets: { ...FACETS, path: hierarchy('.') } }, ['counts', 'pages']],
    ['a facet is stored under another name', { attributes: stored({ language: 'l', rating: 'rating' }) }, KINDS],
    ['the scope is another attribute', { scope: { name: 'PARENT', attribute: 'owner' } }, KINDS],
    ['items are in another order', { order: { attribute: 'at', type: 'number' } }, ['counts', 'pages']],
    ['ids sort otherwise', { idOrder: 'raw' }, ['counts', 'pages']],
    [
      'a board has another condition',
      { leaderboards: { best: { where: { rating: [3] } }, all: { where: {} } } },
      ['leaderboards'],
    ],
    [
      'a board has other shards',
      { leaderboards: { best: { where: { rating: [2, 3] }, shards: 2 }, all: { where: {} } } },
      ['leaderboards'],
    ],
    ['an attribute is summed', { sums: ['price'] }, ['counts']],
    ['a board is by a sum', { leaderboards: { best: { ...BEST, sum: 'price' }, all: {} } }, ['leaderboards']],
    ['a board is by an average', { leaderboards: { best: { ...BEST, average: 'price' }, all: {} } }, ['leaderboards']],
    ['it is of another collection', { name: 'OTHER' }, KINDS],
  ])('is another one where %s', (_, declared, kinds) => {
    expect(othersOf(declared)).toEqual(kinds)
  })

  test('of sums is the same in whatever order they are named, and another one for each attribute and way of ranking', () => {
    const counts = (sums: readonly string[], names: Declaration = {}): string =>
      digests.counts(things({ sums, attributes: stored(names) }))
    expect(counts(['price', 'weight'])).toBe(counts(['weight', 'price']))
    const others = [counts([]), counts(['price']), counts(['weight']), counts(['price', 'weight'])]
    expect(new Set([...others, counts(['note'], { note: 'n' }), counts(['note'])]).size).toBe(6)
    const board = (by: Declaration): string => digests.leaderboards(things({ leaderboards: { best: by } }))
    const boards = [
      {},
      { sum: 'price' },
      { sum: 'weight' },
      { average: 'price' },
      { average: 'price', atLeast: 2 },
    ].map(board)
    expect(new Set(boards).size).toBe(5)
    expect(board({ average: 'price', atLeast: 1 })).toBe(board({ average: 'price' }))
  })

  test('of counts of all scopes and by day does not depend on each other, nor that of counts on them', () => {
    const shapes = (statistics: Declaration): Record<string, string> => {
      const { across, ...days } = furtherShapes(things({ statistics }), indexes().of(things()))
      return Object.fromEntries(
        Object.entries({ across, ...days }).flatMap(([name, shape]) => (shape ? [[name, shape.digest]] : [])),
      )
    }
    const [two, three] = [shapes({ across: 2, days: true }), shapes({ across: 3, days: true })]
    expect(three).toEqual({ ...two, across: expect.any(String), byDayAcross: expect.any(String) })
    expect([three.across === two.across, three.byDayAcross === two.byDayAcross]).toEqual([false, false])
    expect(shapes({ days: true })).toEqual({ byDay: two.byDay })
    expect(shapes({ days: { zone: 'UTC', of: 'at' } })).toEqual({ byDay: two.byDay })
    expect(new Set([true, { zone: 'Europe/Berlin' }, { of: 'note' }].map((days) => shapes({ days }).byDay)).size).toBe(
      3,
    )
    expect(othersOf({ statistics: { across: 2, days: true } })).toEqual([])
  })

  test('of sums, and of a board by them, is in a format that a release before them does not know', () => {
    const collection = things({ sums: ['price'], leaderboards: { best: { sum: 'price' } } })
    const [board] = collection.leaderboards
    const layout = indexes().of(collection)
    for (const shape of [countsShape(collection, layout), boardShape(collection, layout, board ?? expect.fail())]) {
      const { digest, made, ...of } = shape ?? expect.fail()
      expect(isOwnFormat({ digest, ...of, made: JSON.parse(JSON.stringify(made)) })).toBe(true)
      expect(shapeOf(of, made, 1).digest).not.toBe(digest)
    }
  })

  test('of one board does not depend on the others, nor that of counts on any', () => {
    const one = things({ leaderboards: { best: { where: { rating: [2, 3] } } } })
    expect(digests.leaderboards(things()).split(',')[0]).toBe(digests.leaderboards(one))
    expect(othersOf({ leaderboards: {} })).toEqual(['leaderboards'])
  })
})

/** Stored names, those that are not told as they are. */
function stored(names: Declaration = {}): Declaration {
  const attributes = ['id', 'parent', 'at', 'language', 'rating', 'tag', 'path', 'note']
  return { ...Object.fromEntries(attributes.map((name) => [name, name])), note: lookup('note'), ...names }
}

test('the order of keys and what is undefined make no other shape', () => {
  const of = (made: unknown): string => shapeOf({ collection: 'THING', name: 'mine' }, made).digest
  expect(of({ a: 1, b: { c: undefined, d: [2, 3] } })).toBe(of({ b: { d: [2, 3] }, a: 1 }))
  expect(of({ a: [1, 2] })).not.toBe(of({ a: [2, 1] }))
  expect(of('2')).not.toBe(of(2))
  expect(of(undefined)).toBe(of(null))
})

test('a shape of one’s own is told by its name, and by what it says it is made by', () => {
  const projection = { collection: 'THING', name: 'authors' }
  const [first, second] = [projectionShape(projection), projectionShape({ ...projection, made: 2 })]
  expect(first).toMatchObject({ ...projection, made: undefined, digest: expect.stringMatching(/^[\w-]{10}$/) })
  expect(second.digest).not.toBe(first.digest)
  expect(projectionShape({ ...projection, name: 'readers' }).digest).toBe(first.digest)
  expect([shapeId(first), keyKind('counts', first)]).toEqual([
    `THING.authors.${first.digest}`,
    `counts.${first.digest}`,
  ])
  expect(Object.isFrozen(first)).toBe(true)
})
