import { layoutNamed } from 'lapidary'
import { importItems } from 'lapidary/transfer'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Comment } from '../src/comment.ts'
import { generateComments } from '../src/demo/generate-comments.ts'
import { engineOf, LAYOUTS, useTestApp } from './test-app.ts'

const COMMENTS = [...generateComments({ products: 1, comments: 120, seed: 11 })]

const byId = (a: Comment, b: Comment): number => (a.id < b.id ? 1 : -1)
const byTime = (a: Comment, b: Comment): number =>
  a.createdAt === b.createdAt ? byId(a, b) : a.createdAt < b.createdAt ? 1 : -1

/** The naive orders: sort all, then slice. */
const ORDERS: Readonly<Record<string, (a: Comment, b: Comment) => number>> = {
  newest: byTime,
  oldest: (a, b) => byTime(b, a),
  helpful: (a, b) => b.helpful - a.helpful || byId(a, b),
  highest: (a, b) => b.rating - a.rating || byId(a, b),
  lowest: (a, b) => a.rating - b.rating || byId(b, a),
}

const FILTERS: readonly (readonly [query: string, passes: (comment: Comment) => boolean])[] = [
  ['', () => true],
  ['language=en', ({ language }) => language === 'en'],
  ['rating=1,2', ({ rating }) => rating <= 2],
  ['rating=1,5&language=de', ({ rating, language }) => [1, 5].includes(rating) && language === 'de'],
  ['verified=true', ({ verified }) => verified],
  ['verified=false&rating=5', ({ verified, rating }) => !verified && rating === 5],
  ['answered=true', ({ answered }) => answered],
  [
    'answered=false&verified=true&language=en',
    ({ answered, verified, language }) => !answered && verified && language === 'en',
  ],
  ['answered=true&verified=false&rating=4,5', ({ answered, verified, rating }) => answered && !verified && rating >= 4],
]

describe.each(LAYOUTS)('the orders that people use, by %s', (name) => {
  const layout = layoutNamed(name)
  const { ask, counted, services } = useTestApp(engineOf(layout), layout)
  beforeAll(async () => {
    const { failed, rejected } = await importItems(services.comments, COMMENTS)
    expect([failed, rejected]).toEqual([0, 0])
    await counted()
  })

  it.each(Object.keys(ORDERS))(
    '%s gives every filter in order, by cursor and by number, with exact totals and counts',
    async (order) => {
      for (const [query, passes] of FILTERS) {
        const expected = COMMENTS.filter(passes)
          .toSorted(ORDERS[order])
          .map(({ id }) => id)
        const address = `/products/42/comments?order=${order}&limit=9&${query}`
        const walked: string[] = []
        let cursor = ''
        do {
          const { status, body } = await ask(`${address}${cursor}`)
          expect([status, address]).toEqual([200, address])
          walked.push(...body.items.map(({ id }: Comment) => id))
          cursor = body.cursors.next === null ? '' : `&cursor=${body.cursors.next}`
        } while (cursor !== '')
        expect([address, walked]).toEqual([address, expected])
        for (const number of [1, 2, 4]) {
          const { body } = await ask(`${address}&page=${number}`)
          expect([number, body.items.map(({ id }: Comment) => id)]).toEqual([
            number,
            expected.slice(9 * number - 9, 9 * number),
          ])
          expect(body.page).toMatchObject({ number, total: expected.length, count: Math.ceil(expected.length / 9) })
        }
        const { body } = await ask(address)
        const others = new URLSearchParams(query)
        others.delete('answered')
        const [, without] = FILTERS.find(([each]) => each === others.toString().replaceAll('%2C', ',')) ?? []
        if (without !== undefined) {
          const all = COMMENTS.filter(without)
          const answered = all.filter((comment) => comment.answered).length
          expect(body.facets.answered).toEqual({ true: answered, false: all.length - answered })
        }
      }
    },
    120_000,
  )

  it('goes back the same way, and refuses the cursor of another order, and dates beside an order that is not by time', async () => {
    const first = await ask('/products/42/comments?order=helpful&limit=9')
    const second = await ask(`/products/42/comments?order=helpful&limit=9&cursor=${first.body.cursors.next}`)
    const back = await ask(`/products/42/comments?order=helpful&limit=9&cursor=${second.body.cursors.previous}`)
    expect(back.body.items).toEqual(first.body.items)
    expect(second.headers.get('link')).toContain('order=helpful')
    const other = await ask(`/products/42/comments?order=highest&limit=9&cursor=${first.body.cursors.next}`)
    expect(other).toMatchObject({ status: 400, body: { code: 'cursor_mismatch' } })
    const dates = await ask('/products/42/comments?order=helpful&from=2021-01-01T00:00:00Z')
    expect(dates).toMatchObject({ status: 400, body: { code: 'bad_request', errors: [{ path: 'order' }] } })
    expect((await ask('/products/42/comments?order=oldest&from=2021-01-01T00:00:00Z')).status).toBe(200)
    for (const wrong of ['order=best', 'verified=yes', 'answered=1', 'verified=true&verified=false'])
      expect((await ask(`/products/42/comments?${wrong}`)).status).toBe(400)
  })
})
