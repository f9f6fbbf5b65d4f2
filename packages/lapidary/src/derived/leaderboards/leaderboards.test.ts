import fc from 'fast-check'
import { awkwardText } from 'lapidary-testing'
import { describe, expect, test } from 'vitest'
import { schemaOf } from '../../../test/comments-fixture.ts'
import { withoutDigest } from '../../../test/derived-keys.ts'
import { indexes } from '../../layouts/indexes/indexes.ts'
import { type Collection, defineCollection, type Item } from '../../model/collection.ts'
import { createEntryCodec, type Entry } from '../../model/entry.ts'
import { anyOf, oneOf } from '../../model/facet.ts'
import type { Leaderboard } from '../../model/leaderboard.ts'
import { comparePositions, HIGHEST } from '../../model/position.ts'
import { parseQuery, type Selection } from '../../model/query.ts'
import { scopeOfPartition } from '../../model/reserved-keys.ts'
import { shardOf } from '../../model/spread.ts'
import { fold } from '../derived-item.ts'
import type { Shape } from '../register/shape.ts'
import { netAdditions } from '../sum-projection.ts'
import { boardLists } from './board-lists.ts'
import { BOARD_ORDER, countFrom, countText, scopeIdKey } from './board-position.ts'
import { boardShape } from './leaderboard-keys.ts'
import { leaderboardProjection } from './leaderboards.ts'

const collection: Collection = defineCollection({
  ...{ name: 'THING', schema: schemaOf<Item>(), id: 'id', order: 'at', scope: { name: 'PARENT', attribute: 'parent' } },
  facets: { language: oneOf(), rating: anyOf([1, 2, 3]), tag: anyOf() },
  leaderboards: {
    all: { where: {} },
    good: { where: { rating: [2, 3] }, shards: 3 },
    'good-and-new': { where: { rating: [3], tag: ['new', ''] }, shards: 2 },
  },
}) as unknown as Collection
const layout = indexes().of(collection)
const codec = createEntryCodec(collection)
const shapeOf = (board: Leaderboard): Shape =>
  boardShape(collection, layout, board) ?? expect.fail('no index can carry boards')
const boards = collection.leaderboards.map((board) => leaderboardProjection(shapeOf(board), []))
const projection = boards[0] ?? expect.fail('no board')
const index = layout.carrier ?? expect.fail('no index')

const SCOPES = ['42', '42/en', '4', 'é', '%']
const LANGUAGES = ['en', '', '~', 'a#b']
const items = fc
  .array(
    fc.record({
      parent: fc.constantFrom(...SCOPES),
      at: fc.constant('2024-01-01T00:00:00.000Z'),
      language: fc.constantFrom(...LANGUAGES),
      rating: fc.constantFrom(1, 2, 3),
      tag: fc.constantFrom('new', '', 'old'),
    }),
    { maxLength: 30 },
  )
  .map((drawn) => drawn.map((each, i): Item => ({ ...each, id: String(i) })))

/** The places that items make. */
function placesOf(held: readonly Item[]): readonly Entry[] {
  const additions = held.flatMap((each) =>
    boards.flatMap((projection) =>
      projection.contributions(codec.toEntry(each)).map((one) => ({ ...one, projection, at: 0 })),
    ),
  )
  return netAdditions(additions).flatMap(({ projection, target, amounts }) => {
    expect(boards.filter((board) => board.owns(target))).toEqual([projection])
    const entry = fold(projection, target, undefined, amounts, 0)
    return entry === undefined ? [] : [{ PK: { S: target.PK }, SK: { S: target.SK }, ...entry }]
  })
}

/** What merging the lists of a board gives: scopes with their counts. */
function read(places: readonly Entry[], board: Leaderboard, where: Selection) {
  const lists = boardLists(shapeOf(board), index)
  const query = { ...parseQuery(collection, { scope: '42' }), where }
  const { paths, refused } = lists.accessPaths(query, () => undefined, 64)
  expect([paths.length, paths[0]?.lists.length, refused]).toEqual([1, board.shards, []])
  return (paths[0]?.lists ?? [])
    .flatMap((list) => {
      expect(list).toMatchObject({ index: index.name, prefix: '' })
      const held = places.filter((place) => place[index.partitionKey]?.S === list.partition)
      return held.map((place) => ({ place, position: lists.positionOf(list, place) }))
    })
    .sort((a, b) => comparePositions(a.position, b.position))
    .map(({ place, position }) => ({
      scope: scopeOfPartition(place.PK?.S ?? ''),
      count: countFrom(position.order),
    }))
}

