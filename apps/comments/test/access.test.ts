import { rolesByToken } from 'lapidary-http/internal'
import { describe, expect, test } from 'vitest'
import { ADMIN, newComment, useTestApp, WRITER } from './test-app.ts'

const tested = useTestApp()
const { ask, send } = tested

describe('tokens', () => {
  test('without one, writing is answered 401 and says how to authenticate', async () => {
    for (const [method, path] of [
      ['POST', '/products/42/comments'],
      ['PATCH', '/comments/1'],
      ['DELETE', '/comments/1'],
    ] as const) {
      const answer = await ask(path, { method })
      expect(answer).toMatchObject({ status: 401, body: { code: 'unauthorized' } })
      expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer /)
    }
  })

  test.each(['Bearer nonsense', `Bearer ${ADMIN}x`, `Basic ${WRITER}`, 'Bearer', `Bearer ${WRITER} ${WRITER}`])(
    '%s is no token',
    async (authorization) => {
      expect((await send('DELETE', '/comments/1', undefined, { authorization })).status).toBe(401)
    },
  )

  test('a writer creates and changes, but does not delete', async () => {
    expect((await send('POST', '/products/42/comments', newComment({ id: '1' }))).status).toBe(201)
    expect((await send('PATCH', '/comments/1', { rating: 3 })).status).toBe(200)
    expect(await send('DELETE', '/comments/1')).toMatchObject({ status: 403, body: { code: 'forbidden' } })
    expect((await send('DELETE', '/comments/1', undefined, { authorization: `bearer ${ADMIN}` })).status).toBe(204)
  })

  test('no token is ever logged', () => {
    expect(tested.log.length).toBeGreaterThan(0)
    expect(tested.log.join('')).not.toMatch(new RegExp(`${ADMIN}|${WRITER}`))
  })
})

test('after 100 wrong tokens in a minute an address is told to wait, but for the roles that it has used before', async () => {
  tested.now = Date.parse('2030-01-01T00:00:00Z')
  const guess = () => send('DELETE', '/comments/1', undefined, { authorization: 'Bearer guess' })
  const before = await Promise.all(Array.from({ length: 101 }, guess))
  expect(new Set(before.map(({ status }) => status))).toEqual(new Set([401]))
  const refused = await guess()
  expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited' } })
  expect(refused.headers.get('retry-after')).toBe('60')
  expect(refused.headers.get('www-authenticate')).toBeNull()
  expect((await send('POST', '/products/42/comments', newComment())).status).toBe(201)
  expect((await send('DELETE', '/comments/none', undefined, { authorization: `Bearer ${ADMIN}` })).status).toBe(404)
  const authorization = 'Bearer guess'
  for (const headers of [{}, { authorization }]) {
    expect((await ask('/products/42/comments', { headers })).status).toBe(200)
  }
  tested.now += 60_000
  expect((await guess()).status).toBe(401)
  expect((await send('POST', '/products/42/comments', newComment())).status).toBe(201)
})

test('an address that was told to wait learns nothing of a right token that it has never used', () => {
  let now = 0
  const authorize = rolesByToken({ admin: ADMIN, writer: WRITER }, () => now)
  expect(authorize(WRITER, 'home')).toBe('writer')
  for (let i = 0; i <= 100; i++) expect(authorize(`guess ${i}`, 'home')).toBeUndefined()
  for (const token of ['guess', ADMIN]) {
    expect(() => authorize(token, 'home')).toThrow(expect.objectContaining({ code: 'rate_limited' }))
  }
  expect(authorize(WRITER, 'home')).toBe('writer')
  expect(authorize(ADMIN, 'elsewhere')).toBe('admin')
  now = 60_000
  expect(authorize(ADMIN, 'home')).toBe('admin')
})
