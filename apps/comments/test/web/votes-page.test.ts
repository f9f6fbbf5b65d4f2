import { expect, test } from 'vitest'
import { byHeader, newComment, useTestApp } from '../test-app.ts'

const app = useTestApp(undefined, undefined, undefined, { identity: { identify: byHeader } })
const ME = { 'x-person': 'me' }
const page = async (path: string, headers: Record<string, string> = ME): Promise<string> => {
  const { status, body } = await app.ask(path, { headers: { accept: 'text/html', ...headers } })
  expect([path, status]).toEqual([path, 200])
  return body
}
const ids = (html: string): string[] => [...html.matchAll(/data-comment-id="([^"]+)"/g)].map(([, id = '']) => id)
const written = async (product: string, id: string, changes: object = {}) =>
  expect((await app.send('POST', `/products/${product}/comments`, newComment({ id, ...changes }))).status).toBe(201)
const dayOf = (day: number): string => new Date(Date.UTC(2026, 0, day)).toISOString()

test('a vote without the script leads back to its list, is shown as one’s own, and is taken back', async () => {
  await written('a', 'a1', { createdAt: dayOf(1) })
  await written('a', 'a2', { createdAt: dayOf(2) })
  expect(ids(await page('/p/a'))).toEqual(['a2', 'a1'])
  const send = (vote: string, headers: Record<string, string> = ME) =>
    app.ask('/p/a/comments/a1/vote', {
      method: 'POST',
      body: new URLSearchParams({ vote, back: '?rating=5&page=1' }),
      headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
    })
  const { status, headers } = await send('helpful')
  expect([status, headers.get('location')]).toEqual([303, '/p/a?rating=5&page=1#comment-a1'])
  const own = await page('/p/a?order=oldest')
  expect(own.match(/aria-pressed="true"/g)).toHaveLength(1)
  expect(own).toMatch(/id="vote-a1"[^>]*data-helpful="1"/)
  expect(await page('/p/a?order=oldest', { 'x-person': 'other' })).not.toContain('aria-pressed="true"')
  expect(await page('/p/a/comments/a1')).toContain('aria-pressed="true"')
  expect((await send('back')).status).toBe(303)
  expect(await page('/p/a?order=oldest')).not.toContain('aria-pressed="true"')
  expect((await send('helpful', {})).status).toBe(401)
  expect((await send('helpful', { ...ME, 'sec-fetch-site': 'cross-site' })).status).toBe(403)
  const away = await app.ask('/p/a/comments/a1/vote', {
    method: 'POST',
    body: new URLSearchParams({ vote: 'helpful', back: 'https://elsewhere.example/' }),
    headers: { ...ME, 'content-type': 'application/x-www-form-urlencoded' },
  })
  expect(away.headers.get('location')).toBe('/p/a#comment-a1')
})

test('a vote at the address of another product is refused, and counts for nothing', async () => {
  await written('here', 'h1')
  const { status } = await app.ask('/p/elsewhere/comments/h1/vote', {
    method: 'POST',
    body: new URLSearchParams({ vote: 'helpful' }),
    headers: { ...ME, 'content-type': 'application/x-www-form-urlencoded' },
  })
  expect(status).toBe(404)
  expect((await app.ask('/comments/h1')).body.helpful).toBe(0)
})

test('the most helpful come first once there are votes, and every link keeps an order that was chosen', async () => {
  for (const day of [1, 2, 3]) await written('b', `b${day}`, { createdAt: dayOf(day) })
  expect(ids(await page('/p/b'))).toEqual(['b3', 'b2', 'b1'])
  await app.ask('/comments/b1/vote', { method: 'PUT', headers: ME })
  await app.ask('/comments/b1/vote', { method: 'PUT', headers: { 'x-person': 'other' } })
  await app.ask('/comments/b2/vote', { method: 'PUT', headers: ME })
  await written('c', 'c1', { createdAt: dayOf(1) })
  await written('c', 'c2', { createdAt: dayOf(2) })
  await app.ask('/comments/c1/vote', { method: 'PUT', headers: ME })
  const first = await page('/p/c?limit=1')
  expect(ids(first)).toEqual(['c1'])
  expect(first).toContain('value="" selected="">Most helpful first')
  const newest = await page('/p/c?order=newest&limit=1')
  expect(ids(newest)).toEqual(['c2'])
  for (const [, link = ''] of newest.matchAll(/href="(\/p\/c\?[^"]*)"/g)) expect(link).toContain('order=newest')
  expect(ids(await page('/p/c?from=2026-01-01T00:00:00Z'))).toEqual(['c2', 'c1'])
})

test('two switches filter by purchase and by answer, with how many there are, and a chip takes each away', async () => {
  await written('d', 'd1', { verified: true })
  await written('d', 'd2', { verified: true })
  await written('d', 'd3')
  await app.services.comments.patch('d2', { attached: { answer: { text: 'Thank you!', answeredAt: dayOf(5) } } })
  await app.counted()
  const all = await page('/p/d')
  expect(all).toMatch(/name="verified"[^>]*id="filter-verified"/)
  expect([...all.matchAll(/flag-count">\s*(\d+)/g)].map(([, count]) => count)).toEqual(['2', '1'])
  expect(all).toContain('Thank you!')
  expect(ids(await page('/p/d?verified=true&order=newest')).toSorted()).toEqual(['d1', 'd2'])
  const answered = await page('/p/d?answered=true')
  expect(ids(answered)).toEqual(['d2'])
  expect(answered).toContain('Remove filter: With an answer')
  expect(answered).toContain('comments (With an answer)')
  expect(ids(await page('/p/d?verified=false'))).toEqual(['d3'])
  expect(await page('/p/d?verified=false&answered=true')).toContain('Drop “with an answer”')
})

test('the ratings by month are a chart and a table, and nothing where there is no comment', async () => {
  await written('e', 'e1', { createdAt: '2026-01-15T00:00:00.000Z', rating: 5 })
  await written('e', 'e2', { createdAt: '2026-01-20T00:00:00.000Z', rating: 2 })
  await written('e', 'e3', { createdAt: '2026-03-20T00:00:00.000Z', rating: 4 })
  await app.counted()
  expect(await page('/p/e')).toContain('href="/p/e/trend"')
  const trend = await page('/p/e/trend')
  const rows = [...trend.matchAll(/<th scope="row">([^<]+)<\/th><td>([^<]+)<\/td><td>([^<]+)<\/td>/g)].map((row) =>
    row.slice(1),
  )
  expect(rows).toHaveLength(24)
  expect(rows.slice(-3)).toEqual([
    ['Jan 2026', '3.5', '2'],
    ['Feb 2026', 'none', '0'],
    ['Mar 2026', '4.0', '1'],
  ])
  expect(trend).toMatch(/<svg class="trend-chart"[^>]*aria-hidden="true"/)
  expect(await page('/p/nothing-yet/trend')).toContain('There are no comments in these months.')
})
