import { describe, expect, test } from 'vitest'
import { pathWithin } from '../../src/web/people/sign-in-answers.tsx'
import { ADMIN, CHOSEN, newComment, type TestApp, useTestApp } from '../test-app.ts'

const ORIGIN = 'http://localhost'

/** A browser that keeps cookies and follows no redirects. */
function visitor({ app }: TestApp) {
  const cookies = new Map<string, string>()
  const ask = async (path: string, init: RequestInit = {}) => {
    const headers = new Headers(init.headers)
    headers.set('accept', 'text/html')
    headers.set('cookie', [...cookies].map(([name, value]) => `${name}=${value}`).join('; '))
    const response = await app.request(path, { ...init, headers })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (/max-age=0/i.test(line)) cookies.delete(name)
      else cookies.set(name, value)
    }
    const location = response.headers.get('location') ?? ''
    return { status: response.status, headers: response.headers, location, html: await response.text() }
  }
  return {
    cookies,
    open: (path: string) => ask(path),
    send: (path: string, fields: Record<string, string>, headers: Record<string, string> = { origin: ORIGIN }) =>
      ask(path, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        body: new URLSearchParams(fields).toString(),
      }),
  }
}

type Visitor = ReturnType<typeof visitor>

const FORM = { rating: '4', language: 'en', title: 'A <b>title</b>', text: 'First\r\nsecond' }
const SETTINGS = { demoSignIn: 'a secret for the cookies of the tests' }

async function signedIn(app: TestApp, name: string): Promise<Visitor> {
  const one = visitor(app)
  expect((await one.send('/sign-in', { name, to: '/p/42' })).location).toBe('/p/42')
  return one
}

async function moderator(app: TestApp): Promise<Visitor> {
  const one = visitor(app)
  expect((await one.send('/moderation/sign-in', { token: ADMIN })).location).toBe('/moderation')
  return one
}

/** Returns the address of a visitor's own comment, from the page of its product. */
async function ownPath(one: Visitor, productId: string): Promise<string> {
  const { html } = await one.open(`/p/${productId}`)
  return /href="(\/p\/[^"]+)\/edit"/.exec(html)?.[1] ?? ''
}

