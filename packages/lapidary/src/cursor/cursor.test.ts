import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { awkwardId } from 'lapidary/testing'
import { describe, expect, test } from 'vitest'
import { comment, comments, schemaOf } from '../../test/comments-fixture.ts'
import { defineCollection, type Item } from '../model/collection.ts'
import { type Bound, idKey, positionOf } from '../model/position.ts'
import { parseQuery, type QueryInput } from '../model/query.ts'
import { type CursorPoint, createCursorCodec } from './cursor.ts'

const SECRET = 'a secret of the tests'
const codec = createCursorCodec(SECRET)
const query = parseQuery(comments, { scope: '42', where: { language: 'en', rating: [4, 5] } })
const at = (id: string): Bound => ({ ...positionOf(comments, comment({ id })), side: 'before' })
const point: CursorPoint = { direction: 'forward', bound: at('1') }
const invalid = expect.objectContaining({ code: 'cursor_invalid' })
const mismatch = expect.objectContaining({ code: 'cursor_mismatch' })

test('a cursor decodes to the point it was made of, in both directions', () => {
  const points = fc.record<CursorPoint>({
    direction: fc.constantFrom('forward', 'backward'),
    bound: fc.record({
      order: fc.oneof(fc.constant('2020-11-09T12:00:00.123Z'), fc.constant(''), fc.double({ noNaN: true })),
      id: awkwardId().map(idKey),
      side: fc.constantFrom('before', 'after'),
    }),
  })
  fc.assert(
    fc.property(points, (made) => {
      expect(codec.decode(comments, query, codec.encode(comments, query, made))).toEqual(made)
    }),
  )
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
        const byTime = codec.encode(comments, asked, { ...point, bound: at(id) })
        const byNumber = codec.encode(scores, parseQuery(scores, { scope: id }), {
          ...point,
          bound: { ...positionOf(scores, { id, score }), side: 'after' },
        })
        expect(Math.max(byTime.length, byNumber.length)).toBeLessThanOrEqual(160)
      },
    ),
  )
  const longest = '\u{1F600}'.repeat(128)
  expect(codec.encode(comments, query, { ...point, bound: at(longest) }).length).toBeLessThanOrEqual(160)
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
  const cursor = codec.encode(comments, query, point)
  for (let i = 0; i < cursor.length; i++) {
    const other = cursor[i] === 'A' ? 'B' : 'A'
    for (const altered of [
      cursor.slice(0, i) + other + cursor.slice(i + 1),
      cursor.slice(0, i),
      `${cursor.slice(0, i)}=${cursor.slice(i)}`,
    ])
      expect(() => codec.decode(comments, query, altered)).toThrow(invalid)
  }
})

test('anything else is invalid', () => {
  const garbage = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.base64String(),
    fc.constantFrom('', 'x', 'A'.repeat(2000), '\0'),
  )
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

test.each([[[]], [''], ['short'], [[SECRET, 'short']]])('refuses the secret %j', (secrets) => {
  expect(() => createCursorCodec(secrets)).toThrow(expect.objectContaining({ code: 'declaration_invalid' }))
})

test('is signed by HMAC-SHA256', () => {
  for (const secret of ['sixteen letters.', 'x'.repeat(64), 'y'.repeat(65), 'ä secret beyond ASCII'.repeat(9)]) {
    const cursor = createCursorCodec(secret).encode(comments, query, point)
    const bytes = Buffer.from(cursor, 'base64url')
    const signature = createHmac('sha256', secret).update(bytes.subarray(0, -16)).digest().subarray(0, 16)
    expect(bytes.subarray(-16).equals(signature)).toBe(true)
  }
})
