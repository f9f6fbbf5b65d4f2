import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { awkwardId, unicodeText } from 'lapidary-testing'
import { describe, expect, test } from 'vitest'
import { comment, comments, schemaOf } from '../../test/comments-fixture.ts'
import { defineCollection, type Item } from '../model/collection.ts'
import { anyOf } from '../model/facet.ts'
import { type Bound, compareToBound, idKey, type Position, positionOf } from '../model/position.ts'
import { parseQuery, type QueryInput } from '../model/query.ts'
import { boundBeyond, type CursorPoint, createCursorCodec, type Direction, isAscending } from './cursor.ts'

const SECRET = 'a secret of the tests'
const codec = createCursorCodec(SECRET)
const query = parseQuery(comments, { scope: '42', where: { language: 'en', rating: [4, 5] } })
const at = (id: string): Bound => ({ ...positionOf(comments, comment({ id })), side: 'before' })
const point: CursorPoint = { direction: 'forward', bound: at('1') }
const invalid = expect.objectContaining({
  code: 'cursor_invalid',
  message: expect.stringContaining('leave it out to start'),
})
const mismatch = expect.objectContaining({
  code: 'cursor_mismatch',
  message: expect.stringContaining('without it to start over'),
})

test('a cursor decodes to the point it was made of, in both directions', () => {
  const points = fc.record<CursorPoint>({
    direction: fc.constantFrom('forward', 'backward'),
    bound: fc.record({
      order: fc.oneof(fc.constant('2020-11-09T12:00:00.123Z'), fc.constant(''), fc.double({ noNaN: true })),
      id: fc.option(awkwardId().map(idKey), { nil: undefined }),
      side: fc.constantFrom('before', 'after'),
    }),
  })
  fc.assert(
    fc.property(points, (made) => {
      expect(codec.decode(comments, query, codec.encode(comments, query, made))).toEqual(made)
    }),
  )
})

test('a cursor carries how many items are before it, as far as that has room', () => {
  for (const offset of [0, 1, 5_840, 2 ** 24 - 1]) {
    const counted = { ...point, offset }
    expect(codec.decode(comments, query, codec.encode(comments, query, counted))).toEqual(counted)
  }
  expect(codec.decode(comments, query, codec.encode(comments, query, { ...point, offset: 2 ** 24 }))).toEqual(point)
})

test('a cursor of a ranking carries where the ranking is', () => {
  const ranked = { ...point, ranked: { before: 4_000_000_000, rank: 7 } }
  expect(codec.decode(comments, query, codec.encode(comments, query, ranked))).toEqual(ranked)
})

test('a cursor by time or number has at most 160 characters, whatever the id and however many values', () => {
  const scores = defineCollection({
    name: 'SCORE',
    schema: schemaOf<Item>(),
    id: 'id',
    scope: { name: 'GAME', attribute: 'game' },
    order: { attribute: 'score', type: 'number' },
    facets: {},
  })
  fc.assert(
    fc.property(
      awkwardId(),
      fc.subarray([1, 2, 3, 4, 5]),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      (id, rating, score) => {
        const asked = parseQuery(comments, { scope: id, where: { rating } })
        const byTime = codec.encode(comments, asked, { ...point, offset: 7, bound: at(id) })
        const byNumber = codec.encode(scores, parseQuery(scores, { scope: id }), {
          ...point,
          offset: 2 ** 24 - 1,
          bound: { ...positionOf(scores, { id, score }), side: 'after' },
        })
        expect(Math.max(byTime.length, byNumber.length)).toBeLessThanOrEqual(160)
      },
    ),
  )
  const longest = '\u{1F600}'.repeat(128)
  expect(codec.encode(comments, query, { ...point, offset: 7, bound: at(longest) }).length).toBeLessThanOrEqual(160)
})

test('each altered bit makes a cursor invalid', () => {
  const bytes = Buffer.from(codec.encode(comments, query, point), 'base64url')
  for (let i = 0; i < bytes.length * 8; i++) {
    const altered = Buffer.from(bytes)
    altered[i >> 3] = (altered[i >> 3] ?? 0) ^ (1 << (i & 7))
    expect(() => codec.decode(comments, query, altered.toString('base64url'))).toThrow(invalid)
  }
})