describe('a shopper', () => {
  const app = useTestApp(undefined, CHOSEN, undefined, SETTINGS)

  test('is asked to sign in, and for no token', async () => {
    const { html, headers } = await visitor(app).open('/p/fresh')
    expect(html).toContain('Sign in to write')
    expect(html).toContain('/sign-in?to=%2Fp%2Ffresh')
    expect(html).not.toContain('Access token')
    expect(headers.get('cache-control')).toBe('private, no-cache')
    expect(headers.get('vary')).toContain('Cookie')
  })

  test('signs in by a cookie that no script reads, and out again', async () => {
    const one = visitor(app)
    const { headers } = await one.send('/sign-in', { name: ' Ada <i> ', to: '/p/42?rating=5' })
    const cookie = headers.get('set-cookie') ?? ''
    for (const part of ['HttpOnly', 'SameSite=Lax', 'Path=/']) expect(cookie).toContain(part)
    expect(headers.get('location')).toBe('/p/42?rating=5')
    const { html } = await one.open('/p/42')
    expect(html).toContain('Ada &lt;i&gt;')
    expect((await one.send('/sign-out', {})).location).toBe('/')
    expect(one.cookies.has('person')).toBe(false)
    for (const name of ['', 'x'.repeat(101), 'tab\there'])
      expect((await visitor(app).send('/sign-in', { name, to: '/' })).status, name).toBe(422)
  })

  test('is nobody with a cookie that was changed, or of another secret', async () => {
    const one = await signedIn(app, 'Ada')
    const value = decodeURIComponent(one.cookies.get('person') ?? '')
    const [body = '', signature = ''] = value.split('.')
    const forged = Buffer.from(JSON.stringify({ name: 'Eve', until: 9e15 })).toString('base64url')
    for (const each of [`${forged}.${signature}`, body, `${body}.`, `${body}.${'A'.repeat(43)}=`]) {
      one.cookies.set('person', encodeURIComponent(each))
      expect((await one.open('/p/42')).html, each).toContain('Sign in to write')
    }
  })

  test('writes under their name, sees it marked as their own, changes it and deletes it', async () => {
    const ada = await signedIn(app, 'Ada')
    const { status, location } = await ada.send('/p/own/comments', { ...FORM, author: 'Somebody else' })
    expect([status, location]).toEqual([303, expect.stringMatching(/^\/p\/own\?posted=.+#published$/)])
    const { html } = await ada.open(location.replace(/#.*/, ''))
    expect(html).toContain('Your comment is published.')
    expect(html).toContain('<span itemprop="name">Ada</span>')
    expect(html).toContain('A &lt;b&gt;title&lt;/b&gt;')
    expect(html).not.toContain('Somebody else')
    const path = await ownPath(ada, 'own')
    const edit = await ada.open(`${path}/edit`)
    expect([edit.status, edit.html.includes('First\nsecond')]).toEqual([200, true])
    const saved = await ada.send(`${path}/edit`, { ...FORM, text: 'Third', version: '1' })
    expect([saved.status, saved.location]).toEqual([303, path])
    expect((await ada.open(path)).html).toContain('Third')
    const late = await ada.send(`${path}/edit`, { ...FORM, text: 'Fourth', version: '1' })
    expect(late.status).toBe(409)
    expect(late.html).toContain('Fourth')
    expect((await ada.send(`${path}/edit`, { ...FORM, text: '', version: '2' })).status).toBe(422)
    const gone = await ada.send(`${path}/delete`, {})
    expect(gone.location).toBe('/p/own?done=deleted#write')
    expect((await ada.open('/p/own?done=deleted')).html).toContain('Your comment is deleted.')
    expect((await ada.open(path)).status).toBe(404)
  })

  test('has one comment on a product: a second attempt changes the first, also of two at once', async () => {
    const ada = await signedIn(app, 'Ada')
    const both = await Promise.all([ada.send('/p/one/comments', FORM), ada.send('/p/one/comments', FORM)])
    expect(both.map(({ status }) => status).sort()).toEqual([303, 409])
    const { status, html } = await ada.send('/p/one/comments', { ...FORM, text: 'Typed just now' })
    expect(status).toBe(409)
    expect(html).toContain('Typed just now')
    const path = await ownPath(ada, 'one')
    expect(html).toContain(`action="${path}/edit"`)
    expect((await app.ask('/products/one/comments')).body.items).toHaveLength(1)
  })

  test('keeps what they typed when they are signed out, or have left something out', async () => {
    const refused = await visitor(app).send('/p/kept/comments', { ...FORM, text: 'Typed by a stranger' })
    expect(refused.status).toBe(401)
    expect(refused.html).toContain('Typed by a stranger')
    expect(refused.html).toContain('sign in in another tab')
    const ada = await signedIn(app, 'Ada')
    const wrong = await ada.send('/p/kept/comments', { ...FORM, rating: '' })
    expect([wrong.status, wrong.html.includes('id="write-rating-error"')]).toEqual([422, true])
  })

  test('can’t touch what others wrote', async () => {
    await (await signedIn(app, 'Ada')).send('/p/others/comments', FORM)
    const { body } = await app.ask('/products/others/comments')
    const path = `/p/others/comments/${body.items[0].id}`
    const eve = await signedIn(app, 'Eve')
    for (const { status } of [
      await eve.open(`${path}/edit`),
      await eve.send(`${path}/edit`, { ...FORM, text: 'mine', version: '1' }),
      await eve.send(`${path}/delete`, {}),
    ])
      expect(status).toBe(404)
    expect((await visitor(app).open(`${path}/edit`)).location).toContain('/sign-in?to=')
    expect((await visitor(app).send(`${path}/delete`, {})).status).toBe(401)
    expect((await app.ask(`/comments/${body.items[0].id}`)).body.text).toBe('First\nsecond')
  })

  test('is not made to write, sign in or out by the page of another site', async () => {
    const ada = await signedIn(app, 'Ada')
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: ORIGIN, 'sec-fetch-site': 'cross-site' },
      { origin: 'null' },
    ] as Record<string, string>[])
      for (const path of ['/p/csrf/comments', '/sign-in', '/sign-out', '/moderation/sign-in'])
        expect((await ada.send(path, { ...FORM, name: 'Eve', token: ADMIN }, headers)).status, path).toBe(403)
    expect((await app.ask('/products/csrf/comments')).body.items).toEqual([])
    expect(ada.cookies.has('person')).toBe(true)
  })

  test('reports a comment, once, with what is wrong', async () => {
    const { body } = await app.send('POST', '/products/bad/comments', newComment())
    const path = `/p/bad/comments/${body.id}/report`
    const eve = await signedIn(app, 'Eve')
    expect((await eve.open('/p/bad')).html).toContain(`href="${path}"`)
    expect((await visitor(app).open(path)).location).toContain('/sign-in?to=')
    expect((await eve.open(path)).html).toContain('What is wrong with it?')
    expect((await eve.send(path, { reason: 'nonsense' })).status).toBe(422)
    expect((await eve.send(path, { reason: 'abuse', text: '<script>x</script>' })).location).toBe(
      `${path}?done=reported`,
    )
    expect((await eve.open(`${path}?done=reported`)).html).toContain('Thank you.')
    const { html } = await (await moderator(app)).open('/moderation?state=reported')
    expect(html).toContain('It insults or threatens')
    expect(html).toContain('&lt;script&gt;x&lt;/script&gt;')
    expect(html).not.toContain('demo:eve')
  })

  test('waits when an address signs in too often', async () => {
    const many = visitor(app)
    let last = await many.send('/sign-in', { name: 'Bot', to: '/' })
    for (let i = 0; i < 40 && last.status === 303; i++)
      last = await many.send('/sign-in', { name: `Bot ${i}`, to: '/' })
    expect(last.status).toBe(429)
    expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(last.html).toContain('Try again in')
  })
})

describe('a moderator', () => {
  const app = useTestApp(undefined, CHOSEN, undefined, { ...SETTINGS, moderation: 'wait' })

  test('gives the admin’s token once, for a session that ends by itself and that nobody can make', async () => {
    const stranger = visitor(app)
    expect((await stranger.open('/moderation')).status).toBe(401)
    expect((await stranger.send('/moderation/sign-in', { token: 'a-wrong-token-of-16' })).status).toBe(401)
    const { headers } = await stranger.send('/moderation/sign-in', { token: ADMIN })
    const cookie = headers.get('set-cookie') ?? ''
    for (const part of ['HttpOnly', 'SameSite=Strict', 'Max-Age=28800']) expect(cookie).toContain(part)
    expect(cookie).not.toContain(ADMIN)
    const queue = await stranger.open('/moderation')
    expect([queue.status, queue.headers.get('cache-control')]).toEqual([200, 'no-store'])
    const value = decodeURIComponent(stranger.cookies.get('moderator') ?? '')
    app.now = Date.now() + 9 * 3_600_000
    expect((await stranger.open('/moderation')).status).toBe(401)
    app.now = undefined
    stranger.cookies.set('moderator', encodeURIComponent(`9${value}`))
    expect((await stranger.open('/moderation')).status).toBe(401)
    stranger.cookies.set('moderator', '9999999999999')
    expect((await stranger.open('/moderation')).status).toBe(401)
    const ended = await moderator(app)
    await ended.send('/moderation/sign-out', {})
    expect((await ended.open('/moderation')).status).toBe(401)
  })

  test('shows, refuses with a note, and hides; authors see where their comment is', async () => {
    const ada = await signedIn(app, 'Ada')
    const sent = await ada.send('/p/waits/comments', FORM)
    expect(sent.location).toBe('/p/waits#write')
    const waiting = await ada.open('/p/waits')
    expect(waiting.html).toContain('A moderator reads your comment before it is shown.')
    expect(waiting.html).toContain('First\nsecond')
    const others = await visitor(app).open('/p/waits')
    expect(others.html).not.toContain('second')
    const mod = await moderator(app)
    const queue = await mod.open('/moderation')
    expect(queue.html).toContain('A &lt;b&gt;title&lt;/b&gt;')
    const id = /data-comment-id="([^"]+)"/.exec(queue.html)?.[1] ?? ''
    const path = `/moderation/comments/${id}`
    const note = 'Please <b>no</b> names'
    expect((await mod.send(path, { do: 'rejected', note })).location).toBe(`${path}?done=rejected`)
    expect((await ada.open('/p/waits')).html).toContain('Please &lt;b&gt;no&lt;/b&gt; names')
    const edit = await ownPath(ada, 'waits')
    await ada.send(`${edit}/edit`, { ...FORM, text: 'Without names', version: '1' })
    const shown = await mod.send(path, { do: 'shown', from: 'waiting' })
    expect(shown.location).toContain('/moderation?state=waiting&done=shown')
    expect((await mod.open(shown.location)).html).toContain('No comment waits for you.')
    expect((await visitor(app).open('/p/waits')).html).toContain('Without names')
    await mod.send(path, { do: 'answer', answer: 'Thank <u>you</u>' })
    expect((await visitor(app).open('/p/waits')).html).toContain('Thank &lt;u&gt;you&lt;/u&gt;')
    expect((await mod.send(path, { do: 'answer', answer: ' ' })).status).toBe(422)
    await mod.send(path, { do: 'unanswer' })
    await mod.send(path, { do: 'hidden', from: 'waiting' })
    expect((await visitor(app).open('/p/waits')).html).not.toContain('Without names')
    expect((await visitor(app).open(`/p/waits/comments/${id}`)).status).toBe(404)
    expect((await mod.open('/moderation?state=hidden')).html).toContain('Without names')
    expect((await mod.send(path, { do: 'nonsense' })).status).toBe(400)
    await ada.send(`${edit}/delete`, {})
    expect((await mod.send(path, { do: 'shown' })).status).toBe(404)
  })

  test('clears what is left of a reported comment that was deleted', async () => {
    const { body } = await app.send('POST', '/products/left/comments', newComment())
    const eve = await signedIn(app, 'Eve')
    await eve.send(`/p/left/comments/${body.id}/report`, { reason: 'spam' })
    await app.services.comments.delete(body.id)
    const mod = await moderator(app)
    expect((await mod.open('/moderation?state=reported')).html).toContain('This comment was deleted meanwhile.')
    const cleared = await mod.send(`/moderation/comments/${body.id}`, { do: 'clear', from: 'reported' })
    expect((await mod.open(cleared.location)).html).toContain('No comment is reported.')
  })

  test('is nobody else: shoppers and strangers decide nothing', async () => {
    const ada = await signedIn(app, 'Ada')
    const { body } = await app.send('POST', '/products/strangers/comments', newComment())
    for (const one of [ada, visitor(app)]) {
      expect((await one.open('/moderation')).status).toBe(401)
      expect((await one.open(`/moderation/comments/${body.id}`)).status).toBe(401)
      expect((await one.send(`/moderation/comments/${body.id}`, { do: 'hidden' })).status).toBe(401)
    }
    const mod = await moderator(app)
    const evil = { origin: 'https://evil.example' }
    expect((await mod.send(`/moderation/comments/${body.id}`, { do: 'hidden' }, evil)).status).toBe(403)
    expect((await app.ask(`/comments/${body.id}`)).status).toBe(200)
  })
})

describe('without people', () => {
  const app = useTestApp()

  test('the form takes a token as ever, and there is no sign-in', async () => {
    const { html, headers } = await visitor(app).open('/p/machines')
    expect(html).toContain('Access token')
    expect(html).not.toContain('Sign in')
    expect(headers.get('cache-control')).toBe('no-cache')
    expect((await visitor(app).open('/sign-in')).status).toBe(404)
    expect((await visitor(app).send('/sign-in', { name: 'Ada', to: '/' })).status).toBe(404)
  })
})

test('nobody is led to another site after they have signed in', () => {
  for (const to of [
    '//evil.example',
    '/\\evil.example',
    'https://evil.example',
    'javascript:alert(1)',
    '',
    '/..//evil.example',
  ])
    expect(pathWithin(to), to).toMatch(/^\/(?!\/)/)
  for (const to of ['//evil.example', '/\\evil.example', 'https://evil.example', '/a\n//b'])
    expect(pathWithin(to)).toBe('/')
  expect(pathWithin('/p/42?rating=5&language=en')).toBe('/p/42?rating=5&language=en')
  expect(pathWithin(undefined)).toBe('/')
})
