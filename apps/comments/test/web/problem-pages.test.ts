import { describe, expect, test } from 'vitest'
import { asksForPage } from '../../src/web/problem-answers.tsx'
import { useTestApp } from '../test-app.ts'

const tested = useTestApp()

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

const visit = (path: string, init: RequestInit = {}) => tested.ask(path, { headers: { accept: BROWSER }, ...init })

describe('a browser gets a page', () => {
  test.each([
    ['an unknown path', '/nowhere/at/all', 404, 'There is no such page'],
    ['an address that can’t be decoded', '/p/%ff', 400, 'This address can’t be read'],
    ['a form’s address', '/p/42/comments', 405, 'There is no such page'],
    ['a comment that does not exist', '/comments/nobody', 404, 'There is no such page'],
  ])('for %s', async (_, path, status, title) => {
    const answer = await visit(path)
    expect(answer.status).toBe(status)
    expect(answer.headers.get('content-type')).toMatch(/^text\/html/)
    expect(answer.headers.get('vary')).toContain('Accept')
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(answer.body).toContain(`<h1>${title}</h1>`)
    expect(answer.body).toMatch(/<a class="button" href="\/(p\/42)?">/)
  })

  test.each([
    ['rating=9', 'rating', 'muss aus ganzen Zahlen von 1 bis 5'],
    ['language=en&language=de', 'language', 'muss ein Sprachkürzel sein'],
    ['page=0', 'page', 'muss eine ganze Zahl ab 1 sein'],
    ['from=soon', 'from', 'muss ein Zeitpunkt'],
    ['explain=maybe', 'explain', 'muss true oder false'],
  ])('that says what %s should be, in the language of the reader', async (query, path, wanted) => {
    const { status, body } = await visit(`/p/42?${query}`, { headers: { accept: BROWSER, 'accept-language': 'de' } })
    expect(status).toBe(400)
    expect(body).toMatch(new RegExp(`<li><code>${path}</code> ${wanted}`))
  })

  test('for a damaged cursor, with a link to the first page of the same list', async () => {
    const answer = await visit('/p/42?rating=5&cursor=nonsense')
    expect(answer.status).toBe(400)
    expect(answer.body).toContain('<h1>This link leads nowhere</h1>')
    expect(answer.body).toContain('<a class="button" href="/p/42?rating=5">')
  })

  test('for a range that ends before it begins, with the status that programs get', async () => {
    const range = 'from=2021-01-01T00:00:00Z&to=2020-01-01T00:00:00Z'
    expect((await visit(`/p/42?${range}`)).status).toBe((await visit(`/products/42/comments?${range}`)).status)
  })

  test('for a product that there can’t be, with a link to the front page', async () => {
    const answer = await visit(`/p/${'x'.repeat(129)}`)
    expect(answer.status).toBe(400)
    expect(answer.body).toContain('<a class="button" href="/">')
  })

  test('when it has sent too many wrong tokens, with the time to wait', async () => {
    tested.now = Date.now()
    const post = () =>
      visit('/p/42/comments', {
        method: 'POST',
        headers: { accept: BROWSER, 'content-type': 'application/x-www-form-urlencoded' },
        body: 'token=nonsense',
      })
    for (let i = 0; i <= 100; i++) await post()
    const answer = await post()
    expect(answer.status).toBe(429)
    const wait = answer.headers.get('retry-after')
    expect(answer.body).toContain(`Try again in ${wait} seconds.`)
    expect(answer.body).toContain('href="/p/42"')
    expect(answer.body).not.toContain('nonsense')
  })
})

test.each([undefined, '*/*', 'application/json', 'application/json, text/html;q=0.5'])(
  'a program that accepts %s gets problem+json',
  async (accept) => {
    for (const path of ['/nowhere', '/p/%ff', '/products/42/comments?limit=0']) {
      const answer = await tested.ask(path, accept === undefined ? {} : { headers: { accept } })
      expect(answer.headers.get('content-type')).toBe('application/problem+json')
      expect(answer.body.code).toMatch(/^(not_found|bad_request)$/)
    }
  },
)

test.each([
  ['text/html', true],
  ['TEXT/HTML;Q=0.9', true],
  ['text/html;q=0', false],
  ['text/html;q=x', false],
  ['text/*', false],
  ['application/json, text/html', false],
  ['', false],
])('%j asks for a page: %j', (accept, expected) => {
  expect(asksForPage(accept)).toBe(expected)
})
