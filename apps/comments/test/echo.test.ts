import { describe, expect, test } from 'vitest'
import { newComment, useTestApp } from './test-app.ts'

const { app, ask, send } = useTestApp()
const MANY = Array.from({ length: 1_500 }, (_, i) => `parameter${i}=1`).join('&')

function linkTo(headers: Headers, relation: string): string | undefined {
  return new RegExp(`<([^>]*)>; rel="${relation}"`).exec(headers.get('link') ?? '')?.[1]
}

describe('the Link header is canonical', () => {
  test.each([
    [`/products/1/comments?rating=${'5,'.repeat(2_500)}4`, '/products/1/comments?rating=4%2C5'],
    [
      '/products/1/comments?limit=5&rating=5&language=EN&rating=4&order=newest&from=',
      '/products/1/comments?language=en&rating=4%2C5&limit=5',
    ],
    [
      '/products/1/comments?to=2021-01-01T01:00:00%2B01:00&limit=20',
      '/products/1/comments?to=2021-01-01T00%3A00%3A00.000Z',
    ],
    [`/products/1/comments/EN/5${'.5'.repeat(2_000)}.1?explain=true`, '/products/1/comments/en/1.5?explain=true'],
    ['/products/a%2Fb/comments/~/~', '/products/a%2Fb/comments/~/~'],
  ])('%.60s…', async (path, first) => {
    const { status, headers } = await ask(path)
    expect(status).toBe(200)
    expect(linkTo(headers, 'first')).toBe(first)
  })

  test('and leads to the pages that were asked for', async () => {
    for (const id of ['1', '2', '3']) await send('POST', '/products/walk/comments', newComment({ id }))
    const { headers } = await ask('/products/walk/comments/en/5.5.4?limit=2&order=oldest')
    const next = linkTo(headers, 'next') ?? ''
    expect(next).toMatch(/^\/products\/walk\/comments\/en\/4.5\?order=oldest&limit=2&cursor=/)
    const { body } = await ask(next)
    expect(body.items).toHaveLength(1)
  })
})

describe('what is refused is not sent back at length', () => {
  test('of many errors some are told, and how many more there are', async () => {
    const { status, body } = await ask(`/products/1/comments?${MANY}`)
    expect(status).toBe(400)
    expect(body.errors).toHaveLength(20)
    expect(body.errorsOmitted).toBe(1_480)
    expect(body.detail).toMatch(/; and 1495 more$/)
    expect(JSON.stringify(body).length).toBeLessThan(6_000)
  })

  test.each([
    ['GET', `/products/1/comments?${'x'.repeat(14_000)}=1`, undefined],
    ['GET', `/products/${'x'.repeat(14_000)}/comments`, undefined],
    ['GET', `/products/1/comments?cursor=${'x'.repeat(14_000)}`, undefined],
    ['GET', `/?product=${'+x'.repeat(7_000)}`, undefined],
    ['GET', `/p/1?${'rating=7&'.repeat(1_000)}`, undefined],
    ['GET', `/comments/${'x'.repeat(14_000)}`, undefined],
    ['POST', '/products/1/comments', newComment({ ['x'.repeat(60_000)]: 1, y: 1 })],
    ['POST', '/products/1/comments', `{${Array.from({ length: 5_000 }, (_, i) => `"a${i}":1,"a${i}":2`).join()}}`],
    ['POST', '/products/1/comments', newComment({ language: 'x'.repeat(60_000), text: 5, rating: 'y'.repeat(10_000) })],
    ['PATCH', '/comments/1', Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`a${i}`, 1]))],
  ])('%s %.30s…', async (method, path, body) => {
    const { status, headers, body: answer } = await send(method, path, body)
    expect(status).toBeGreaterThanOrEqual(400)
    expect(status).toBeLessThan(500)
    expect(JSON.stringify(answer).length).toBeLessThan(8_000)
    expect(JSON.stringify([...headers]).length).toBeLessThan(2_000)
  })

  test('on a page neither', async () => {
    const response = await app.request(`/p/1?${Array.from({ length: 900 }, (_, i) => `limit=x${i}`).join('&')}`, {
      headers: { accept: 'text/html' },
    })
    expect(response.status).toBe(400)
    expect(response.headers.get('location')).toBeNull()
  })
})
