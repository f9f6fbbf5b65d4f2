import { describe, expect, test } from 'vitest'
import { newComment, useTestApp } from './test-app.ts'

const { ask, send } = useTestApp()
const POST = '/products/42/comments'

describe('queries', () => {
  test.each([
    ['colour=red', 'colour'],
    ['facet=', 'facet'],
    ['__proto__=1', '__proto__'],
    ['rating=6', 'rating'],
    ['rating=0', 'rating'],
    ['rating=five', 'rating'],
    ['rating=4.5', 'rating'],
    ['rating=1&rating=99999999999999999999', 'rating'],
    ['language=english-language-of-england', 'language'],
    ['language=en&language=de', 'language'],
    ['language=%00', 'language'],
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=-1', 'limit'],
    ['limit=1e1', 'limit'],
    ['limit=999999999999999999999999', 'limit'],
    ['order=best', 'order'],
    ['from=yesterday', 'from'],
    ['from=2020-13-01T00:00:00Z', 'from'],
    ['to=2020-02-30T00:00:00Z', 'to'],
    ['to=0000-01-01T00:00:00Z', 'to'],
    ['from=%2B275760-09-13T00:00:00.000Z', 'from'],
    ['page=0', 'page'],
    ['page=2&cursor=abc', 'page'],
    ['explain=maybe', 'explain'],
  ])('?%s is a 400 that names %s', async (query, path) => {
    const answer = await ask(`${POST}?${query}`)
    expect(answer).toMatchObject({ status: 400, body: { code: 'bad_request', errors: [{ path }] } })
    expect(answer.headers.get('content-type')).toBe('application/problem+json')
  })

  test('an unknown facet is told the known ones', async () => {
    expect((await ask(`${POST}?colour=red`)).body.detail).toContain('language, rating')
  })

  test.each([
    ['/products/42/comments/en/6', 'ratings'],
    ['/products/42/comments/en/1,2', 'ratings'],
    ['/products/42/comments/en/1..2', 'ratings'],
    ['/products/42/comments/*/1', 'language'],
    [`/products/${'x'.repeat(129)}/comments`, 'productId'],
    ['/products/a%00b/comments', 'productId'],
    ['/comments/%0A', 'id'],
    ['/comments/%C2%85', 'id'],
  ])('%s is a 400 that names %s', async (path, named) => {
    expect(await ask(path)).toMatchObject({ status: 400, body: { code: 'bad_request', errors: [{ path: named }] } })
  })

  test.each([
    '/comments/%',
    '/comments/%zz',
    '/comments/%C3',
    '/comments/%ED%A0%80',
    '/products/1/comments?language=%FF',
  ])('broken percent-encoding in %s is a 400', async (path) => {
    expect(await ask(path)).toMatchObject({ status: 400, body: { code: 'bad_request' } })
  })
})

