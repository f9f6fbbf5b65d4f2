import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { COLLECTIONS, ordersOf } from './collections.ts'
import { ADMIN, type Answer, useServedApi } from './served-api.ts'

const api = useServedApi({ items: 5, columns: true })
const { ask, send } = api
const RUNS = Number(process.env.FC_RUNS ?? 200)

function expectClean({ status, headers, body }: Answer): void {
  expect(status, JSON.stringify(api.errors.map(String))).not.toBe(500)
  if (status < 400) return
  expect(headers.get('content-type')).toBe('application/problem+json')
  expect(body).toMatchObject({ status, code: expect.any(String), detail: expect.any(String), type: expect.any(String) })
}

const names = fc.oneof(
  fc.constantFrom(
    ...['scope', 'where', 'by', 'order', 'from', 'to', 'limit', 'cursor', 'page', 'counts', 'explain', 'sums', 'every'],
    ...['zone', 'status', 'price.from', 'price.to', 'not.status', 'tags.hasEvery', 'tags', 'city.startsWith', 'level'],
    ...['__proto__', 'constructor', '', 'status.from', 'not.__proto__', 'kind', 'actor', 'assignee'],
  ),
  fc.string({ unit: 'binary' }),
)
const values = fc.oneof(
  fc.constantFrom(
    ...['', '""', '"', ',', 'c1', 'c1,c2', 'OPEN', 'null', '0', '-0', '1e999', '5', 'true', 'amount', 'highest', 'day'],
    ...['2020-01-01T00:00:00Z', '2020-01-01', '+275760-09-13', '\u0000', '\ud800', '{', '[]', '{}', '{"AND":[]}'],
    ...['{"OR":[]}', '{"__proto__":{"a":1}}', '{"NOT":{"NOT":{"NOT":{"status":"OPEN"}}}}', '{"status":{"from":{}}}'],
    '['.repeat(5_000),
    `{"NOT":${'{"NOT":'.repeat(40)}{"status":"OPEN"}${'}'.repeat(41)}`,
    `{"status":[${'"OPEN",'.repeat(500)}"OPEN"]}`,
  ),
  fc.string({ unit: 'binary' }),
  fc.jsonValue().map((value) => JSON.stringify(value)),
  fc.integer().map(String),
)

describe.each(Object.keys(COLLECTIONS))('of %s', (name) => {
  test('no query is answered with 500', async () => {
    const query = fc.array(fc.tuple(names, values), { maxLength: 6 })
    const path = fc.constantFrom(
      name,
      `${name}/-/counts`,
      `${name}/-/leaderboards/delivered`,
      `${name}/-/leaderboards/x`,
    )
    await fc.assert(
      fc.asyncProperty(path, query, fc.boolean(), async (path, pairs, scoped) => {
        const search = pairs.map(([key, value]) => `${encoded(key)}=${encoded(value)}`)
        expectClean(await ask(`/${path}?${[...(scoped ? ['scope=c1'] : []), ...search].join('&')}`))
      }),
      { numRuns: RUNS },
    )
  })

  test('no body and no header is answered with 500, and what is stored is read again', async () => {
    const attribute = fc.constantFrom(
      ...['id', 'customer', 'orderedAt', 'status', 'total', 'tenant', 'tags', 'reporter', 'organisation', 'sequence'],
      ...['bytes', 'cost', 'expiresAt', 'version', 'updatedAt', '__proto__', 'constructor', 'PK', 'SK', '~'],
    )
    const anything = fc.oneof(
      fc.jsonValue(),
      fc.string({ unit: 'binary' }),
      fc.double(),
      fc.constantFrom(null, 'c1', 1),
    )
    const body = fc.oneof(
      fc.dictionary(attribute, anything, { maxKeys: 4 }).map((each) => JSON.stringify({ ...ordersOf(1)[0], ...each })),
      fc.dictionary(attribute, anything).map((each) => JSON.stringify(each)),
      fc.jsonValue().map((value) => JSON.stringify(value)),
      fc.string({ unit: 'binary' }),
    )
    const header = fc.constantFrom('if-match', 'if-none-match', 'idempotency-key', 'content-type')
    const value = fc.oneof(
      fc.constantFrom('*', '"1"', 'W/"1"', '"', ',', '"0"', '"99999999999999999999"', 'application/json'),
      fc.string({ unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)) }),
    )
    const sent = fc.record({
      body,
      headers: fc.dictionary(header, value, { maxKeys: 2 }),
      method: fc.constantFrom('POST', 'PUT', 'PATCH', 'DELETE'),
    })
    await fc.assert(
      fc.asyncProperty(sent, async ({ body, headers, method }) => {
        const path = method === 'POST' ? `/${name}` : `/${name}/o1000`
        const answer = await send(method, path, method === 'DELETE' ? undefined : body, headers)
        expectClean(answer)
        if (answer.status === 201) expect((await ask(answer.headers.get('location') ?? '')).body).toEqual(answer.body)
      }),
      { numRuns: RUNS },
    )
  })
})

test('no address is answered with 500', async () => {
  const segment = fc.oneof(
    fc.constantFrom(
      'orders',
      'tickets',
      '-',
      'counts',
      'leaderboards',
      'docs',
      'errors',
      '%2F',
      '%2E%2E',
      '%',
      '',
      '%FF',
    ),
    fc.string({ unit: 'binary' }).map(encoded),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(segment, { maxLength: 5 }), async (segments) => {
      const answer = await ask(`/${segments.join('/')}`, { headers: { authorization: `Bearer ${ADMIN}` } })
      expect(answer.status).not.toBe(500)
    }),
    { numRuns: RUNS },
  )
})

test('an id of any characters has an address', async () => {
  for (const id of ['a/b', '50%', '?', '#', '-', 'ü', ' ', '%2F', '"quoted"']) {
    const made = await send('POST', '/orders', { ...ordersOf(1)[0], id, customer: 'ids' })
    expect(made.status).toBe(201)
    expect((await ask(made.headers.get('location') ?? '')).body.id).toBe(id)
    expect((await send('DELETE', made.headers.get('location') ?? '')).status).toBe(204)
  }
})

/** Encodes a text for an address; a lone surrogate has no UTF-8, so it is sent as bytes that are none either. */
function encoded(text: string): string {
  return text.isWellFormed() ? encodeURIComponent(text) : '%ED%A0%80'
}