test('each altered, missing or added character makes a cursor invalid', () => {
  // Some lengths leave spare bits in the last character, one leaves none.
  for (const id of ['1', '12', '123']) {
    const cursor = codec.encode(comments, query, { ...point, bound: at(id) })
    for (let i = 0; i < cursor.length; i++) {
      const others = ['A', 'B', 'Q', '_', '+'].filter((other) => other !== cursor[i])
      for (const altered of [
        ...others.map((other) => cursor.slice(0, i) + other + cursor.slice(i + 1)),
        cursor.slice(0, i),
        `${cursor.slice(0, i)}=${cursor.slice(i)}`,
        `${cursor.slice(0, i)} ${cursor.slice(i)}`,
      ])
        expect(() => codec.decode(comments, query, altered)).toThrow(invalid)
    }
  }
})

test('a cursor of another version is invalid, though it was signed with the secret', () => {
  const bytes = Buffer.from(codec.encode(comments, query, point), 'base64url')
  const resigned = (version: number): string => {
    const body = Buffer.from([version, ...bytes.subarray(1, -16)])
    const signature = createHmac('sha256', SECRET).update(body).digest().subarray(0, 16)
    return Buffer.concat([body, signature]).toString('base64url')
  }
  const version = bytes[0] ?? 0
  expect(codec.decode(comments, query, resigned(version))).toEqual(point)
  for (const other of [0, version - 1, version + 2, 255])
    expect(() => codec.decode(comments, query, resigned(other))).toThrow(invalid)
})

test('anything else is invalid', () => {
  const garbage = fc.oneof(unicodeText(), fc.base64String(), fc.constantFrom('', 'x', 'A'.repeat(2000), '\0'))
  fc.assert(
    fc.property(garbage, (text) => {
      expect(() => codec.decode(comments, query, text)).toThrow(invalid)
    }),
    { numRuns: 500 },
  )
})

describe('the cursor of another query is a mismatch', () => {
  const asked: QueryInput = { scope: '42', where: { language: 'en', rating: [4, 5] } }
  const from = '2020-01-01T00:00:00.000Z'
  test.each<[string, QueryInput]>([
    ['scope', { ...asked, scope: '43' }],
    ['value', { ...asked, where: { language: 'en', rating: [5] } }],
    ['facet', { ...asked, where: { rating: [4, 5] } }],
    ['order', { ...asked, order: 'oldest' }],
    ['lower bound', { ...asked, from }],
    ['upper bound', { ...asked, to: from }],
  ])('another %s', (_, other) => {
    const cursor = codec.encode(comments, query, point)
    expect(() => codec.decode(comments, parseQuery(comments, other), cursor)).toThrow(mismatch)
  })

  test('another collection', () => {
    const reviews = { ...comments, name: 'REVIEW' }
    expect(() => codec.decode(reviews, query, codec.encode(comments, query, point))).toThrow(mismatch)
  })
})

test('a cursor goes by the scopes of a query, and by the order of its lists', () => {
  const asked = { ...query, where: {} }
  const others = [asked, { ...asked, alsoIn: ['43'] }, { ...asked, alsoIn: ['43', '44'] }, { ...asked, by: 'amount' }]
  for (const made of [...others, { ...asked, by: 'price' }]) {
    const cursor = codec.encode(comments, made, point)
    expect(codec.decode(comments, { ...made }, cursor)).toEqual(point)
    for (const other of others) {
      if (other !== made) expect(() => codec.decode(comments, other, cursor)).toThrow(mismatch)
    }
  }
})

test('the same filter is the same query, in whatever order its facets are named', () => {
  const where = { language: ['en'], rating: [4, 5] }
  const cursor = codec.encode(comments, { ...query, where }, point)
  expect(codec.decode(comments, { ...query, where: { rating: [4, 5], language: ['en'] } }, cursor)).toEqual(point)
})

test('cursors of queries that name an order or none stay good, whatever else cursors learn', () => {
  const digest = (asked: typeof query): string =>
    Buffer.from(codec.encode(comments, asked, point), 'base64url')
      .subarray(3, 11)
      .toString('hex')
  const plain = { ...query, where: {}, limit: 20 }
  expect([
    digest(plain),
    digest({ ...plain, by: 'amount' }),
    digest({ ...plain, alsoIn: ['43'] }),
  ]).toMatchInlineSnapshot(`
    [
      "4ea2ef6d2438c49e",
      "f73dd1f1d018db02",
      "c61a5290b494cbf7",
    ]
  `)
})

