import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { type CryptoKey, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { HttpProblem } from 'lapidary-http/internal'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { ROOT } from '../../../../test/architecture/sources.ts'
import { loadIdentity } from '../../src/people/load-identity.ts'
import type { Identity } from '../../src/people/person.ts'
import { jwtCookie } from '../../src/people/ways/jwt-cookie.ts'
import { mailLink } from '../../src/people/ways/mail-link.tsx'
import { openId } from '../../src/people/ways/open-id.ts'

const SECRET = 'a secret of the shop, of 32 characters or more'
const key = (secret: string) => new TextEncoder().encode(secret)
const withCookie = (cookie: string) => new Request('https://shop.example/p/42', { headers: { cookie } })

function signed(claims: JWTPayload, secret = SECRET, alg = 'HS256', exp: string | number = '1 hour'): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg }).setExpirationTime(exp).sign(key(secret))
}

describe('a cookie of the shop', () => {
  const way = jwtCookie({ cookie: 'shop', secret: SECRET, isModerator: ({ role }) => role === 'support' })
  const identified = (token: string) => way.identify(withCookie(`other=1; shop=${token}; third=2`))

  test('is of the person that it names', async () => {
    expect(await identified(await signed({ sub: 'c1', name: 'Ada' }))).toEqual({
      ...{ id: 'c1', name: 'Ada', isModerator: false },
    })
    expect(await identified(await signed({ sub: 'c1', name: 'Ada', role: 'support' }))).toMatchObject({
      isModerator: true,
    })
  })

  test.each([
    ['of another secret', () => signed({ sub: 'c1', name: 'Ada' }, 'another secret, of 32 characters or more')],
    ['that is over', () => signed({ sub: 'c1', name: 'Ada' }, SECRET, 'HS256', 1)],
    ['of another algorithm', () => signed({ sub: 'c1', name: 'Ada' }, SECRET, 'HS512')],
    [
      'without a signature',
      async () => `${btoa('{"alg":"none"}')}.${btoa('{"sub":"c1","name":"Ada","exp":9999999999}')}.`,
    ],
    ['without an id', () => signed({ name: 'Ada' })],
    ['without a name', () => signed({ sub: 'c1' })],
    ['that is no token', async () => 'nonsense'],
  ])('is of nobody: one %s', async (_, token) => {
    expect(await identified(await token())).toBeUndefined()
  })

  test('may be signed by the secret before, and none is short', async () => {
    const rotated = jwtCookie({ cookie: 'shop', secret: ['the new secret, of 32 characters or more', SECRET] })
    const token = await signed({ sub: 'c1', name: 'Ada' })
    expect(await rotated.identify(withCookie(`shop=${token}`))).toMatchObject({ id: 'c1' })
    expect(() => jwtCookie({ cookie: 'shop', secret: 'short' })).toThrow('take at least 32')
    expect(await way.identify(new Request('https://shop.example/'))).toBeUndefined()
  })
})