describe.each(collection.leaderboards.map((board) => [board.name, board] as const))('the board %s', (_, board) => {
  test('has each scope with what counts in it, most first, of all items and of each language', () => {
    fc.assert(
      fc.property(items, (held) => {
        const places = placesOf(held)
        for (const language of [undefined, ...LANGUAGES]) {
          const where = language === undefined ? {} : { language: [language] }
          const wanted = { ...board.where, ...where }
          const counts = new Map<string, number>()
          for (const each of held) {
            if (!Object.entries(wanted).every(([name, values]) => values.includes(each[name] as string))) continue
            counts.set(String(each.parent), (counts.get(String(each.parent)) ?? 0) + 1)
          }
          const expected = [...counts]
            .map(([scope, count]) => ({ scope, count }))
            .sort((a, b) => b.count - a.count || Buffer.compare(Buffer.from(a.scope), Buffer.from(b.scope)))
          expect(read(places, board, where)).toEqual(expected)
        }
      }),
    )
  })
})

test('the lists of a board are told apart, and say which board and language they are of', () => {
  const labels = collection.leaderboards.flatMap((board) =>
    [{}, { language: ['en'] }].flatMap((where) => {
      const query = { ...parseQuery(collection, { scope: '42' }), where }
      const { paths } = boardLists(shapeOf(board), index).accessPaths(query, () => undefined, 64)
      return paths.flatMap(({ lists }) => lists.map(({ label }) => label))
    }),
  )
  expect(labels).toMatchInlineSnapshot(`
    [
      "leaders/all/0",
      "leaders#en/all/0",
      "leaders/good/0",
      "leaders/good/1",
      "leaders/good/2",
      "leaders#en/good/0",
      "leaders#en/good/1",
      "leaders#en/good/2",
      "leaders/good-and-new/0",
      "leaders/good-and-new/1",
      "leaders#en/good-and-new/0",
      "leaders#en/good-and-new/1",
    ]
  `)
})

test('a place reads on from a bound by a condition on the index of the board', () => {
  const [board] = collection.leaderboards
  const lists = boardLists(shapeOf(board ?? expect.fail()), index)
  const query = parseQuery(collection, { scope: '42' })
  const [list] = lists.accessPaths(query, () => undefined, 64).paths.flatMap((path) => path.lists)
  const conditions = lists.keyConditions(list ?? expect.fail(), {
    lower: { order: countText(7), id: scopeIdKey('42'), side: 'after' },
    upper: undefined,
  })
  expect(conditions).toHaveLength(1)
  expect(Object.values(conditions[0]?.names ?? {})).toEqual([index.partitionKey, index.sortKey])
  expect(JSON.stringify(conditions[0]?.values)).toContain(countText(7))
})

const PLACES = projection.partitionOf?.('42') ?? expect.fail('no partition')

test('a place of no scope is on no list, and so is one below 1', () => {
  const at = (PK: string, SK: string, count: number): Entry | undefined => projection.entryOf({ PK, SK }, { count })
  expect(at(PLACES.slice(0, PLACES.lastIndexOf('#')), 'all', 3)).toEqual({ count: { N: '3' } })
  expect(at(PLACES, 'all', -1)).toEqual({ count: { N: '-1' } })
  expect(at(PLACES, 'all', 0)).toBeUndefined()
  expect(projection.entryOf({ PK: PLACES, SK: 'all' }, {})).toBeUndefined()
  expect(Object.keys(at(PLACES, 'all', 1) ?? {}).sort()).toEqual(['count', index.partitionKey, index.sortKey].sort())
})

test('a place that was spoilt counts as none', () => {
  expect([projection.amountsOf({}), projection.amountsOf({ count: { N: '3' } })]).toEqual([{ count: 0 }, { count: 3 }])
})