test('where more facets are open than are tried, a cursor is good for the query that it was made for alone', () => {
  const names = Array.from({ length: 7 }, (_, i) => `f${i}`)
  const facets = Object.fromEntries(names.map((name) => [name, anyOf([1, 2])]))
  const collection = { name: 'WIDE', facets } as unknown as typeof comments
  const bare = { ...query, where: {} }
  const cursor = codec.encode(collection, bare, point)
  expect(codec.decode(collection, { ...bare }, cursor)).toEqual(point)
  const named = codec.encode(collection, { ...bare, whole: { f0: [1, 2] } }, point)
  expect(() => codec.decode(collection, bare, named)).toThrow(mismatch)
  const fewer = { name: 'WIDE', facets: { f0: facets.f0 } } as unknown as typeof comments
  expect(codec.decode(fewer, bare, named)).toEqual(point)
})

test('another page size is the same query', () => {
  const cursor = codec.encode(comments, query, point)
  expect(codec.decode(comments, { ...query, limit: 100 }, cursor)).toEqual(point)
})

test('a secret is rotated by putting the new one in front', () => {
  const next = 'the next secret of the tests'
  const cursor = codec.encode(comments, query, point)
  expect(createCursorCodec([next, SECRET]).decode(comments, query, cursor)).toEqual(point)
  expect(() => createCursorCodec([next]).decode(comments, query, cursor)).toThrow(invalid)
  const renewed = createCursorCodec([next, SECRET]).encode(comments, query, point)
  expect(() => codec.decode(comments, query, renewed)).toThrow(invalid)
  expect(createCursorCodec(next).decode(comments, query, renewed)).toEqual(point)
})

test.each<[string | string[]]>([[[]], [''], ['short'], ['x'.repeat(15)], [[SECRET, 'short']], [[undefined as never]]])(
  'refuses the secret %j',
  (secrets) => {
    expect(() => createCursorCodec(secrets)).toThrow(
      expect.objectContaining({
        code: 'declaration_invalid',
        message: expect.stringMatching(/give at least one|give a random one/),
      }),
    )
  },
)

test('a page goes on past the position that it is given, in the direction of the read', () => {
  const [older, newer] = ['2020-01-01T00:00:00.000Z', '2020-01-02T00:00:00.000Z'].map((order) => ({ order, id: '1' }))
  if (older === undefined || newer === undefined) return expect.fail()
  const newestFirst = { ...query, order: 'newest' as const }
  const oldestFirst = { ...query, order: 'oldest' as const }
  const isBeyond = (asked: typeof query, direction: Direction, from: Position, to: Position): boolean => {
    const comparison = compareToBound(to, boundBeyond(asked, direction, from))
    return isAscending(asked, direction) ? comparison > 0 : comparison < 0
  }
  for (const [asked, direction, first, second] of [
    [newestFirst, 'forward', newer, older],
    [newestFirst, 'backward', older, newer],
    [oldestFirst, 'forward', older, newer],
    [oldestFirst, 'backward', newer, older],
  ] as const) {
    expect(isBeyond(asked, direction, first, second)).toBe(true)
    expect(isBeyond(asked, direction, second, first)).toBe(false)
    expect(isBeyond(asked, direction, first, first)).toBe(false)
  }
})

test('is signed by HMAC-SHA256', () => {
  for (const secret of ['sixteen letters.', 'x'.repeat(64), 'y'.repeat(65), 'ä secret beyond ASCII'.repeat(9)]) {
    const cursor = createCursorCodec(secret).encode(comments, query, point)
    const bytes = Buffer.from(cursor, 'base64url')
    const signature = createHmac('sha256', secret).update(bytes.subarray(0, -16)).digest().subarray(0, 16)
    expect(bytes.subarray(-16).equals(signature)).toBe(true)
  }
})