describe('bodies', () => {
  test.each([
    ['an unknown attribute', newComment({ colour: 'red' }), 'colour'],
    ['a rating of 6', newComment({ rating: 6 }), 'rating'],
    ['a rating of 4.5', newComment({ rating: 4.5 }), 'rating'],
    ['a rating as text', newComment({ rating: '5' }), 'rating'],
    ['a huge number', '{"language":"en","rating":1e999,"text":"x","author":"x"}', 'rating'],
    ['no language', newComment({ language: undefined }), 'language'],
    ['a language that is none', newComment({ language: 'english please' }), 'language'],
    ['an empty text', newComment({ text: '' }), 'text'],
    ['a long text', newComment({ text: 'x'.repeat(10_001) }), 'text'],
    ['a long title', newComment({ title: 'x'.repeat(201) }), 'title'],
    ['an empty author', newComment({ author: '' }), 'author'],
    ['a lone surrogate', '{"language":"en","rating":5,"text":"\\ud800","author":"x"}', 'text'],
    ['a lone surrogate in the id', '{"id":"\\udc00","language":"en","rating":5,"text":"x","author":"x"}', 'id'],
    ['a control character in the id', newComment({ id: 'a\u0000b' }), 'id'],
    ['an empty id', newComment({ id: '' }), 'id'],
    ['a long id', newComment({ id: 'x'.repeat(129) }), 'id'],
    ['a version', newComment({ version: 3 }), 'version'],
    ['a time of change', newComment({ updatedAt: null }), 'updatedAt'],
    ['a date out of range', newComment({ createdAt: '+275760-09-13T00:00:00.000Z' }), 'createdAt'],
    ['a date that is none', newComment({ createdAt: '2020-02-30T00:00:00Z' }), 'createdAt'],
    ['a prototype', '{"__proto__":{"rating":5},"language":"en","text":"x","author":"x"}', '__proto__'],
    ['an attribute twice', '{"language":"en","rating":5,"text":"x","author":"x","rating":1}', 'rating'],
    [
      'an attribute twice, once escaped',
      '{"language":"en","rating":5,"text":"x","author":"x","ratin\\u0067":1}',
      'rating',
    ],
    ['a list', '[]', ''],
    ['null', 'null', ''],
  ])('%s is a 422 that names it', async (_, body, path) => {
    const answer = await send('POST', POST, body)
    expect(answer).toMatchObject({ status: 422, body: { code: 'unprocessable' } })
    expect(answer.body.errors.map((error: { path: string }) => error.path)).toContain(path)
  })

  test.each([
    ['nothing', ''],
    ['half of it', '{"language":"en",'],
    ['no JSON', 'language=en'],
    ['deep lists', '['.repeat(100_000)],
    ['deep lists that end', '['.repeat(60_000) + ']'.repeat(60_000)],
    ['deep objects', '{"a":'.repeat(20_000)],
    ['a deep attribute', `{"text":${'['.repeat(50)}${']'.repeat(50)}}`],
  ])('%s is a 400', async (_, body) => {
    expect(await send('POST', POST, body)).toMatchObject({ status: 400, body: { code: 'bad_request' } })
  })

  test('broken UTF-8 is a 400', async () => {
    const body = Buffer.concat([Buffer.from('{"text":"'), Buffer.from([0xff, 0xc3]), Buffer.from('"}')])
    const headers = { authorization: 'Bearer the-writer-token', 'content-type': 'application/json' }
    expect(await ask(POST, { method: 'POST', headers, body })).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining('UTF-8') },
    })
  })

  test.each([undefined, 'text/plain', 'application/x-www-form-urlencoded', 'application/jsonp'])(
    'content type %s is a 415',
    async (type) => {
      const headers = {
        authorization: 'Bearer the-writer-token',
        ...(type === undefined ? {} : { 'content-type': type }),
      }
      const body = Buffer.from(JSON.stringify(newComment()))
      expect(await ask(POST, { method: 'POST', headers, body })).toMatchObject({
        status: 415,
        body: { code: 'unsupported_media_type' },
      })
    },
  )

  test('more than 128 KiB is a 413, however long it says it is', async () => {
    expect(await send('POST', POST, ' '.repeat(128 * 1024 + 1))).toMatchObject({
      status: 413,
      body: { code: 'too_large' },
    })
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(64 * 1024).fill(0x20)),
    })
    const headers = { authorization: 'Bearer the-writer-token', 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body: endless, duplex: 'half' } as RequestInit
    expect((await ask(POST, init)).status).toBe(413)
  })

  test('what is refused is not stored, and script tags are text', async () => {
    expect((await ask(POST)).body.items).toEqual([])
    const text = '<script>alert(1)</script>'
    const { body } = await send('POST', POST, newComment({ text, title: text, author: text }))
    expect((await ask(POST)).body.items).toEqual([body])
    expect((await ask('/p/42')).body).not.toContain('<script>alert')
  })
})

describe('addresses', () => {
  test('unknown paths are 404, known ones with another method 405 with Allow', async () => {
    for (const path of ['/nothing', '/comments', '/comments/1/2', '/products', '/products/1', '/leaderboards/x']) {
      expect(await ask(path), path).toMatchObject({ status: 404, body: { code: 'not_found' } })
    }
    for (const [method, path, allow] of [
      ['PUT', '/comments/1', 'GET, HEAD, PATCH, DELETE, OPTIONS'],
      ['DELETE', '/products/1/comments', 'GET, HEAD, POST, OPTIONS'],
      ['POST', '/healthz', 'GET, HEAD, OPTIONS'],
      ['POST', '/products/1/comments/en/5', 'GET, HEAD, OPTIONS'],
      ['PATCH', '/openapi.json', 'GET, HEAD, OPTIONS'],
    ] as const) {
      const answer = await send(method, path)
      expect(answer, path).toMatchObject({ status: 405, body: { code: 'method_not_allowed' } })
      expect(answer.headers.get('allow')).toBe(allow)
    }
    expect((await ask('/comments/1', { method: 'OPTIONS' })).status).toBe(204)
  })
})
