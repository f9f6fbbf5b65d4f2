import { increment } from 'lapidary'
import { describe, expect, test } from 'vitest'
import { ordersOf, ticketsOf } from './collections.ts'
import { useServedApi, WRITER } from './served-api.ts'

const api = useServedApi()
const { ask, send } = api
const [order = { id: '' }] = ordersOf(1)
const [ticket = { id: '' }] = ticketsOf(1)

describe('one item', () => {
  test('is created, read, changed, replaced and deleted', async () => {
    const { id: _, ...rest } = order
    const created = await send('POST', '/orders', rest)
    expect(created).toMatchObject({ status: 201, body: { ...rest, version: 1, updatedAt: null } })
    const path = created.headers.get('location') ?? ''
    expect(path).toBe(`/orders/${created.body.id}`)
    const read = await ask(path)
    expect(read).toMatchObject({ status: 200, body: created.body })
    const tag = read.headers.get('etag') ?? ''
    expect(tag).toMatch(/^"1\.[\w-]{27}"$/)
    expect(created.headers.get('etag')).toBe(tag)
    expect((await ask(path, { headers: { 'if-none-match': tag } })).status).toBe(304)
    expect(await send('PATCH', path, { status: 'OPEN' })).toMatchObject({
      status: 200,
      body: { status: 'OPEN', version: 2 },
    })
    expect((await send('PATCH', path, { status: 'SHIPPED' }, { 'if-match': '"1"' })).body.code).toBe('version_conflict')
    const whole = (await ask(path)).body
    expect(await send('PUT', path, { ...whole, total: 7 }, { 'if-match': '"2"' })).toMatchObject({
      status: 200,
      body: { ...whole, total: 7, version: 3, updatedAt: expect.any(String) },
    })
    // What a whole item lacks is removed, and null removes what can't be null.
    expect((await send('PUT', path, { ...whole, note: undefined })).body).not.toHaveProperty('note')
    expect((await send('PATCH', path, { margin: null })).body).not.toHaveProperty('margin')
    expect((await send('DELETE', path)).status).toBe(204)
    expect(await send('DELETE', path)).toMatchObject({ status: 404, body: { code: 'not_found' } })
    expect(await send('PATCH', path, { status: 'OPEN' })).toMatchObject({ status: 404, body: { code: 'not_found' } })
  })

  test('is created by PUT where there is none', async () => {
    const { id: _, ...rest } = order
    const path = '/orders/put%20here'
    const given = { ...rest, id: 'put here', version: 7, updatedAt: null }
    expect(await send('PUT', path, given, { 'if-match': '"7"' })).toMatchObject({
      status: 412,
      body: { code: 'version_conflict' },
    })
    expect((await send('PUT', path, given, { 'if-match': '*' })).status).toBe(412)
    for (const header of ['if-match', 'if-none-match'])
      for (const address of [path, '/tickets/put-ticket'])
        expect(
          (await send('PUT', address, address === path ? given : { ...ticket, id: undefined }, { [header]: '3' }))
            .status,
        ).toBe(400)
    expect((await ask(path)).status).toBe(404)
    const created = await send('PUT', path, given, { 'if-none-match': '*' })
    expect(created).toMatchObject({ status: 201, body: { ...rest, id: 'put here', version: 1, updatedAt: null } })
    expect(created.headers.get('location')).toBe(path)
    expect(created.headers.get('etag')).toMatch(/^"1\./)
    expect((await send('PUT', path, rest, { 'if-none-match': '*' })).body.code).toBe('version_conflict')
    expect(await send('PUT', path, { ...rest, total: 7 }, { 'if-match': '*' })).toMatchObject({
      status: 200,
      body: { total: 7, version: 2 },
    })
    const { total: __, ...lacking } = rest as Record<string, unknown>
    expect((await send('PUT', '/orders/put-lacking', lacking)).body.errors[0].path).toBe('total')
    // The address says the id; a body may repeat it.
    expect(await send('PUT', '/tickets/put-ticket', { ...ticket, id: undefined })).toMatchObject({
      status: 201,
      body: { id: 'put-ticket' },
    })
    expect((await send('PUT', '/tickets/put-other', ticket)).body.errors[0].path).toBe('id')
  })

  test('is created once by many that put it at once', async () => {
    const { id: _, ...rest } = order
    const puts = Array.from({ length: 8 }, (_, i) => send('PUT', '/orders/raced', { ...rest, total: i }))
    const statuses = (await Promise.all(puts)).map(({ status }) => status)
    expect(statuses.toSorted()).toEqual([...Array(7).fill(200), 201])
    expect((await ask('/orders/raced')).body.version).toBe(8)
  })

  test('has a tag that tells a reader of what changes beside the version, and a writer of the version', async () => {
    const { headers, body } = await send('POST', '/orders', { ...order, id: 'beside' })
    const path = '/orders/beside'
    const tag = headers.get('etag') ?? ''
    const changed = await api.lapidary.orders.patch('beside', { total: increment(1) }, { keepVersion: true })
    const read = await ask(path, { headers: { 'if-none-match': tag } })
    expect(read).toMatchObject({ status: 200, body: { total: changed.total, version: 1 } })
    const now = read.headers.get('etag') ?? ''
    for (const known of [now, tag, '"1"', `W/${now}`, '*'])
      for (const method of ['PATCH', 'DELETE'])
        expect(
          await send(method, path, method === 'PATCH' ? { status: 'OPEN' } : undefined, { 'if-none-match': known }),
        ).toMatchObject({ status: 412, body: { code: 'version_conflict' } })
    const patched = await send('PATCH', path, { note: 'of one who has read it before' }, { 'if-match': tag })
    expect(patched).toMatchObject({ status: 200, body: { total: changed.total, version: 2 } })
    expect((await send('PATCH', path, { note: 'late' }, { 'if-match': now })).status).toBe(412)

    // The item is another one with the first version again.
    expect((await send('DELETE', path, undefined, { 'if-none-match': now })).status).toBe(204)
    await send('POST', '/orders', { ...order, id: 'beside', note: 'new' })
    expect((await ask(path, { headers: { 'if-none-match': tag } })).body).toEqual({ ...body, note: 'new' })
  })

  test('without a version has a tag of what it holds, and a change goes by it', async () => {
    await send('POST', '/tickets', ticket)
    const path = `/tickets/${ticket.id}`
    const tag = (await ask(path)).headers.get('etag') ?? ''
    expect(tag).toMatch(/^"[\w-]{27}"$/)
    const changed = await send('PATCH', path, { subject: 'Other' }, { 'if-match': tag })
    expect(changed).toMatchObject({ status: 200, body: { subject: 'Other' } })
    expect(changed.headers.get('etag')).not.toBe(tag)
    for (const method of ['PATCH', 'DELETE'])
      expect(await send(method, path, method === 'PATCH' ? {} : undefined, { 'if-match': tag })).toMatchObject({
        status: 412,
        body: { code: 'version_conflict' },
      })
    expect((await send('DELETE', path, undefined, { 'if-match': `"x", ${changed.headers.get('etag')}` })).status).toBe(
      204,
    )
  })

  test('is created once for one key', async () => {
    const key = { 'idempotency-key': 'order-7' }
    const { id: _, ...rest } = order
    const first = await send('POST', '/orders', rest, key)
    expect(await send('POST', '/orders', rest, key)).toMatchObject({ status: 201, body: first.body })
    expect((await send('POST', '/orders', { ...rest, total: 1 }, key)).body.code).toBe('idempotency_mismatch')
    expect((await send('POST', '/orders', { ...rest, id: first.body.id })).body.code).toBe('already_exists')
  })

  test('keeps all digits of its numbers', async () => {
    const entry = {
      ...{ id: 'big', organisation: 'acme', sequence: 1, kind: 'read', level: 1, actor: 'a' },
      ...{ bytes: '123456789012345678901234567890', cost: '0.12345678901234567890123456789' },
    }
    expect((await send('POST', '/audit', entry)).body).toEqual(entry)
    expect((await ask('/audit/big')).body).toEqual(entry)
    expect(await api.lapidary.audit.get('big')).toHaveProperty('bytes', 123456789012345678901234567890n)
  })

  test('takes times as clients write them, and keeps them in UTC to the millisecond', async () => {
    const made = await send('POST', '/orders', { ...order, id: 'timed', orderedAt: '2026-01-01T01:00:00.123456+01:00' })
    expect(made.body.orderedAt).toBe('2026-01-01T00:00:00.123Z')
    expect((await send('PATCH', '/orders/timed', { orderedAt: '2026-02-01' })).body.orderedAt).toBe(
      '2026-02-01T00:00:00.000Z',
    )
    expect((await send('PATCH', '/orders/timed', { orderedAt: 'soon' })).status).toBe(422)
  })

  test('is refused with each wrong attribute named', async () => {
    const wrong = { ...order, status: 'LOST', version: 3, other: 1 }
    expect(await send('POST', '/orders', wrong)).toMatchObject({
      status: 422,
      body: { code: 'unprocessable', errors: [{ path: 'version' }, { path: 'other' }] },
    })
    expect((await send('POST', '/orders', { ...order, status: 'LOST' })).body.errors[0].path).toBe('status')
    for (const name of ['id', 'orderedAt'])
      expect((await send('POST', '/orders', { ...order, [name]: null })).body.errors[0].path).toBe(name)
    expect((await send('POST', '/orders', [])).status).toBe(422)
    expect((await send('POST', '/orders', '{"id":')).status).toBe(400)
    expect((await send('POST', '/orders', order, { 'content-type': 'text/plain' })).status).toBe(415)
    expect((await send('PUT', '/orders/other', { ...order, id: 'another' })).body.errors[0].path).toBe('id')
  })
})

test('writing needs a token, and deleting the admin’s', async () => {
  expect(await send('POST', '/orders', order, { authorization: '' })).toMatchObject({ status: 401 })
  expect(await send('POST', '/orders', order, { authorization: 'Bearer no-such-token-at-all' })).toMatchObject({
    status: 401,
  })
  const made = await send('POST', '/orders', order, { authorization: `Bearer ${WRITER}` })
  expect(made.status).toBe(201)
  expect(await send('DELETE', `/orders/${order.id}`, undefined, { authorization: `Bearer ${WRITER}` })).toMatchObject({
    status: 403,
    body: { code: 'forbidden' },
  })
})