test('a cursor of a query that names all values goes on when the declaration has one more', () => {
  const wider = { ...comments, facets: { ...comments.facets, rating: anyOf([1, 2, 3, 4, 5, 6]) } } as typeof comments
  const all = { scope: '42', where: { rating: [5, 4, 3, 2, 1] } }
  const bound = { order: '2020-11-09T12:00:00.123Z', id: '100001', side: 'after' } as const
  const cursor = codec.encode(comments, parseQuery(comments, all), { direction: 'forward', bound })
  expect(codec.decode(wider, parseQuery(wider, all), cursor).bound).toEqual(bound)
  expect(codec.decode(comments, parseQuery(comments, all), cursor).bound).toEqual(bound)
  // A filter that names all values is no filter, in both directions.
  const none = parseQuery(comments, { scope: '42' })
  expect(codec.decode(comments, none, cursor).bound).toEqual(bound)
  const plain = codec.encode(comments, none, { direction: 'forward', bound })
  expect(codec.decode(comments, parseQuery(comments, all), plain).bound).toEqual(bound)
  expect(codec.decode(wider, parseQuery(wider, { scope: '42' }), plain).bound).toEqual(bound)
  for (const rating of [[5], [1, 2, 3, 4]])
    expect(() => codec.decode(wider, parseQuery(wider, { scope: '42', where: { rating } }), cursor)).toThrow(
      expect.objectContaining({ code: 'cursor_mismatch' }),
    )
})

test('a cursor of a range over a closed facet goes on when the declaration has one more value', () => {
  const facets = (values: readonly number[]) => ({ ...comments.facets, rating: anyOf(values) })
  const wider = { ...comments, facets: facets([1, 2, 3, 4, 5, 6]) } as unknown as typeof comments
  const narrower = { ...comments, facets: facets([1, 2, 3, 4]) } as unknown as typeof comments
  const bound = { order: '2020-11-09T12:00:00.123Z', id: '100001', side: 'after' } as const
  const where = (rating: object) => ({ scope: '42', where: { rating } })
  for (const range of [{ from: 4 }, { from: 1 }, { to: 9 }, { from: 6 }, { from: 4, to: 6 }]) {
    const cursor = codec.encode(comments, parseQuery(comments, where(range)), { direction: 'forward', bound })
    for (const now of [comments, wider, narrower])
      expect(codec.decode(now, parseQuery(now, where(range)), cursor).bound).toEqual(bound)
    for (const other of [{ from: 3 }, { from: 2, to: 9 }, [5]])
      expect(() => codec.decode(wider, parseQuery(wider, where(other) as never), cursor)).toThrow(mismatch)
  }
  // A cursor of one of the values that the range has now is good for the range, as cursors of all earlier versions are.
  const named = codec.encode(comments, parseQuery(comments, where([4, 5])), { direction: 'forward', bound })
  expect(codec.decode(comments, parseQuery(comments, where({ from: 4 })), named).bound).toEqual(bound)
})

test('a cursor is good for the same condition, however it is written, and for no other', () => {
  type Where = NonNullable<QueryInput['where']>
  const asked = (where: Where) => parseQuery(comments, { scope: '42', where })
  const cursorOf = (where: Where): string => codec.encode(comments, asked(where), point)
  const either = { OR: [{ language: 'en' }, { rating: 5, language: { startsWith: 'd' } }], NOT: { language: 'fr' } }
  for (const same of [
    { NOT: [{ language: 'fr' }], OR: either.OR.toReversed() },
    { AND: [{ OR: [...either.OR, { language: 'en' }] }, { NOT: { NOT: { NOT: { language: 'fr' } } } }] },
    { OR: [{ language: 'en' }, { language: { from: 'd', to: 'e' }, AND: { rating: [5] } }], NOT: { language: 'fr' } },
  ])
    expect(codec.decode(comments, asked(same), cursorOf(either)).bound).toEqual(point.bound)
  for (const other of [
    { OR: either.OR },
    { ...either, NOT: { language: 'it' } },
    { ...either, OR: [{ language: 'en' }, { rating: 4, language: { startsWith: 'd' } }] },
    { NOT: either },
    {},
  ])
    expect(() => codec.decode(comments, asked(other), cursorOf(either))).toThrow(mismatch)
  // What is not some of the declared values is the others.
  expect(codec.decode(comments, asked({ rating: [4, 5] }), cursorOf({ NOT: { rating: { to: 4 } } }))).toEqual(point)
})
