import { request } from 'node:http'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openStudioHarness, type StudioHarness, someOrders } from './studio-harness.ts'

let harness: StudioHarness
let token: string

beforeAll(async () => {
  harness = await openStudioHarness()
  token = new URL(harness.studio.url).searchParams.get('token') ?? ''
  for (const order of someOrders(3)) await harness.lapidary.orders.create(order)
})
afterAll(() => harness?.[Symbol.asyncDispose]())

/** Sends a request with headers that fetch does not let one set. */
function raw(
  path: string,
  headers: Readonly<Record<string, string>>,
  method = 'GET',
): Promise<{ readonly status: number; readonly headers: NodeJS.Dict<string | string[]>; readonly body: string }> {
  return new Promise((resolve, reject) => {
    const sent = request({ ...{ host: '127.0.0.1', port: harness.studio.port, path, method, headers } }, (answer) => {
      let body = ''
      answer.on('data', (chunk: Buffer) => {
        body += chunk
      })
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body }))
    })
    sent.on('error', reject)
    sent.end()
  })
}

const host = (): string => `127.0.0.1:${harness.studio.port}`

describe('the session', () => {
  it('begins with the token, which leaves the address by a redirect', async () => {
    const answer = await fetch(`${harness.origin}/c/orders?scope=c1&token=${token}`, { redirect: 'manual' })
    expect(answer.status).toBe(303)
    expect(answer.headers.get('location')).toBe('/c/orders?scope=c1')
    const cookie = answer.headers.get('set-cookie') ?? ''
    expect(cookie).toMatch(/HttpOnly/)
    expect(cookie).toMatch(/SameSite=Strict/)
    expect(cookie).not.toContain(token)
  })

  it('is needed for every page, and a page without it tells nothing of the database', async () => {
    for (const path of ['/', '/c/orders', '/c/orders/item?id=c1-0001', '/operate', '/operate/job', '/nowhere']) {
      const answer = await fetch(harness.origin + path, { redirect: 'manual' })
      expect([path, answer.status]).toEqual([path, 401])
      expect(await answer.text()).not.toMatch(/orders|an engine of the tests/)
    }
  })

  it.each([
    ['a wrong token', '?token=wrong', ''],
    ['a wrong cookie', '', 'lapidary-studio-PORT=wrong'],
    ['the token as the cookie', '', 'lapidary-studio-PORT=TOKEN'],
  ])('is not given for %s', async (_, query, cookie) => {
    const filled = cookie.replace('PORT', String(harness.studio.port)).replace('TOKEN', token)
    const answer = await raw(`/c/orders${query}`, { host: host(), ...(filled === '' ? {} : { cookie: filled }) })
    expect(answer.status).toBe(401)
    expect(answer.headers['set-cookie']).toBeUndefined()
  })

  it('leads to no other host, whatever the path of the token', async () => {
    const { headers } = await raw(`//elsewhere.example/?token=${token}`, { host: host() })
    expect(headers.location).toBe('/elsewhere.example/')
  })
})

describe('a request', () => {
  it.each([
    'evil.example',
    'evil.example:PORT',
    '127.0.0.1.evil.example:PORT',
    '192.168.0.1:PORT',
    'localhost.evil.example',
  ])('for the host %s is refused: a name may be pointed here by DNS', async (name) => {
    const answer = await raw(`/?token=${token}`, { host: name.replace('PORT', String(harness.studio.port)) })
    expect(answer.status).toBe(403)
    expect(answer.headers['set-cookie']).toBeUndefined()
    expect(answer.headers.location).toBeUndefined()
  })

  it('for localhost is answered', async () => {
    expect((await raw(`/?token=${token}`, { host: `localhost:${harness.studio.port}` })).status).toBe(303)
  })

  it('reaches no address but loopback', async () => {
    const others = Object.values(networkInterfaces())
      .flatMap((each) => each ?? [])
      .filter(({ internal, family }) => !internal && family === 'IPv4')
    for (const { address } of others) {
      const isOpen = await new Promise<boolean>((resolve) => {
        const socket = connect(harness.studio.port, address)
        socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
        socket.once('connect', () => socket.destroy())
      })
      expect([address, isOpen]).toEqual([address, false])
    }
  })

  it.each([
    ['another site', 'https://evil.example'],
    ['another port of this machine', 'http://127.0.0.1:1'],
    ['no place at all', 'null'],
    ['nobody', undefined],
  ])('that changes something is refused from %s', async (_, origin) => {
    const entered = await fetch(harness.studio.url, { redirect: 'manual' })
    const cookie = entered.headers.get('set-cookie')?.split(';')[0] ?? ''
    for (const path of [
      '/c/orders/delete?id=c1-0001',
      '/c/orders/new',
      '/c/orders/item?id=c1-0001',
      '/operate/start',
      '/operate/stop',
    ]) {
      const answer = await raw(path, { host: host(), cookie, ...(origin === undefined ? {} : { origin }) }, 'POST')
      expect([path, answer.status]).toEqual([path, 403])
    }
    expect(await harness.lapidary.orders.get('c1-0001')).toBeDefined()
  })

  it('never changes anything by GET', async () => {
    for (const path of ['/operate/start?kind=rebuild-all', '/operate/stop'])
      expect((await harness.get(path)).status).toBe(404)
    expect((await harness.get('/c/orders/delete?id=c1-0001')).status).toBe(200)
    expect(await harness.lapidary.orders.get('c1-0001')).toBeDefined()
  })

  it('with a form larger than any item is refused', async () => {
    const answer = await harness.post('/c/orders/new', { item: 'x'.repeat(5_000_000) })
    expect(answer.status).toBe(413)
  })
})

describe('every answer', () => {
  it('has a policy that runs no script but the studio’s own, and is kept by no browser', async () => {
    for (const path of ['/c/orders?scope=c1', '/operate', '/c/nothing', '/c/orders/item?id=none']) {
      const { headers } = await harness.get(path)
      const policy = headers.get('content-security-policy') ?? ''
      expect(policy).toContain("default-src 'none'")
      expect(policy).toContain("script-src 'self'")
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy).not.toMatch(/unsafe|\*|https?:/)
      expect(headers.get('cache-control')).toBe('no-store')
      expect(headers.get('x-content-type-options')).toBe('nosniff')
    }
  })

  it('is a page that says what is not there', async () => {
    for (const path of [
      '/c/nothing',
      '/c/__proto__',
      '/c/constructor',
      '/c/orders/item?id=none',
      '/c/orders/item',
      '/nowhere',
    ])
      expect([path, (await harness.get(path)).status]).toEqual([path, 404])
    expect(harness.reported).toEqual([])
  })
})
