import { type LayoutName, layoutNamed } from 'lapidary'
import { beforeAll, describe, expect, test } from 'vitest'
import type { TestEngine } from '../../../../test/engines/index.ts'
import { newComment, useTestApp } from '../test-app.ts'

const PRODUCT = 'a/b #~.%?&😀'
const LIST = `/products/${encodeURIComponent(PRODUCT)}/comments`

const stored = Array.from({ length: 23 }, (_, i) => ({
  id: `c${String(i).padStart(2, '0')}`,
  language: ['en', 'de', 'pt-br'][i % 3],
  rating: (i % 5) + 1,
  // Every third shares its time with others: items are ordered by position, not by time.
  createdAt: `2020-01-01T00:00:0${Math.floor(i / 3)}.000Z`,
}))
const newestFirst = [...stored].sort((a, b) =>
  a.createdAt === b.createdAt ? (a.id < b.id ? 1 : -1) : a.createdAt < b.createdAt ? 1 : -1,
)
const ids = (items: readonly { id: string }[]) => items.map(({ id }) => id)

/** Tests the lists of comments, their filters, pages and links. */
export function describeLists(layouts: readonly LayoutName[], engine?: TestEngine): void {
  describe.each(layouts)('the layout %s', (name) => {
    const { ask, send, counted } = useTestApp(engine, layoutNamed(name))

    beforeAll(async () => {
      for (const comment of stored) expect((await send('POST', LIST, newComment(comment))).status).toBe(201)
      await send('POST', '/products/a/comments', newComment({ id: 'elsewhere' }))
      await counted()
    })

    describe.each([
      ['', () => true],
      ['language=EN', ({ language }) => language === 'en'],
      ['rating=4&rating=5', ({ rating }) => rating >= 4],
      ['rating=4,5&language=pt-br', ({ rating, language }) => rating >= 4 && language === 'pt-br'],
      ['rating=1,2,3,4,5', () => true],
      ['language=&rating=&cursor=&from=&to=&explain=', () => true],
      [
        'from=2020-01-01T00:00:02Z&to=2020-01-01T01:00:05%2B01:00',
        ({ createdAt }) => createdAt >= '2020-01-01T00:00:02' && createdAt < '2020-01-01T00:00:05',
      ],
      ['language=xx', () => false],
    ] as [string, (comment: { language: string; rating: number; createdAt: string }) => boolean][])(
      '?%s',
      (query, keeps) => {
        const wanted = ids(newestFirst.filter((comment) => keeps(comment as never)))

        test('gives the comments that pass, newest or oldest first', async () => {
          const newest = await ask(`${LIST}?${query}&limit=100`)
          expect(newest.status).toBe(200)
          expect(ids(newest.body.items)).toEqual(wanted)
          // Counts are of whole lists: a range has no facets, but a list that is wholly on the page counts itself.
          const ranged = query.includes('from=2')
          expect(newest.body).toMatchObject({
            page: {
              number: 1,
              count: Math.ceil(wanted.length / 100),
              total: wanted.length,
              size: 100,
            },
            cursors: { next: null, previous: null },
            facets: ranged ? null : { rating: expect.anything(), language: expect.anything() },
            asOf: ranged ? null : expect.stringMatching(/Z$/),
            plan: null,
          })
          const oldest = await ask(`${LIST}?${query}&limit=100&order=oldest`)
          expect(ids(oldest.body.items)).toEqual(wanted.toReversed())
        })

        test.each([1, 4])(
          'following next by %i gives each exactly once, previous walks the same pages back',
          async (limit) => {
            const pages: string[][] = []
            let target: string | undefined = `${LIST}?${query}&limit=${limit}`
            let last = ''
            while (target !== undefined) {
              const { body, headers } = await ask(target)
              pages.push(ids(body.items))
              last = target
              const linked = linkTo(headers, 'next')
              expect(linked === undefined).toBe(body.cursors.next === null)
              if (linked !== undefined)
                expect(new URL(linked, 'http://x').searchParams.get('cursor')).toBe(body.cursors.next)
              target = linked
            }
            expect(pages.flat()).toEqual(wanted)
            const back: string[][] = []
            for (target = last; target !== undefined; ) {
              const { body, headers } = await ask(target)
              back.unshift(ids(body.items))
              if (target !== `${LIST}?${query}&limit=${limit}`) expect(body.page.number).toBeNull()
              expect(linkTo(headers, 'first')).not.toMatch(/cursor/)
              target = linkTo(headers, 'prev')
            }
            expect(back).toEqual(pages)
          },
        )
      },
    )

    test('the resource form gives the same page, and links to itself', async () => {
      const resource = await ask(`${LIST}/en/1.2.3?limit=2`)
      const { body: same } = await ask(`${LIST}?language=en&rating=1,2,3&limit=2`)
      expect({ ...resource.body, asOf: null }).toEqual({ ...same, asOf: null })
      expect(linkTo(resource.headers, 'next')).toMatch(/\/comments\/en\/1\.2\.3\?limit=2&cursor=/)
      expect((await ask(`${LIST}/~/~?limit=100`)).body.items).toHaveLength(23)
      expect(ids((await ask(`${LIST}/~/5`)).body.items)).toEqual(ids(newestFirst.filter(({ rating }) => rating === 5)))
      expect(ids((await ask(`${LIST}/EN/~`)).body.items)).toEqual(
        ids(newestFirst.filter(({ language }) => language === 'en')),
      )
    })

    test('explain adds the plan, with what DynamoDB reported', async () => {
      const { body, headers } = await ask(`${LIST}?language=en&rating=1,2&explain=true`)
      expect(body.plan).toMatchObject({
        text: expect.any(String),
        tree: { kind: 'limit' },
        // A query that ends early takes another round.
        actual: {
          requests: expect.any(Number),
          rounds: engine?.breaks === true ? expect.any(Number) : 1,
          itemsReturned: body.items.length,
        },
      })
      // Counts that were read less than a second ago are not read again, and on a busy machine they are older.
      const { actual } = body.plan
      if (engine?.breaks !== true) expect(headers.get('server-timing')).toContain(`${actual.rcu} RCU`)
    })

    test('a cursor belongs to its query', async () => {
      const { body } = await ask(`${LIST}?rating=4&limit=1`)
      const { next } = body.cursors
      expect(next.length).toBeLessThanOrEqual(160)
      for (const other of [`${LIST}?rating=5`, `${LIST}?rating=4&order=oldest`, '/products/a/comments?rating=4']) {
        expect(await ask(`${other}&cursor=${next}`)).toMatchObject({ status: 400, body: { code: 'cursor_mismatch' } })
      }
      const altered = `${next.slice(0, 20)}${next[20] === 'A' ? 'B' : 'A'}${next.slice(21)}`
      for (const wrong of [altered, 'x', next.slice(1), `${next}A`, '%00', '😀', 'A'.repeat(5000)]) {
        expect(await ask(`${LIST}?rating=4&cursor=${encodeURIComponent(wrong)}`)).toMatchObject({
          status: 400,
          body: { code: 'cursor_invalid' },
        })
      }
    })
  })
}

function linkTo(headers: Headers, relation: string): string | undefined {
  return new RegExp(`<([^>]*)>; rel="${relation}"`).exec(headers.get('link') ?? '')?.[1]
}