describe('a link in a mail', () => {
  const way = mailLink({ secret: SECRET, publicUrl: 'https://shop.example', signInNote: 'by mail' })
  const pages = new Hono().route('/', way.routes?.() ?? new Hono())
  pages.onError((error) => new Response(null, { status: error instanceof HttpProblem ? error.status : 500 }))
  const press = (token: string, headers: Record<string, string> = {}) =>
    pages.request('/from-mail', {
      method: 'POST',
      headers: { origin: 'https://shop.example', 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams({ token }).toString(),
    })

  test('signs in by its button alone, for the products of the order', async () => {
    const link = new URL(await way.linkFor({ id: 'c1', name: 'Ada <b>' }, ['42', 'a/b']))
    const opened = await pages.request(link.pathname + link.search)
    expect([opened.status, opened.headers.get('set-cookie'), opened.headers.get('cache-control')]).toEqual([
      ...[200, null, 'no-store'],
    ])
    expect(await opened.text()).toContain('Ada &lt;b&gt;')
    const token = link.searchParams.get('token') ?? ''
    const pressed = await press(token)
    expect([pressed.status, pressed.headers.get('location')]).toEqual([303, '/p/42#write'])
    const cookie = pressed.headers.get('set-cookie') ?? ''
    for (const part of ['HttpOnly', 'Secure', 'SameSite=Lax']) expect(cookie).toContain(part)
    const person = await way.identify(withCookie(cookie.split(';')[0] ?? ''))
    expect(person).toMatchObject({ id: 'c1', name: 'Ada <b>' })
    const bought = await Promise.all(
      ['42', 'a/b', '43'].map((id) => way.purchased?.(person ?? { id: '', name: '' }, id)),
    )
    expect(bought).toEqual([true, true, false])
  })

  test('signs nobody in from another site, when it is over, or when it is another token of the same secret', async () => {
    const link = new URL(await way.linkFor({ id: 'c1', name: 'Ada' }, []))
    const token = link.searchParams.get('token') ?? ''
    expect((await press(token, { origin: 'https://evil.example' })).status).toBe(403)
    const other = await signed({ sub: 'c1', name: 'Ada' })
    for (const each of [other, `${token}x`, '']) {
      const { status, headers } = await press(each)
      expect([status, headers.get('set-cookie')]).toEqual([401, null])
    }
    expect(await way.identify(withCookie(`from-mail=${other}`))).toBeUndefined()
  })
})

describe('OpenID', () => {
  let issuer = ''
  let close: () => Promise<void>
  let keys: { privateKey: CryptoKey; publicKey: CryptoKey }
  let isAway = false
  let way: Identity

  beforeAll(async () => {
    keys = await generateKeyPair('ES256')
    const app = new Hono()
    app.get('/.well-known/openid-configuration', (c) =>
      isAway ? c.json({}, 500) : c.json({ issuer, jwks_uri: `${issuer}/keys` }),
    )
    app.get('/keys', async (c) => c.json({ keys: [{ ...(await exportJWK(keys.publicKey)), alg: 'ES256' }] }))
    await new Promise<void>((ready) => {
      const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => {
        issuer = `http://127.0.0.1:${port}`
        close = () => new Promise((done) => server.close(() => done()))
        ready()
      })
    })
    way = openId({ issuer, audience: 'shop' })
  })
  afterAll(() => close())

  const token = (claims: JWTPayload, { iss = issuer, aud = 'shop', exp = '1 hour' as string | number } = {}) =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: 'ES256' })
      .setIssuer(iss)
      .setAudience(aud)
      .setExpirationTime(exp)
      .sign(keys.privateKey)
  const bearer = (value: string) =>
    way.identify(new Request('https://shop.example/', { headers: { authorization: `Bearer ${value}` } }))

  test('knows a person by the token of the issuer, in a header or a cookie', async () => {
    const good = await token({ sub: 'u1', preferred_username: 'ada' })
    expect(await bearer(good)).toMatchObject({ id: 'u1', name: 'ada' })
    const byCookie = openId({ issuer, audience: 'shop', cookie: 'id_token' })
    expect(await byCookie.identify(withCookie(`id_token=${good}`))).toMatchObject({ id: 'u1' })
  })

  test('knows nobody by another token', async () => {
    const others = await generateKeyPair('ES256')
    const forged = await new SignJWT({ sub: 'u1', name: 'Ada' })
      .setProtectedHeader({ alg: 'ES256' })
      .setIssuer(issuer)
      .setAudience('shop')
      .setExpirationTime('1 hour')
      .sign(others.privateKey)
    const byPublicKey = await new SignJWT({ sub: 'u1', name: 'Ada' })
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuer(issuer)
      .setAudience('shop')
      .setExpirationTime('1 hour')
      .sign(key(JSON.stringify(await exportJWK(keys.publicKey))))
    for (const each of [
      await token({ sub: 'u1', name: 'Ada' }, { aud: 'another shop' }),
      await token({ sub: 'u1', name: 'Ada' }, { iss: 'https://evil.example' }),
      await token({ sub: 'u1', name: 'Ada' }, { exp: 1 }),
      await token({ name: 'Ada' }),
      ...[forged, byPublicKey, 'the-admin-token-1', 'a.b.c'],
    ])
      expect(await bearer(each), each).toBeUndefined()
  })

  test('says so where the issuer does not answer, and asks again as soon as Retry-After says', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    way = openId({ issuer, audience: 'shop' })
    isAway = true
    const good = await token({ sub: 'u1', name: 'Ada' })
    await expect(bearer(good)).rejects.toThrow('does not describe the issuer')
    isAway = false
    vi.advanceTimersByTime(4_999)
    await expect(bearer(good)).rejects.toThrow('does not describe the issuer')
    vi.advanceTimersByTime(1)
    expect(await bearer(good)).toMatchObject({ id: 'u1' })
  })
})

