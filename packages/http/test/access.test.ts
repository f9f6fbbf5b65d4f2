import { describe, expect, test } from 'vitest'
import { type Access, type Action, HttpProblem } from '../src/index.ts'
import { ordersOf } from './collections.ts'
import { type Answer, useServedApi } from './served-api.ts'

/** Who may do what here, by the header `x-caller`. */
const CALLERS: Readonly<Record<string, Access>> = {
  all: {},
  // One customer, who sees neither margins nor totals.
  shop: { who: 'shop', reads: ['c1'], hidden: ['margin', 'total'], fixed: ['country'] },
  // Two customers, of whom one may be written.
  desk: { who: 'desk', reads: ['c1', 'c/2'], writes: ['c/2'] },
  other: { who: 'other', reads: ['nowhere'] },
  none: { reads: [] },
  blind: { hidden: ['status', 'reporter', 'actor', 'priority'] },
  wrong: { hidden: ['customer'] },
  // Changes what is there, and creates nothing.
  changes: {},
  named: { fixed: ['id'] },
}

const actions: Action[] = []
const api = useServedApi({
  items: 40,
  columns: true,
  authorize(request, action) {
    actions.push(action)
    const caller = request.headers.get('x-caller')
    if (caller === null) throw new HttpProblem('unauthorized', 'say who you are')
    if (caller === 'changes' && action.kind === 'create') throw new HttpProblem('forbidden', 'orders come by mail')
    return CALLERS[caller] ?? {}
  },
})
const as =
  (caller: string) =>
  (method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
    api.ask(path, {
      method,
      headers: { 'x-caller': caller, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
const all = as('all')
const shop = as('shop')
const desk = as('desk')
const [first, second] = ordersOf(2)

test('a request is let in for what it does', async () => {
  expect(await api.ask('/orders?scope=c1')).toMatchObject({ status: 401, body: { code: 'unauthorized' } })
  actions.length = 0
  await all('GET', '/orders?scope=c1')
  await all('GET', '/orders/-/counts?scope=c1')
  await all('DELETE', '/orders/no-such')
  expect(actions.map(({ kind, collection }) => [kind, collection])).toEqual([
    ['list', 'orders'],
    ['count', 'orders'],
    ['delete', 'orders'],
  ])
})

test('a whole item is put where there is none by who may create and choose ids', async () => {
  const { id: _, ...order } = { ...ordersOf(1)[0], customer: 'c1' }
  actions.length = 0
  expect((await all('PUT', '/orders/put-here', order)).status).toBe(201)
  expect((await all('PUT', '/orders/put-here', order)).status).toBe(200)
  expect(actions.map(({ kind }) => kind)).toEqual(['replace', 'create', 'replace'])
  expect(await as('changes')('PUT', '/orders/put-there', order)).toMatchObject({ status: 403 })
  expect(await as('changes')('PUT', '/orders/put-here', order)).toMatchObject({ status: 200 })
  expect(await as('named')('PUT', '/orders/put-there', order)).toMatchObject({ status: 404 })
  expect((await all('GET', '/orders/put-there')).status).toBe(404)
  await all('DELETE', '/orders/put-here')
  await api.counted()
})

describe('a scope that is not allowed', () => {
  test('has no items to put another in the place of, and takes none', async () => {
    const { id: _, ...theirs } = first as Record<string, unknown>
    const before = (await all('GET', `/orders/${first?.id}`)).body
    // `first` is of another customer: for this one there is none, also where it is put into a scope of its own.
    for (const customer of ['c/2', 'nowhere']) {
      const missing = await as('other')('PUT', `/orders/${first?.id}`, { ...theirs, customer })
      expect(missing).toMatchObject({ status: 404, body: { code: 'not_found' } })
    }
    expect((await as('other')('PUT', '/orders/put-new', { ...theirs, customer: 'c1' })).status).toBe(404)
    expect((await as('desk')('PUT', '/orders/put-new', { ...theirs, customer: 'c1' })).status).toBe(403)
    expect((await as('other')('PUT', '/orders/put-new', { ...theirs, customer: 'nowhere' })).status).toBe(201)
    expect((await all('GET', `/orders/${first?.id}`)).body).toEqual(before)
    await all('DELETE', '/orders/put-new')
    await api.counted()
  })

  test('is answered as one that is not there', async () => {
    for (const path of ['/orders?scope=c/2', '/orders?scope=c1&scope=c/2', '/orders/-/counts?scope=c/2']) {
      expect(await shop('GET', path)).toMatchObject({ status: 404, body: { code: 'not_found' } })
    }
    const there = await shop('GET', `/orders/${first?.id}`)
    const missing = await shop('GET', '/orders/no-such')
    expect(there).toMatchObject({ status: 404 })
    expect(there.body.detail.replace(String(first?.id), 'no-such')).toBe(missing.body.detail)
    for (const method of ['PATCH', 'DELETE'])
      expect(await shop(method, `/orders/${first?.id}`, method === 'PATCH' ? { note: 'x' } : undefined)).toMatchObject({
        status: 404,
      })
    expect(await shop('POST', '/orders', { ...second, id: 'n1', customer: 'c/2' })).toMatchObject({ status: 422 })
    expect(await desk('POST', '/orders', { ...second, id: 'n1', customer: 'c9' })).toMatchObject({ status: 404 })
  })

  test('is in no list, count, facet or board, also where no scope is named', async () => {
    const own = await shop('GET', '/orders?limit=100')
    expect(new Set(own.body.items.map(({ customer }: { customer: string }) => customer))).toEqual(new Set(['c1']))
    expect(own.body.page.total).toBe(own.body.items.length)
    expect((await shop('GET', '/orders/-/counts')).body.total).toBe(own.body.items.length)
    expect(await shop('GET', '/orders/-/leaderboards/delivered')).toMatchObject({ status: 404 })
    expect((await as('other')('GET', '/orders')).body.items).toEqual([])
    expect(await as('none')('GET', '/orders')).toMatchObject({ status: 404 })
    expect(await as('none')('GET', '/orders/-/counts')).toMatchObject({ status: 404 })
    expect((await desk('GET', '/orders?limit=100')).body.items).toHaveLength(40)
  })

  test('that may be read is not written, and an item does not leave or enter it', async () => {
    expect(await desk('PATCH', `/orders/${second?.id}`, { note: 'x' })).toMatchObject({ status: 403 })
    expect(await desk('PATCH', `/orders/${first?.id}`, { customer: 'c1' })).toMatchObject({ status: 403 })
    expect(await desk('PATCH', `/orders/${first?.id}`, { customer: 'c9' })).toMatchObject({ status: 404 })
    expect(await desk('PATCH', `/orders/${first?.id}`, { note: 'theirs' })).toMatchObject({ status: 200 })
  })

  test('does not take a cursor of another', async () => {
    const page = await all('GET', '/orders?scope=c%2F2&limit=1')
    const stolen = await shop('GET', `/orders?limit=1&cursor=${encodeURIComponent(page.body.cursors.next)}`)
    expect(stolen).toMatchObject({ status: 400, body: { code: 'cursor_mismatch' } })
  })
})

describe('an attribute that is hidden', () => {
  test('is in no item, list or description', async () => {
    for (const path of ['/orders', `/orders/${second?.id}`]) {
      const text = JSON.stringify((await shop('GET', path)).body)
      expect(text.replaceAll(/"page":\{[^}]*\}/g, '')).not.toMatch(/margin|total|price/)
    }
    const { paths, components } = (await shop('GET', '/openapi.json')).body
    const orders = JSON.stringify([paths['/orders'], paths['/orders/-/counts'], components.schemas.Order])
    expect(orders).not.toMatch(/margin|price|amount/)
    expect(JSON.stringify(components.schemas.NewOrder)).not.toMatch(/margin|"total"|country/)
    expect(JSON.stringify((await all('GET', '/openapi.json')).body)).toMatch(/margin/)
  })

  test('can’t be asked for, and the refusal is that of a name that is not there', async () => {
    const refusals = await Promise.all(
      [
        'price.from=1',
        'no-such=1',
        'where={"price":{"from":1}}',
        'where={"no-such":{"from":1}}',
        'by=amount',
        'by=no-such',
      ].map(async (search) => {
        const { status, body } = await shop('GET', `/orders?${search}`)
        return [status, JSON.stringify([body.detail, body.errors]).replaceAll(/price\.from|price|no-such|amount/g, '?')]
      }),
    )
    expect(refusals[0]).toEqual(refusals[1])
    expect(refusals[2]).toEqual(refusals[3])
    expect(refusals[4]?.[0]).toBe(400)
    expect(refusals.map(([status]) => status)).toEqual([400, 400, 400, 400, 400, 400])
    for (const search of ['sums=total', 'by=price']) {
      const { status, body } = await shop('GET', `/orders/-/counts?${search}`)
      expect([status, body.sums]).toEqual([400, undefined])
    }
    expect(await shop('GET', '/orders?explain=true')).toMatchObject({ status: 403, body: { code: 'forbidden' } })
    expect((await as('blind')('GET', '/orders?scope=c1')).body.facets).not.toHaveProperty('status')
    expect((await as('blind')('GET', '/orders/-/counts?scope=c1')).body.facets).not.toHaveProperty('status')
    expect(await as('blind')('GET', '/orders/-/leaderboards/delivered')).toMatchObject({ status: 404 })
    // By path, and by a function that may read anything.
    const tickets = await as('blind')('GET', '/tickets?scope=large')
    expect(Object.keys(tickets.body.facets).sort()).toEqual(['area', 'tags'])
    expect(JSON.stringify(tickets.body.items)).not.toMatch(/reporter|Berlin|priority/)
  })

  test('can’t be set, stays as it is, and is in no error', async () => {
    const path = `/orders/${second?.id}`
    const before = await all('GET', path)
    const refused = await shop('PATCH', path, { margin: 1 })
    expect(refused).toMatchObject({ status: 422, body: { errors: [{ path: 'margin', message: 'is not known here' }] } })
    expect((await shop('PATCH', path, { nothing: 1 })).body.errors[0].message).toBe('is not known here')
    expect(await shop('PATCH', path, { country: 'AT' })).toMatchObject({
      status: 422,
      body: { errors: [{ path: 'country', message: 'may not be set by this caller' }] },
    })
    const seen = (await shop('GET', path)).body
    const replaced = await shop('PUT', path, { ...seen, note: 'put' })
    expect(replaced).toMatchObject({ status: 200, body: { note: 'put' } })
    expect(replaced.body).not.toHaveProperty('total')
    expect((await all('GET', path)).body).toMatchObject({ margin: before.body.margin, total: before.body.total })
    expect((await shop('PUT', path, { ...seen, country: 'XX' })).body.errors[0].path).toBe('country')
    // An item without it can't be made: what is wrong has no name.
    const { total: _, margin: __, country: ___, ...rest } = ordersOf(1)[0] as Record<string, unknown>
    const made = await shop('POST', '/orders', { ...rest, id: 'made', customer: 'c1' })
    expect(made.status).toBe(422)
    expect(JSON.stringify(made.body)).not.toMatch(/total|margin/)
  })

  test('can’t be set by putting an item where there is none', async () => {
    const { margin: _, total: __, ...rest }: Record<string, unknown> = { ...ordersOf(1)[0], id: 'put', customer: 'c1' }
    const { country: ___, ...free } = rest
    expect((await shop('PUT', '/orders/put', rest)).body.errors).toEqual([
      { path: 'country', message: 'may not be set by this caller' },
    ])
    expect((await shop('PUT', '/orders/put', { ...free, margin: 1 })).body.errors[0].path).toBe('margin')
    // A total is needed, which this caller can't see.
    const made = await shop('PUT', '/orders/put', free)
    expect(made.status).toBe(422)
    expect(JSON.stringify(made.body)).not.toMatch(/total|margin/)
    expect((await all('GET', '/orders/put')).status).toBe(404)
  })

  test('changes no tag that its caller gets', async () => {
    const path = '/tickets/t1001'
    const blind = as('blind')
    const tag = (await blind('GET', path)).headers.get('etag')
    await all('PATCH', path, { priority: 'low', reporter: { city: 'Linz' } })
    expect((await blind('GET', path)).headers.get('etag')).toBe(tag)
    await all('PATCH', path, { subject: 'Seen' })
    expect((await blind('GET', path)).headers.get('etag')).not.toBe(tag)
  })
})

test('keys of idempotency are a caller’s own', async () => {
  const key = { 'idempotency-key': 'the-same' }
  const order = { ...second, customer: 'c/2' }
  const made = await desk('POST', '/orders', { ...order, id: undefined }, key)
  expect(made.status).toBe(201)
  expect((await desk('POST', '/orders', { ...order, id: undefined }, key)).body).toEqual(made.body)
  const theirs = await all('POST', '/orders', { ...order, id: undefined, total: 3 }, key)
  expect(theirs.status).toBe(201)
  expect(theirs.body.id).not.toBe(made.body.id)
})

test('what is for one caller is kept by no cache that others share', async () => {
  expect((await shop('GET', '/orders')).headers.get('cache-control')).toBe('private, no-cache')
  expect((await all('GET', '/orders?scope=c1')).headers.get('cache-control')).toBe('no-cache')
  expect((await shop('GET', '/openapi.json')).headers.get('cache-control')).toBe('private, no-cache')
})

test('hiding what addresses tell is refused to the operator, and says nothing to the caller', async () => {
  api.errors.length = 0
  expect(await as('wrong')('GET', '/orders?scope=c1')).toMatchObject({ status: 500, body: { code: 'internal_error' } })
  expect(String(api.errors[0])).toContain('authorize hides "customer" of ORDER')
})
