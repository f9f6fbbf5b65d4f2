import { type LayoutName, layoutNamed } from 'lapidary'
import { beforeAll, describe, expect, test } from 'vitest'
import type { TestEngine } from '../../../../test/engines/index.ts'
import { newComment, useTestApp } from '../test-app.ts'

/** Tests counts, averages and leaderboards. */
export function describeStatistics(layouts: readonly LayoutName[], engine?: TestEngine): void {
  describe.each(layouts)('by the layout %s', (layout) => {
    const { ask, send, counted } = useTestApp(engine, layoutNamed(layout))

    const LANGUAGES = ['en', 'de', 'pt-br']
    const stored = Array.from({ length: 30 }, (_, i) => ({
      id: `s${String(i).padStart(2, '0')}`,
      productId: ['one', 'two', 'three'][i % 3] as string,
      language: LANGUAGES[i % 4] ?? 'en',
      // No comment gives two stars.
      rating: [5, 4, 5, 1, 3][i % 5] as number,
      createdAt: `2021-01-01T00:00:${String(i).padStart(2, '0')}.000Z`,
    }))
    const of = (productId: string, language?: string) =>
      stored.filter((one) => one.productId === productId && (language === undefined || one.language === language))
    const countBy = <T>(items: readonly T[], key: (item: T) => string): Record<string, number> => {
      const counts: Record<string, number> = {}
      for (const item of items) counts[key(item)] = (counts[key(item)] ?? 0) + 1
      return counts
    }
    const ratings = (items: readonly { rating: number }[]) => ({
      1: 0,
      2: 0,
      3: 0,
      4: 0,
      5: 0,
      ...countBy(items, ({ rating }) => String(rating)),
    })

    beforeAll(async () => {
      for (const { productId, ...comment } of stored) {
        expect((await send('POST', `/products/${productId}/comments`, newComment(comment))).status).toBe(201)
      }
      await counted()
    })

    describe('/products/{productId}/statistics', () => {
      test.each([undefined, ...LANGUAGES])('equal a recount, language %s', async (language) => {
        const { body } = await ask(`/products/one/statistics${language === undefined ? '' : `?language=${language}`}`)
        const items = of('one', language)
        expect(body).toMatchObject({
          productId: 'one',
          language: language ?? null,
          counts: ratings(items),
          total: items.length,
          languages: countBy(of('one'), (item) => item.language),
          asOf: expect.stringMatching(/^\d{4}-.*Z$/),
        })
        const sum = items.reduce((stars, { rating }) => stars + rating, 0)
        expect(body.average).toBeCloseTo(sum / items.length)
      })

      test('of a product without comments are zero, and its average is null', async () => {
        const { status, body } = await ask('/products/nobody-knows/statistics')
        expect(status).toBe(200)
        expect(body).toMatchObject({ counts: ratings([]), total: 0, languages: {}, average: null })
      })

      test('follow an edit and a deletion', async () => {
        await send('POST', '/products/moving/comments', newComment({ id: 'm1', rating: 5 }))
        await send('POST', '/products/moving/comments', newComment({ id: 'm2', rating: 4, language: 'de' }))
        await send('PATCH', '/comments/m1', { rating: 2, language: 'de' })
        await send('DELETE', '/comments/m2', undefined, { authorization: 'Bearer the-admin-token-1' })
        await counted()
        const { body } = await ask('/products/moving/statistics')
        expect(body).toMatchObject({ counts: ratings([{ rating: 2 }]), total: 1, languages: { de: 1 }, average: 2 })
      })
    })

    describe('a page', () => {
      test('has the total of its filter and disjunctive counts', async () => {
        const { body } = await ask('/products/one/comments?language=en&rating=5&limit=2')
        const items = of('one', 'en').filter(({ rating }) => rating === 5)
        expect(body.page).toMatchObject({ total: items.length, count: Math.ceil(items.length / 2), size: 2 })
        expect(body.facets.rating).toEqual(ratings(of('one', 'en')))
        const fives = of('one').filter(({ rating }) => rating === 5)
        const none = Object.fromEntries(of('one').map(({ language }) => [language, 0]))
        expect(body.facets.language).toEqual({ ...none, ...countBy(fives, ({ language }) => language) })
      })

      test('of a rating that nobody gave takes half a unit beside its counts', async () => {
        const read = async () => {
          const { items, plan } = (await ask('/products/one/comments?rating=2&explain=true')).body
          return { items, basis: plan.basis, rcu: plan.actual.rcu - (plan.statisticsRcu ?? 0) }
        }
        await expect.poll(read).toEqual({ items: [], basis: 'statistics', rcu: 0.5 })
      })

      test('shows at once what this server wrote, though it is not counted yet', async () => {
        for (const rating of [2, 1, 3]) {
          const product = `fresh-${rating}`
          await ask(`/products/${product}/comments`)
          const { body } = await send('POST', `/products/${product}/comments`, newComment({ rating }))
          const page = await ask(`/products/${product}/comments?rating=${rating}`)
          expect(page.body.items).toEqual([body])
        }
      })
    })

    test('/products/{productId}/highlights are the most recent of each kind', async () => {
      const { body } = await ask('/products/two/highlights?language=en')
      const recent = (keeps: (rating: number) => boolean) =>
        of('two', 'en')
          .filter(({ rating }) => keeps(rating))
          .at(-1)
      expect(body.positive?.id).toBe(recent((rating) => rating >= 4)?.id)
      expect(body.critical?.id ?? null).toBe(recent((rating) => rating <= 2)?.id ?? null)
      expect(body.lastCommentedAt).toBe(of('two', 'en').at(-1)?.createdAt)
      expect((await ask('/products/nobody-knows/highlights')).body).toEqual({
        positive: null,
        critical: null,
        lastCommentedAt: null,
      })
    })

    describe('/leaderboards/five-star', () => {
      test('ranks products by their 5-star comments; equal counts share a rank, in order of id', async () => {
        const { body } = await ask('/leaderboards/five-star?limit=100')
        const counts = Object.entries(
          countBy(
            stored.filter(({ rating }) => rating === 5),
            ({ productId }) => productId,
          ),
        )
        const ours = body.entries.filter(({ productId }: { productId: string }) =>
          counts.some(([id]) => id === productId),
        )
        expect(ours.map(({ productId, count }: never) => [productId, count])).toEqual(
          counts.toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)),
        )
        for (const [i, entry] of body.entries.entries()) {
          const first = body.entries.findIndex(({ count }: { count: number }) => count === entry.count)
          expect(entry.rank).toBe(first + 1)
          expect(i === 0 || body.entries[i - 1].count >= entry.count).toBe(true)
        }
      })

      test('is kept for each language', async () => {
        const { body } = await ask('/leaderboards/five-star?language=DE')
        const counts = countBy(
          stored.filter(({ rating, language }) => rating === 5 && language === 'de'),
          ({ productId }) => productId,
        )
        expect(Object.fromEntries(body.entries.map(({ productId, count }: never) => [productId, count]))).toEqual(
          counts,
        )
        expect((await ask('/leaderboards/five-star?language=xx')).body.entries).toEqual([])
      })

      test('refuses a wrong limit', async () => {
        expect(await ask('/leaderboards/five-star?limit=0')).toMatchObject({
          status: 400,
          body: { code: 'bad_request' },
        })
      })
    })
  })
}
