import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Answer, newComment, useTestApp } from './test-app.ts'

const { ask, send } = useTestApp()

const seed = Number(process.env.FC_SEED ?? Math.floor(Math.random() * 2 ** 31))
console.info(`FC_SEED=${seed}`)
const options = { seed, numRuns: 300 }

function expectClean({ status, headers, body }: Answer): void {
  expect(status).not.toBe(500)
  if (status >= 400) {
    expect(headers.get('content-type')).toBe('application/problem+json')
    expect(body).toMatchObject({
      status,
      code: expect.any(String),
      detail: expect.any(String),
      type: expect.any(String),
    })
  }
}

const names = fc.oneof(
  fc.constantFrom('language', 'rating', 'limit', 'order', 'from', 'to', 'cursor', 'page', 'explain', '__proto__', ''),
  fc.string({ unit: 'binary' }),
)
const values = fc.oneof(
  fc.constantFrom(
    '',
    '1',
    '5',
    '4,5',
    'en',
    'newest',
    '2020-01-01T00:00:00Z',
    '0',
    '-1',
    '1e999',
    'true',
    '~',
    '%',
    '\u0000',
  ),
  fc.string({ unit: 'binary' }),
  fc.integer().map(String),
)

test('no query is answered with 500', async () => {
  const query = fc.array(fc.tuple(names, values), { maxLength: 6 })
  await fc.assert(
    fc.asyncProperty(query, async (pairs) => {
      const search = pairs.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&')
      expectClean(await ask(`/products/42/comments?${search}`))
    }),
    options,
  )
})

test('no address is answered with 500', async () => {
  const segment = fc.oneof(
    fc.constantFrom(
      'products',
      'comments',
      '42',
      '~',
      '5',
      'en',
      'p',
      'statistics',
      '%2F',
      '%2E%2E',
      '%',
      '',
      '%FF',
      'leaderboards',
    ),
    fc.string({ unit: 'binary' }).map(encodeURIComponent),
    fc.string({ unit: fc.constantFrom('/', '%', '2', 'F', '?', '#', '.', '~', ';', '\\', '"', '<') }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(segment, { maxLength: 6 }), async (segments) => {
      const answer = await ask(`/${segments.join('/')}`)
      if (!segments[0]?.startsWith('p') || segments[0] === 'products') expectClean(answer)
      expect(answer.status).not.toBe(500)
    }),
    options,
  )
})

test('no body is answered with 500, and what is stored is valid', async () => {
  const anything = fc.oneof(
    fc.jsonValue(),
    fc.string({ unit: 'binary' }),
    fc.double(),
    fc.constantFrom('en', 5, 1, null),
  )
  const attribute = fc.constantFrom(
    ...['id', 'productId', 'language', 'rating', 'title', 'text', 'author', 'createdAt', 'updatedAt', 'version'],
    ...['__proto__', 'constructor', 'toString'],
  )
  const body = fc.oneof(
    fc.dictionary(attribute, anything, { maxKeys: 3 }).map((changes) => JSON.stringify(newComment(changes))),
    fc.jsonValue().map((value) => JSON.stringify(value)),
    fc.string({ unit: 'binary' }),
  )
  await fc.assert(
    fc.asyncProperty(body, fc.constantFrom('POST', 'PATCH'), async (text, method) => {
      const answer = await send(method, method === 'POST' ? '/products/42/comments' : '/comments/1', text)
      expectClean(answer)
      if (answer.status === 201) expect((await ask(answer.headers.get('location') ?? '')).body).toEqual(answer.body)
    }),
    options,
  )
})

test('no header is answered with 500', async () => {
  const header = fc.constantFrom(
    'authorization',
    'if-match',
    'if-none-match',
    'idempotency-key',
    'content-type',
    'accept',
  )
  const value = fc.oneof(
    fc.constantFrom('*', '"1"', 'W/"1"', '"', ',', 'Bearer', 'Bearer the-writer-token', 'application/json'),
    fc.string({ unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)) }),
  )
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(header, value),
      fc.constantFrom('GET', 'PATCH', 'DELETE'),
      async (headers, method) => {
        expectClean(await ask('/comments/1', { method, headers }))
      },
    ),
    // Fewer than the wrong tokens that one address may send.
    { ...options, numRuns: 80 },
  )
})
