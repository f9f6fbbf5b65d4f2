import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { createHttpServer } from 'lapidary-http/internal/server'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ASSETS } from '../src/web/assets.ts'
import { newComment, useTestApp, WRITER } from './test-app.ts'

const { app, ask, send, counted } = useTestApp()
const server = createHttpServer()
let port = 0

beforeAll(async () => {
  port = await server.listen(app.fetch, { host: '127.0.0.1', port: 0 })
  for (let i = 0; i < 20; i++) await send('POST', '/products/42/comments', newComment({ id: `c${i}` }))
  // Answers do not change after this.
  await counted()
})
afterAll(() => server.drain())

/** Sends bytes on a connection of its own, and returns the whole answer when the server closes it. */
async function exchange(bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  socket.setEncoding('latin1').on('data', (chunk) => {
    text += chunk
  })
  socket.on('error', () => {})
  socket.write(bytes)
  await once(socket, 'close')
  return text
}

function fetchRaw(path: string, headers: Record<string, string>): Promise<{ headers: Headers; body: Buffer }> {
  return new Promise((resolve, reject) => {
    request({ port, path, headers }, async (response) => {
      const chunks: Buffer[] = []
      for await (const chunk of response) chunks.push(chunk)
      resolve({ headers: new Headers(response.headers as Record<string, string>), body: Buffer.concat(chunks) })
    })
      .on('error', reject)
      .end()
  })
}

describe('compression', () => {
  test.each([
    ['br, gzip;q=0.9', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
  ] as const)('Accept-Encoding: %s gets %s', async (accepted, encoding, unpack) => {
    for (const path of ['/p/42', '/products/42/comments', '/openapi.json', ASSETS.path('style.css')]) {
      const plain = await fetchRaw(path, {})
      const packed = await fetchRaw(path, { 'accept-encoding': accepted })
      expect(packed.headers.get('content-encoding'), path).toBe(encoding)
      expect(packed.headers.get('vary'), path).toMatch(/accept-encoding/i)
      expect(packed.body.length, path).toBeLessThan(plain.body.length / 2)
      if (path !== '/p/42') expect(unpack(packed.body).length, path).toBe(plain.body.length)
    }
  })

  test('none for those who do not ask, and none for little', async () => {
    expect((await fetchRaw('/p/42', { 'accept-encoding': 'identity' })).headers.get('content-encoding')).toBeNull()
    expect((await fetchRaw('/healthz', { 'accept-encoding': 'br' })).headers.get('content-encoding')).toBeNull()
  })
})

describe('validators', () => {
  test.each([
    '/products/42/comments',
    '/products/42/comments/en/5',
    '/products/42/statistics',
    '/products/42/highlights',
    '/leaderboards/five-star',
  ])('%s has an ETag that stays while nothing changes, and is answered 304', async (path) => {
    const { status, headers } = await ask(path)
    const tag = headers.get('etag') ?? ''
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-cache'])
    expect(tag).toMatch(/^W\/"[\w-]+"$/)
    const again = await ask(path, { headers: { 'if-none-match': `"x", ${tag}` } })
    expect([again.status, again.body, again.headers.get('etag')]).toEqual([304, '', tag])
    expect((await ask(path, { headers: { 'if-none-match': '"x"' } })).status).toBe(200)
  })

  test('a list has another ETag when a comment of it changes', async () => {
    const before = (await ask('/products/42/comments')).headers.get('etag')
    await send('PATCH', '/comments/c3', { title: 'Another' })
    expect((await ask('/products/42/comments')).headers.get('etag')).not.toBe(before)
  })

  test('assets understand weak tags and lists of tags', async () => {
    const path = ASSETS.path('style.css')
    const tag = (await ask(path)).headers.get('etag') ?? ''
    for (const condition of [tag, `W/${tag}`, `"other", W/${tag}`, '*']) {
      expect((await ask(path, { headers: { 'if-none-match': condition } })).status, condition).toBe(304)
    }
    expect((await ask(path, { headers: { 'if-none-match': '"other"' } })).status).toBe(200)
  })

  test.each([
    ['*', 412],
    ['"1"', 412],
    ['W/"1"', 412],
    ['"7"', 200],
  ])('a change with If-None-Match: %s is answered %i', async (condition, expected) => {
    await send('POST', '/products/tags/comments', newComment({ id: `tag-${condition}` }))
    const path = `/comments/${encodeURIComponent(`tag-${condition}`)}`
    const changed = await send('PATCH', path, { rating: 1 }, { 'if-none-match': condition })
    expect(changed.status).toBe(expected)
    if (expected === 412) expect(changed.body.code).toBe('version_conflict')
  })

  test('nothing that is absent is changed, whatever the condition', async () => {
    expect((await send('PATCH', '/comments/none', { rating: 1 }, { 'if-none-match': '*' })).status).toBe(404)
  })
})

test.each(['/assets', '/assets/', '/assets/x', '/assets/x/none.css', '/assets/x/style.css/y', '/docs/assets/none.js'])(
  '%s is not there',
  async (path) => {
    expect(await ask(path)).toMatchObject({ status: 404, body: { code: 'not_found' } })
    expect((await ask(path, { method: 'HEAD' })).status).toBe(404)
  },
)

describe('bodies', () => {
  test.each(['gzip', 'br', 'x-unknown', 'gzip, identity'])('in Content-Encoding: %s are refused', async (encoding) => {
    const headers = { 'content-encoding': encoding }
    const refused = await send('POST', '/products/42/comments', newComment(), headers)
    expect(refused).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } })
    expect(refused.headers.get('accept-encoding')).toBe('identity')
  })

  test('that are said to be plain are read', async () => {
    const plain = await send('POST', '/products/42/comments', newComment(), { 'content-encoding': 'identity' })
    expect(plain.status).toBe(201)
  })

  test('with a name twice are refused, however much space is between', async () => {
    const body = `{"language":"en","rating":1,"rating"${' \n'.repeat(200)}:5,"text":"x","author":"y"}`
    expect(await send('POST', '/products/42/comments', body)).toMatchObject({
      status: 422,
      body: { errors: [{ path: 'rating', message: 'is given twice' }] },
    })
  })
})

