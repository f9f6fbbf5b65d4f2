import { Hono } from 'hono'
import { expect, test } from 'vitest'
import { byTokens, lapidaryRoutes } from '../src/index.ts'
import { createWorkLimit } from '../src/internal.ts'
import { ordersOf } from './collections.ts'
import { ADMIN, readAnswer, useServedApi } from './served-api.ts'

const api = useServedApi({ items: 30 })
const authorize = byTokens({ admin: ADMIN })

test('below a path of another application every address has the path, and its other routes are left alone', async () => {
  const app = new Hono().get('/other', (context) => context.text('other'))
  app.route('/api/v1', lapidaryRoutes(api.lapidary, { authorize }))
  const ask = async (path: string, init?: RequestInit) => readAnswer(await app.request(path, init))
  const page = await ask('/api/v1/orders?scope=c1&limit=5')
  const next = /<([^>]*)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1] ?? ''
  expect(next).toMatch(/^\/api\/v1\/orders\?scope=c1&limit=5&cursor=/)
  expect((await ask(next)).body.items).toHaveLength(5)
  const made = await ask('/api/v1/orders', {
    method: 'POST',
    headers: { authorization: `Bearer ${ADMIN}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...ordersOf(1)[0], id: 'a/b' }),
  })
  expect(made.headers.get('location')).toBe('/api/v1/orders/a%2Fb')
  expect((await ask('/api/v1/orders/a%2Fb')).status).toBe(200)
  expect((await ask('/api/v1/orders/none')).body.type).toBe('/api/v1/docs/errors#not_found')
  expect((await ask('/api/v1/openapi.json')).body.servers).toEqual([{ url: '/api/v1' }])
  expect((await ask('/api/v1/docs')).body).toContain('href="/api/v1/docs/errors"')
  expect(await ask('/api/v1/orders', { method: 'PUT' })).toMatchObject({ status: 405 })
  const other = await ask('/other')
  expect(other.body).toBe('other')
  expect(other.headers.get('x-frame-options')).toBeNull()
  expect(page.headers.get('x-frame-options')).toBe('DENY')
})

test('a server that has as much under way as it takes says so before any work, and lives on', async () => {
  const app = lapidaryRoutes(api.lapidary, { authorize, limitWork: createWorkLimit(1, 0) })
  const answer = await readAnswer(await app.request('/orders?scope=c1'))
  expect(answer).toMatchObject({ status: 503, body: { code: 'unavailable' } })
  expect(answer.headers.get('retry-after')).toBe('1')
  expect((await app.request('/healthz')).status).toBe(200)
})

test('a page ends where its request has read what it may, and its link leads on', async () => {
  const app = lapidaryRoutes(api.lapidary, { authorize, maxCapacity: 0.5 })
  const ids: string[] = []
  let limited = 0
  for (
    let path: string | undefined = '/orders?scope=c1&status=OPEN&limit=100&counts=false&explain=true';
    path !== undefined;
  ) {
    const { status, headers, body } = await readAnswer(await app.request(path))
    expect(status).toBe(200)
    ids.push(...body.items.map(({ id }: { id: string }) => id))
    if (body.plan.limits.includes('maxCapacity')) limited++
    path = /<([^>]*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]
    if (limited > 100) break
  }
  const whole = await api.ask('/orders?scope=c1&status=OPEN&limit=100')
  expect(ids).toEqual(whole.body.items.map(({ id }: { id: string }) => id))
})

test('a total that is too old is not told', async () => {
  const app = lapidaryRoutes(api.lapidary, { authorize, countsBehind: () => 90_000 })
  const page = await readAnswer(await app.request('/orders?scope=c1&limit=1'))
  expect(page.body.page).toMatchObject({ total: null, count: null })
  expect((await readAnswer(await app.request('/orders/-/counts?scope=c1'))).body.total).toBeNull()
})
