import { readFileSync } from 'node:fs'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { createMetrics, PROBLEM_CODES } from 'lapidary-http/internal'
import { pino } from 'pino'
import { describe, expect, test, vi } from 'vitest'
import { createApp } from '../src/app.ts'
import { createServices } from '../src/services.ts'
import { newComment, readAnswer, useTestApp } from './test-app.ts'

const { app, ask, send, log, services } = useTestApp()

test('/healthz and /readyz', async () => {
  expect(await ask('/healthz')).toMatchObject({ status: 200, body: { status: 'ok' } })
  expect(await ask('/readyz')).toMatchObject({
    status: 200,
    body: { status: 'ready', checks: { table: { ok: true } } },
  })
})

test('/readyz answers in time whatever hangs', async () => {
  const never = () => new Promise<never>(() => undefined)
  const hanging = createApp(services, {
    tokens: { admin: 'the-admin-token-1' },
    logger: pino({ level: 'silent' }),
    metrics: createMetrics({ process: false }),
    readiness: { table: never, disk: async () => ({ ok: true }), derivedData: never },
  })
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const asked = Promise.resolve(hanging.request('/readyz'))
    await vi.advanceTimersByTimeAsync(2_000)
    expect(await readAnswer(await asked)).toMatchObject({
      status: 503,
      body: {
        detail: 'not ready: table, derivedData',
        checks: { table: { ok: false, reason: 'TimeoutError' }, disk: { ok: true } },
      },
    })
  } finally {
    vi.useRealTimers()
  }
})

test('/metrics counts requests by route and capacity by operation', async () => {
  await send('POST', '/products/42/comments', newComment({ id: 'counted' }))
  await ask('/comments/counted')
  const { body } = await ask('/metrics')
  expect(body).toMatch(/http_request_duration_seconds_count\{route="\/comments\/:id",method="GET",status="200"\} 1/)
  expect(body).toMatch(/dynamodb_consumed_capacity_units_total\{operation="PutItem",kind="write"\} \d/)
  expect(body).toMatch(/dynamodb_consumed_capacity_units_total\{operation="GetItem",kind="read"\} \d/)
})

test('each request is logged in one line, without its query', async () => {
  log.length = 0
  const { headers } = await ask('/products/42/comments?language=en')
  expect(log.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({
      id: headers.get('x-request-id'),
      method: 'GET',
      path: '/products/42/comments',
      status: 200,
      ms: expect.any(Number),
      rcu: expect.any(Number),
    }),
  ])
})

test('every answer has the headers that keep browsers safe', async () => {
  for (const path of ['/', '/products/42/comments', '/nothing', '/docs', '/openapi.json']) {
    const { headers } = await ask(path)
    expect(headers.get('x-content-type-options'), path).toBe('nosniff')
    expect(headers.get('referrer-policy'), path).toBeTruthy()
    expect(headers.get('content-security-policy'), path).toMatch(/frame-ancestors 'none'/)
    expect(headers.get('content-security-policy'), path).not.toMatch(/script-src[^;]*unsafe/)
    expect(headers.get('access-control-allow-origin'), path).toBeNull()
    expect(headers.get('x-powered-by'), path).toBeNull()
  }
})