describe('on the wire', () => {
  test('HTTP/1.0 needs no Host', async () => {
    expect(await exchange('GET /healthz HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1.1 200 [\s\S]*"status":"ok"/)
  })

  test.each([
    'GET / HTTP/1.1\r\n\r\n',
    'NONSENSE\r\n\r\n',
    'GET /\\x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    'GET / HTTP/1.1\r\nHost: x\r\nhost: y\r\nConnection: close\r\n\r\n',
    'GET / HTTP/1.0\r\nHost: x\r\nHost: x\r\n\r\n',
    'GET / HTTP/1.1\r\nHost: x\r\nAuthorization: a\r\nAuthorization: b\r\nConnection: close\r\n\r\n',
    'GET / HTTP/1.1\r\nHost: x\r\nIdempotency-Key: a\r\nIdempotency-Key: b\r\nConnection: close\r\n\r\n',
    'GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nContent-Length: 1\r\nConnection: close\r\n\r\n',
  ])('%j is answered with a problem, and with the headers of every answer', async (bytes) => {
    const answer = (await exchange(bytes)).toLowerCase()
    expect(answer).toMatch(/^http\/1.1 400 /)
    expect(answer).toContain('content-type: application/problem+json')
    expect(answer).toContain('x-content-type-options: nosniff')
    expect(answer).toContain("content-security-policy: default-src 'none'")
  })

  test('what a list may have in several lines is taken', async () => {
    const lines = 'Accept-Language: de\r\nAccept-Language: en\r\nIf-None-Match: "1"\r\nIf-None-Match: "2"'
    expect(await exchange(`GET /healthz HTTP/1.1\r\nHost: x\r\n${lines}\r\nConnection: close\r\n\r\n`)).toMatch(
      /^HTTP\/1.1 200 /,
    )
  })

  test('an expectation that is not known is ignored', async () => {
    const answer = await exchange('GET /healthz HTTP/1.1\r\nHost: x\r\nExpect: cake\r\nConnection: close\r\n\r\n')
    expect(answer).toMatch(/^HTTP\/1.1 200 /)
  })

  test('while the server drains, an answer says that the connection closes', async () => {
    const draining = createHttpServer()
    const ownPort = await draining.listen(app.fetch, { host: '127.0.0.1', port: 0 })
    const socket = connect(ownPort, '127.0.0.1')
    let text = ''
    socket.setEncoding('utf8').on('data', (chunk) => {
      text += chunk
    })
    const body = JSON.stringify(newComment())
    socket.write(
      `POST /products/42/comments HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${WRITER}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n{`,
    )
    await delay(100)
    const drained = draining.drain()
    socket.write(body.slice(1))
    await once(socket, 'close')
    expect(text).toMatch(/^HTTP\/1.1 201 /)
    expect(text.toLowerCase()).toContain('connection: close')
    await drained
  })

  test('a client that does not read is let go', async () => {
    const impatient = createHttpServer({ sendTimeoutMs: 300 })
    // More than the buffers of the machine take.
    const fetch = () => new Response(Buffer.alloc(64 * 1024 * 1024))
    const ownPort = await impatient.listen(fetch, { host: '127.0.0.1', port: 0 })
    const socket = connect(ownPort, '127.0.0.1')
    socket.on('error', () => {})
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    await once(socket, 'readable')
    await impatient.drain()
    let bytes = 0
    socket.on('data', (chunk) => {
      bytes += chunk.length
    })
    await once(socket, 'close')
    expect(bytes).toBeLessThan(64 * 1024 * 1024)
  })
})
