import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openWebHarness, type WebHarness, WRITER_TOKEN } from './web-harness.ts'

let harness: WebHarness

beforeAll(async () => {
  harness = await openWebHarness()
})

afterAll(async () => {
  await harness[Symbol.asyncDispose]()
})

const GOOD = {
  rating: '4',
  language: 'en',
  title: 'A title with "quotes" & <b>',
  text: 'First line\r\nsecond line',
  author: 'Wren',
  token: WRITER_TOKEN,
}

async function post(productId: string, fields: Readonly<Record<string, string>>) {
  const response = await harness.app.request(`/p/${encodeURIComponent(productId)}/comments`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields).toString(),
  })
  const cookie = response.headers.get('Set-Cookie')?.split(';')[0] ?? ''
  return {
    status: response.status,
    location: response.headers.get('Location') ?? '',
    cookie,
    html: await response.text(),
  }
}

describe('a comment posted by the form', () => {
  it('is published, confirmed and marked in the list', async () => {
    const { status, location, cookie } = await post('posted', GOOD)
    expect(status).toBe(303)
    const html = await (await harness.app.request(location, { headers: { cookie } })).text()
    expect(html).toContain('Your comment is published.')
    expect(html).toContain('<article class="comment comment-new"')
    expect(html).toContain('A title with &quot;quotes&quot; &amp; &lt;b&gt;')
    expect(html).toContain('First line\nsecond line')
    const toOthers = await (await harness.app.request(location)).text()
    expect(toOthers).not.toContain('Your comment is published.')
    expect(toOthers).toContain('First line\nsecond line')
  })

  it('is published once, however often the same form is sent', async () => {
    const form = { ...GOOD, idempotencyKey: '0123456789abcdef-form' }
    const first = await post('once', form)
    const second = await post('once', form)
    expect(second).toEqual(first)
    const { items } = await harness.services.comments.list({ scope: 'once' })
    expect(items).toHaveLength(1)
  })

  it('asks again, with a new key, when a published form was changed', async () => {
    const form = { ...GOOD, idempotencyKey: '0123456789abcdef-edit' }
    await post('twice', form)
    const { status, html } = await post('twice', { ...form, text: 'Changed since' })
    expect(status).toBe(409)
    expect(html).toContain('This form was published already')
    expect(html).toContain('Changed since')
    expect(html).not.toContain('0123456789abcdef-edit')
  })

  it('asks again, with a new key, when the comment of a form was deleted since', async () => {
    const form = { ...GOOD, idempotencyKey: '0123456789abcdef-gone' }
    await post('gone', form)
    const { items } = await harness.services.comments.list({ scope: 'gone' })
    await harness.services.comments.delete(items[0]?.id ?? '')
    const { status, html } = await post('gone', form)
    expect(status).toBe(409)
    expect(html).toContain('was deleted since')
    expect(html).not.toContain('0123456789abcdef-gone')
  })

  it('comes back with each mistake beside its field and what was typed, but for the token', async () => {
    const typed = { ...GOOD, rating: '', text: '', title: '"><script>', author: 'x'.repeat(101) }
    const { status, html } = await post('mistakes', typed)
    expect(status).toBe(422)
    for (const name of ['rating', 'text', 'author']) {
      expect(html).toContain(`aria-describedby="write-${name}-error"`)
      expect(html).toContain(`id="write-${name}-error"`)
    }
    expect(html).not.toContain('id="write-title-error"')
    // The list of mistakes names the fields; beside a field its label does.
    expect(html).toContain('<a href="#write-rating-1">Your rating – Choose 1 to 5 stars.</a>')
    expect(html).toContain('id="write-rating-error">Choose 1 to 5 stars.</p>')
    expect(html).toContain('value="&quot;&gt;&lt;script&gt;"')
    expect(html).toMatch(/<details class="write sheet" id="write"[^>]* open=""/)
    expect(html).not.toContain(WRITER_TOKEN)
  })

  it('needs a known token, whatever else is wrong', async () => {
    for (const fields of [{ ...GOOD, token: '' }, { ...GOOD, token: 'guess' }, { token: 'guess' }]) {
      const { status, html } = await post('token', fields)
      expect(status).toBe(401)
      expect(html).toContain('id="write-token-error"')
      expect(html).not.toContain('guess')
    }
    expect((await harness.services.comments.list({ scope: 'token' })).items).toEqual([])
  })

  it('is refused when it is far too long, with a page', async () => {
    const { status, html } = await post('long', { ...GOOD, text: 'x'.repeat(300_000) })
    expect(status).toBe(413)
    expect(html).toContain('Back to the comments')
    expect((await post('long', { ...GOOD, text: '👩'.repeat(10_001) })).status).toBe(422)
  })

  it('survives bodies that no form sends', async () => {
    for (const [type, body] of [
      ['application/json', '{"rating":5}'],
      ['multipart/form-data; boundary=x', 'nonsense'],
      ['application/x-www-form-urlencoded', 'text=%ff%fe&rating=1&rating=2&__proto__=1'],
    ] as const) {
      const response = await harness.app.request('/p/odd/comments', {
        method: 'POST',
        headers: { 'Content-Type': type },
        body,
      })
      expect(response.status, type).toBeLessThan(500)
    }
    expect(harness.reported).toEqual([])
  })
})