describe('/openapi.json', () => {
  /** What browsers ask for, pages and forms. */
  const PAGES = /^\/(docs|openapi|assets|suggestions$|language$|moderation(?!\/cases)|p(\/|$)|$)/

  test('describes every route, its parameters and its errors', async () => {
    const { body } = await ask('/openapi.json')
    expect(body.openapi).toBe('3.1.0')
    const described = Object.entries(body.paths as Record<string, object>).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    )
    const routed = app.routes
      .filter(({ method, path }) => method !== 'ALL' && !PAGES.test(path))
      .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`)
    expect(described.toSorted()).toEqual([...new Set(routed)].toSorted())
    const list = body.paths['/products/{productId}/comments'].get
    expect(list.parameters.map(({ name }: { name: string }) => name)).toEqual(
      expect.arrayContaining([
        'productId',
        'language',
        'rating',
        'limit',
        'order',
        'from',
        'to',
        'cursor',
        'page',
        'explain',
      ]),
    )
    const remove = body.paths['/comments/{id}'].delete
    expect(Object.keys(remove.responses)).toEqual(
      expect.arrayContaining(['204', '401', '403', '404', '412', '429', '503']),
    )
    expect(remove.security).toEqual([{ admin: [] }, { person: [] }])
    expect(Object.keys(body.components.securitySchemes)).toEqual(['writer', 'admin', 'person'])
  })

  test('has no reference that leads nowhere', async () => {
    const { body } = await ask('/openapi.json')
    const references = [...JSON.stringify(body).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(
      ([, name]) => name,
    )
    expect(references.length).toBeGreaterThan(0)
    expect(Object.keys(body.components.schemas)).toEqual(expect.arrayContaining(references))
  })
})

test('/docs shows every request, and loads everything from here', async () => {
  const { body, headers } = await ask('/docs')
  expect(headers.get('content-type')).toMatch(/text\/html/)
  const { paths } = (await ask('/openapi.json')).body
  // A long path may break after each of its parts.
  const text = body.replaceAll('<wbr/>', '')
  for (const path of Object.keys(paths)) expect(text).toContain(path)
  const loaded = [...body.matchAll(/<(?:script|link)[^>]* (?:src|href)="([^"]+)"/g)].map(([, target]) => target)
  expect(loaded.length).toBeGreaterThanOrEqual(3)
  for (const target of loaded) expect((await ask(target)).status, target).toBe(200)
  const inner = [...body.matchAll(/href="#([\w-]+)"/g)].map(([, id]) => id)
  expect(inner.length).toBeGreaterThan(20)
  for (const id of inner) expect(body).toContain(`id="${id}"`)
  expect(body).not.toMatch(/<script>|style="/)
})

test('every code is explained, where its type leads and in docs/errors.md', async () => {
  const page = (await ask('/docs/errors')).body
  const guide = readFileSync(new URL('../../../docs/errors.md', import.meta.url), 'utf8')
  const errors = readFileSync(new URL('../../../packages/lapidary/src/model/errors.ts', import.meta.url), 'utf8')
  const ofLibrary = [...(errors.split('interface')[0] ?? '').matchAll(/\| '(\w+)'/g)].map(([, code]) => String(code))
  const ofEngine = 'engine_unavailable'
  expect(ofLibrary.length).toBeGreaterThan(10)
  for (const code of Object.keys(PROBLEM_CODES)) expect(page).toContain(`id="${code}"`)
  const headings = [...guide.matchAll(/^#{2,3} `(\w+)`/gm)].map(([, code]) => code)
  expect(headings.toSorted()).toEqual([...new Set([...ofLibrary, ofEngine, ...Object.keys(PROBLEM_CODES)])].toSorted())
})

describe('without a database', () => {
  const client = new DynamoDBClient({
    endpoint: 'http://127.0.0.1:1',
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    maxAttempts: 1,
  })
  const lines: string[] = []
  const services = createServices({ client, tableName: 'nowhere', cursorSecret: 'a secret of the tests' })
  const settings = {
    tokens: { admin: 'the-admin-token-1' },
    logger: pino({ level: 'info' }, { write: (line: string) => lines.push(line) }),
    metrics: createMetrics({ process: false }),
    readiness: {
      table: async () => {
        throw new Error('no')
      },
    },
  }
  const away = createApp(services, settings)

  test.each(['/products/42/comments', '/comments/1', '/readyz'])('%s is 503, to be tried again', async (path) => {
    const { status, headers, body } = await readAnswer(await away.request(path))
    expect([status, body.code]).toEqual([503, 'unavailable'])
    expect(headers.get('retry-after')).toBe('1')
  })

  test('a product’s page is 503 too, with a link to try again, and the log says why', async () => {
    lines.length = 0
    const response = await away.request('/p/42?rating=5', { headers: { accept: 'text/html' } })
    const { status, headers, body } = await readAnswer(response)
    expect([status, headers.get('retry-after')]).toEqual([503, '1'])
    expect(body).toContain('<h1>One moment, please</h1>')
    expect(body).toContain('<a class="button" href="/p/42?rating=5">Try again</a>')
    expect(lines.join('')).toContain('ECONNREFUSED')
  })

  test('what is unforeseen is 500, logged by its instance, and shows nothing of itself', async () => {
    const get = async () => {
      throw new Error('the secret reason')
    }
    const broken = createApp({ ...services, comments: { ...services.comments, get } }, settings)
    lines.length = 0
    const { status, body } = await readAnswer(await broken.request('/comments/1'))
    expect([status, body.code]).toEqual([500, 'internal_error'])
    expect(JSON.stringify(body)).not.toMatch(/secret reason|\bat \//)
    const logged = lines.find((line) => line.includes('the secret reason')) ?? '{}'
    expect(`urn:uuid:${JSON.parse(logged).id}`).toBe(body.instance)
  })
})