test('a board owns its own keys, and tell the partition of a scope', () => {
  expect(projection).toMatchObject({ name: 'leaderboards', collection: 'THING', dated: false })
  expect(withoutDigest(PLACES)).toBe('~leaders#THING#42')
  const foreign = [PLACES.replace('THING', 'OTHER'), PLACES.replace('leaders', 'counts'), '~leaders#THING#42']
  const owned = [PLACES, ...foreign].map((PK) => projection.owns({ PK, SK: 'all' }))
  expect(owned).toEqual([true, false, false, false])
  const items = ['THING#1', 'OTHER#1', PLACES].map((PK) => projection.isItem({ PK, SK: '~' }))
  expect(items).toEqual([true, false, false])
})

test('where no index can carry boards, there are none', () => {
  const none = collection.leaderboards.map((board) => boardShape(collection, { carrier: undefined }, board))
  expect(none).toEqual([undefined, undefined, undefined])
})

describe('a position on a board', () => {
  const count = fc.oneof(fc.nat(20), fc.nat(999_999_999_999))

  test('sorts the greater count first, and gives it back', () => {
    fc.assert(
      fc.property(count, count, (a, b) => {
        expect(countFrom(countText(a))).toBe(a)
        expect(countText(a)).toHaveLength(12)
        expect(compared(countText(a), countText(b))).toBe(Math.sign(b - a))
      }),
    )
  })

  const compared = (a: string, b: string): number => Math.sign(Buffer.compare(Buffer.from(a), Buffer.from(b)))

  test('is bounded, and another for another scope', () => {
    const text = fc.tuple(awkwardText(), fc.constantFrom(0, 190, 300)).map(([end, length]) => 'x'.repeat(length) + end)
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(Buffer.byteLength(scopeIdKey(a))).toBeLessThanOrEqual(256)
        expect(scopeIdKey(a) === scopeIdKey(b)).toBe(a === b)
      }),
    )
  })

  test('has scopes of equal counts in their order', () => {
    // The highest code point, which no text should have, is escaped and sorts low: bounds end with it.
    const text = awkwardText().filter((drawn) => !drawn.includes(HIGHEST))
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(compared(scopeIdKey(a), scopeIdKey(b))).toBe(compared(a, b))
      }),
      { numRuns: 300 },
    )
  })
})

test('shards share scopes evenly, and a scope has the same shard on every machine', () => {
  const sizes = new Array<number>(8).fill(0)
  for (let i = 0; i < 4_000; i++) {
    const shard = shardOf(`product ${i}`, 8)
    sizes[shard] = (sizes[shard] ?? 0) + 1
  }
  for (const size of sizes) expect(Math.abs(size - 500)).toBeLessThan(100)
  // FNV-1a of "foobar" is 0xbf9cf968: Fowler, Noll and Vo's own test vectors.
  expect(shardOf('foobar', 2 ** 32)).toBe(0xbf9cf968)
  expect(shardOf('', 2 ** 32)).toBe(0x811c9dc5)
})

test('boards are ordered by a text, so that the index that carries them has one kind of key', () => {
  expect(BOARD_ORDER).toEqual({ attribute: 'count', type: 'string' })
  expect(Object.isFrozen(BOARD_ORDER)).toBe(true)
})

test('where no facet has boards of its own, an item has one place on each board', () => {
  const plain: Collection = defineCollection({
    ...{
      name: 'THING',
      schema: schemaOf<Item>(),
      id: 'id',
      order: 'at',
      scope: { name: 'PARENT', attribute: 'parent' },
    },
    facets: { rating: anyOf([1, 2, 3]) },
    leaderboards: { all: { where: {} }, good: { where: { rating: [3] } } },
  }) as unknown as Collection
  const entries = createEntryCodec(plain)
  const [all, good] = plain.leaderboards.map((board) => {
    const shape = boardShape(plain, indexes().of(plain), board)
    return leaderboardProjection(shape ?? expect.fail('no index can carry boards'), [])
  })
  const places = (rating: number) =>
    [all, good].flatMap((board) =>
      board
        ?.contributions(entries.toEntry({ id: '1', parent: '42', at: '', rating }))
        .map(({ target, amounts }) => [withoutDigest(target.PK), target.SK, amounts]),
    )
  const PK = '~leaders#THING#42'
  expect(places(2)).toEqual([[PK, 'all', { count: 1 }]])
  expect(places(3)).toEqual([
    [PK, 'all', { count: 1 }],
    [PK, 'good', { count: 1 }],
  ])
})