describe('the modules of docs/identity.md', () => {
  let folder: string
  beforeAll(async () => {
    // Below node_modules, so that they find what a reader would have.
    const cache = join(ROOT, 'node_modules/.cache')
    await mkdir(cache, { recursive: true })
    folder = await mkdtemp(join(cache, 'identity-'))
    Object.assign(process.env, {
      ...{
        SHOP_SECRET: SECRET,
        MAIL_SECRET: SECRET,
        SHOP_API: 'http://127.0.0.1:1',
        PUBLIC_URL: 'https://shop.example',
      },
      ...{ OPENID_ISSUER: 'https://login.shop.example', OPENID_CLIENT: 'shop' },
    })
  })
  afterAll(async () => {
    for (const name of ['SHOP_SECRET', 'MAIL_SECRET', 'SHOP_API', 'PUBLIC_URL', 'OPENID_ISSUER', 'OPENID_CLIENT'])
      delete process.env[name]
    await rm(folder, { recursive: true, force: true })
  })

  test('load as IDENTITY, each with what the page says', async () => {
    const page = await readFile(join(ROOT, 'docs/identity.md'), 'utf8')
    const modules = [...page.matchAll(/^```js\n(\/\/ identity\.mjs\n[\s\S]*?)^```$/gm)].map(([, code = '']) => code)
    expect(modules).toHaveLength(4)
    const loaded: Identity[] = []
    for (const [i, code] of modules.entries()) {
      const file = join(folder, `identity-${i}.mjs`)
      await writeFile(file, code)
      loaded.push(await loadIdentity(file))
    }
    const [own, byCookie, byMail, byOpenId] = loaded
    const nobody = new Request('https://shop.example/')
    expect(await own?.identify(nobody)).toMatchObject({ name: 'Ada' })
    for (const each of [byCookie, byMail, byOpenId]) expect(await each?.identify(nobody)).toBeUndefined()
    const cookie = `shop_session=${await signed({ sub: 'c1', name: 'Ada', role: 'support' })}`
    expect(await byCookie?.identify(withCookie(cookie))).toMatchObject({ isModerator: true })
    expect(byCookie?.signInAt?.('/p/42')).toBe('https://shop.example/login?next=%2Fp%2F42')
    const link = await (byMail as unknown as ReturnType<typeof mailLink>).linkFor({ id: 'c1', name: 'Ada' }, ['42'])
    expect(link).toMatch(/^https:\/\/shop\.example\/from-mail\?token=/)
  })

  test('a module that is none is refused in words that help', async () => {
    await expect(loadIdentity(join(folder, 'no-such.mjs'))).rejects.toThrow(
      /IDENTITY is .*no-such\.mjs, which can't be loaded/,
    )
    const file = join(folder, 'wrong.mjs')
    await writeFile(file, 'export const identify = 3')
    await expect(loadIdentity(file)).rejects.toThrow(/whose identify is no function; docs\/identity\.md/)
  })
})
