import { type LayoutName, layoutNamed } from 'lapidary'
import { describe, expect, test } from 'vitest'
import type { TestEngine } from '../../../../test/engines/index.ts'
import { ADMIN, newComment, useTestApp } from '../test-app.ts'

const asAdmin = { authorization: `Bearer ${ADMIN}` }

/** Tests the requests for one comment. */
export function describeComments(layouts: readonly LayoutName[], engine?: TestEngine): void {
  describe.each(layouts)('by the layout %s', (layout) => {
    const tested = useTestApp(engine, layoutNamed(layout))
    const { ask, send } = tested

    describe('POST /products/{productId}/comments', () => {
      test('stores a comment, makes what is missing, and says where it is', async () => {
        const { status, headers, body } = await send('POST', '/products/42/comments', newComment({ language: 'pt-BR' }))
        expect(status).toBe(201)
        expect(body).toEqual({
          id: expect.stringMatching(/^[0-9A-Z]{26}$/),
          productId: '42',
          language: 'pt-br',
          rating: 5,
          title: 'Fine',
          text: 'It works.',
          author: 'Ada',
          createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
          updatedAt: null,
          version: 1,
          helpful: 0,
          verified: false,
          answer: null,
          photos: [],
        })
        expect(headers.get('location')).toBe(`/comments/${body.id}`)
        expect(headers.get('etag')).toBe('"1"')
        expect((await ask(headers.get('location') ?? '')).body).toEqual(body)
      })

      test('keeps the id and time that a writer gives, the time in UTC to the millisecond', async () => {
        const given = newComment({ id: 'given', createdAt: '2020-11-09T13:00:00.1234+01:00', productId: '42' })
        const { status, body } = await send('POST', '/products/42/comments', given)
        expect(status).toBe(201)
        expect(body).toMatchObject({ id: 'given', createdAt: '2020-11-09T12:00:00.123Z' })
      })

      test('refuses an id that exists, whatever its product', async () => {
        await send('POST', '/products/42/comments', newComment({ id: 'twice' }))
        const again = await send('POST', '/products/43/comments', newComment({ id: 'twice' }))
        expect(again).toMatchObject({ status: 409, body: { code: 'already_exists', status: 409 } })
      })

      test('gives the first answer for the same idempotency key', async () => {
        const headers = { 'idempotency-key': 'once' }
        const first = await send('POST', '/products/42/comments', newComment(), headers)
        const second = await send('POST', '/products/42/comments', newComment(), headers)
        expect(first.status).toBe(201)
        expect(second).toMatchObject({ status: 201, body: first.body })
        const other = await send('POST', '/products/42/comments', newComment({ rating: 1 }), headers)
        expect(other).toMatchObject({ status: 422, body: { code: 'idempotency_mismatch' } })
        const bad = await send('POST', '/products/42/comments', newComment(), { 'idempotency-key': 'x'.repeat(256) })
        expect(bad).toMatchObject({ status: 400, body: { errors: [{ path: 'Idempotency-Key' }] } })
      })

      test('gives no answer for an idempotency key whose comment was deleted since', async () => {
        const headers = { 'idempotency-key': 'once-and-deleted' }
        const { body } = await send('POST', '/products/42/comments', newComment(), headers)
        await send('PATCH', `/comments/${body.id}`, { rating: 2 })
        expect(await send('POST', '/products/42/comments', newComment(), headers)).toMatchObject({ status: 201, body })
        await send('DELETE', `/comments/${body.id}`, undefined, { authorization: `Bearer ${ADMIN}` })
        const again = await send('POST', '/products/42/comments', newComment(), headers)
        expect(again).toMatchObject({ status: 404, body: { code: 'not_found' } })
        expect(again.body.detail).toContain(body.id)
        const anew = await send('POST', '/products/42/comments', newComment(), { 'idempotency-key': 'once-and-anew' })
        expect(anew.status).toBe(201)
      })

      test('refuses the product of another path', async () => {
        const answer = await send('POST', '/products/42/comments', newComment({ productId: '43' }))
        expect(answer).toMatchObject({ status: 422, body: { errors: [{ path: 'productId' }] } })
      })
    })

    describe('GET /comments/{id}', () => {
      test('answers 304 while the version is known, and 404 for no comment', async () => {
        await send('POST', '/products/42/comments', newComment({ id: 'tagged' }))
        for (const known of ['"1"', 'W/"1"', '*', '"9", "1"']) {
          const answer = await ask('/comments/tagged', { headers: { 'if-none-match': known } })
          expect([answer.status, answer.body, answer.headers.get('etag')], known).toEqual([304, '', '"1"'])
        }
        expect((await ask('/comments/tagged', { headers: { 'if-none-match': '"2"' } })).status).toBe(200)
        expect(await ask('/comments/tagged', { headers: { 'if-none-match': 'nonsense' } })).toMatchObject({
          status: 400,
          body: { errors: [{ path: 'If-None-Match' }] },
        })
        expect(await ask('/comments/nobody')).toMatchObject({ status: 404, body: { code: 'not_found' } })
      })

      test('answers HEAD as GET without the body', async () => {
        await send('POST', '/products/42/comments', newComment({ id: 'head' }))
        const answer = await ask('/comments/head', { method: 'HEAD' })
        expect([answer.status, answer.body, answer.headers.get('etag')]).toEqual([200, '', '"1"'])
      })
    })

    describe('PATCH /comments/{id}', () => {
      test('changes what is given, and moves the comment between lists', async () => {
        await send('POST', '/products/moving/comments', newComment({ id: 'moving' }))
        const { status, headers, body } = await send('PATCH', '/comments/moving', { rating: 1, language: 'DE' })
        expect(status).toBe(200)
        expect(body).toMatchObject({ rating: 1, language: 'de', text: 'It works.', version: 2 })
        expect(body.updatedAt).toEqual(expect.any(String))
        expect(headers.get('etag')).toBe('"2"')
        expect((await ask('/products/moving/comments?rating=5')).body.items).toEqual([])
        expect((await ask('/products/moving/comments?rating=1&language=de')).body.items).toEqual([body])
      })

      test('a change of nothing writes nothing', async () => {
        await send('POST', '/products/42/comments', newComment({ id: 'same' }))
        expect((await send('PATCH', '/comments/same', {})).body).toMatchObject({ version: 1, updatedAt: null })
        expect((await send('PATCH', '/comments/same', { rating: 5 })).body).toMatchObject({ version: 1 })
      })

      test.each([
        ['"1"', 200],
        ['*', 200],
        ['"7", "1"', 200],
        ['"2"', 412],
        ['"2", "3"', 412],
        ['W/"1"', 412],
        ['"one"', 412],
        ['1', 400],
        ['', 400],
      ])('If-Match %s gives %i', async (ifMatch, status) => {
        const id = `match ${ifMatch}`
        await send('POST', '/products/42/comments', newComment({ id }))
        const answer = await send(
          'PATCH',
          `/comments/${encodeURIComponent(id)}`,
          { rating: 4 },
          { 'if-match': ifMatch },
        )
        expect(answer.status).toBe(status)
        if (status === 412) expect(answer.body.code).toBe('version_conflict')
      })

      test.each(['id', 'productId', 'author', 'createdAt', 'version', 'updatedAt'])(
        'refuses to change %s',
        async (name) => {
          const answer = await send('PATCH', '/comments/whatever', { [name]: '1' })
          expect(answer).toMatchObject({ status: 422, body: { code: 'unprocessable', errors: [{ path: name }] } })
        },
      )

      test('answers 404 for no comment, with and without If-Match', async () => {
        expect((await send('PATCH', '/comments/nobody', { rating: 1 })).status).toBe(404)
        expect((await send('PATCH', '/comments/nobody', { rating: 1 }, { 'if-match': '"1"' })).status).toBe(404)
        expect((await send('PATCH', '/comments/nobody', { rating: 1 }, { 'if-match': 'W/"1"' })).status).toBe(404)
      })
    })

    describe('DELETE /comments/{id}', () => {
      test('deletes once', async () => {
        await send('POST', '/products/42/comments', newComment({ id: 'doomed' }))
        const conflict = await send('DELETE', '/comments/doomed', undefined, { ...asAdmin, 'if-match': '"2"' })
        expect(conflict.status).toBe(412)
        expect((await send('DELETE', '/comments/doomed', undefined, asAdmin)).status).toBe(204)
        expect((await send('DELETE', '/comments/doomed', undefined, asAdmin)).status).toBe(404)
        expect((await ask('/comments/doomed')).status).toBe(404)
      })
    })
  })
}
