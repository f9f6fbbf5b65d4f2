import { layoutNamed } from 'lapidary'
import { beforeAll, describe, expect, test } from 'vitest'
import { LAYOUTS, newComment, useTestApp } from './test-app.ts'

describe.each(LAYOUTS)('by the layout %s', (layout) => {
  const tested = useTestApp(undefined, layoutNamed(layout))
  const { ask, send } = tested
  const TOTAL = 47
  const LIST = '/products/42/comments'

  interface PageBody {
    readonly items: readonly { readonly id: string }[]
    readonly page: { readonly number: number; readonly count: number; readonly total: number }
    readonly cursors: { readonly next: string | null; readonly previous: string | null }
  }

  const idsOf = ({ items }: PageBody): readonly string[] => items.map(({ id }) => id)

  /** The last ten ids before the end. */
  const lastTen: readonly string[] = Array.from({ length: 10 }, (_, i) => `n${9 - i}`)

  /** Returns the ids of a page, newest first: comments are one second apart. */
  function expectedIds(number: number, size: number, among = (_: number) => true): readonly string[] {
    const ids = Array.from({ length: TOTAL }, (_, i) => TOTAL - 1 - i).filter(among)
    return ids.slice((number - 1) * size, number * size).map((i) => `n${i}`)
  }

  beforeAll(async () => {
    for (let i = 0; i < TOTAL; i++) {
      const createdAt = new Date(1_700_000_000_000 + i * 1000).toISOString()
      await send(
        'POST',
        LIST,
        newComment({ id: `n${i}`, rating: (i % 5) + 1, language: i % 2 ? 'en' : 'de', createdAt }),
      )
    }
    await tested.counted()
  })

  describe('page=N', () => {
    test('is the page of that number, with its total, its page count and the pages around it', async () => {
      const { status, headers, body } = await ask(`${LIST}?page=3&limit=10`)
      expect(status).toBe(200)
      expect(idsOf(body as PageBody)).toEqual(expectedIds(3, 10))
      expect(body).toMatchObject({ page: { number: 3, count: 5, total: TOTAL, size: 10 } })
      const link = headers.get('link') ?? ''
      expect(link).toContain(`<${LIST}?limit=10&page=5>; rel="last"`)
      expect(link).toContain(`<${LIST}?limit=10>; rel="first"`)
      const last = await ask(`${LIST}?limit=10&page=5`)
      expect(idsOf(last.body as PageBody)).toEqual(expectedIds(5, 10))
    })

    test('goes on by cursor, both ways', async () => {
      const { body } = await ask(`${LIST}?page=3&limit=10`)
      const { next, previous } = (body as PageBody).cursors
      const after = await ask(`${LIST}?limit=10&cursor=${next}`)
      expect(idsOf(after.body as PageBody)).toEqual(expectedIds(4, 10))
      expect(after.body).toMatchObject({ page: { number: null, about: 4 } })
      const before = await ask(`${LIST}?limit=10&cursor=${previous}`)
      expect(idsOf(before.body as PageBody)).toEqual(expectedIds(2, 10))
      expect(before.body).toMatchObject({ page: { number: null, about: 2 } })
    })

    test('counts pages of the filter, also as a resource', async () => {
      const { body } = await ask(`${LIST}/en/2.4?page=2&limit=4`)
      const among = (i: number): boolean => i % 2 === 1 && [2, 4].includes((i % 5) + 1)
      expect(idsOf(body as PageBody)).toEqual(expectedIds(2, 4, among))
      const total = Array.from({ length: TOTAL }, (_, i) => i).filter(among).length
      expect(body).toMatchObject({ page: { number: 2, total, count: Math.ceil(total / 4) } })
    })

    test('of a range has a total too', async () => {
      const from = new Date(1_700_000_000_000 + 10_000).toISOString()
      const { body } = await ask(`${LIST}?page=2&limit=10&from=${from}`)
      expect(idsOf(body as PageBody)).toEqual(expectedIds(2, 10, (i) => i >= 10))
      expect(body).toMatchObject({ page: { total: TOTAL - 10, count: 4 } })
    })

    test.each([6, 1_000_000_000])('%i, past the end, has no items and leads back', async (number) => {
      const { status, body } = await ask(`${LIST}?page=${number}&limit=10`)
      expect(status).toBe(200)
      expect(body).toMatchObject({ items: [], page: { number, count: 5, total: TOTAL }, cursors: { next: null } })
      const { previous } = (body as PageBody).cursors
      const before = await ask(`${LIST}?limit=10&cursor=${previous}`)
      expect(idsOf(before.body as PageBody)).toEqual(lastTen)
    })

    test.each(['0', '-1', '1.5', 'x', '1e9', '2&page=3'])('%s is refused by name', async (number) => {
      const { status, body } = await ask(`${LIST}?page=${number}`)
      expect(status).toBe(400)
      expect(body).toMatchObject({ code: 'bad_request', errors: [{ path: 'page' }] })
    })

    test('the greatest number that is read as one is past the end, and the refusal of a greater one names it', async () => {
      const most = '999999999999999'
      expect(await ask(`${LIST}?page=${most}&limit=100`)).toMatchObject({ status: 200, body: { items: [] } })
      const { body } = await ask(`${LIST}?page=${most}9`)
      expect(body).toMatchObject({ errors: [{ path: 'page', message: `must be a whole number from 1 to ${most}` }] })
    })

    test('with a cursor is refused', async () => {
      const { body } = await ask(`${LIST}?limit=10`)
      const { next } = (body as PageBody).cursors
      const both = await ask(`${LIST}?page=2&limit=10&cursor=${next}`)
      expect(both).toMatchObject({ status: 400, body: { errors: [{ path: 'page' }] } })
    })

    test('says what its place took, or what was read and passed over instead', async () => {
      const second = await ask(`${LIST}?page=2&limit=4&explain=true`)
      expect(second.body).toMatchObject({ plan: { text: expect.stringContaining('LIMIT 8 LESS THE FIRST 4') } })
      const far = await ask(`${LIST}?page=300&limit=10&explain=true`)
      // One round for the bound, which is past the end, and two for the last item.
      expect(far.body).toMatchObject({ plan: { pageIndex: { rounds: 3 } } })
    })
  })

  describe('the page in a browser', () => {
    const at = async (path: string): Promise<string> =>
      String((await ask(path, { headers: { accept: 'text/html' } })).body)

    test('has links to the first, the last and the numbers around it', async () => {
      const html = await at('/p/42?rating=1&rating=2&rating=3&limit=2&page=5')
      const pager = /<ol class="pager">.*?<\/ol>/s.exec(html)?.[0] ?? ''
      const hrefs = [...pager.matchAll(/<a[^>]*? href="([^"]*)"/g)].map(([, href]) => href?.replaceAll('&amp;', '&'))
      const list = '/p/42?rating=1&rating=2&rating=3&limit=2'
      const to = (number: number): string => `${list}&page=${number}`
      // The arrow back, the numbers, the arrow on.
      expect(hrefs).toEqual([to(4), list, to(4), to(5), to(6), to(15), to(6)])
      expect(pager).toMatch(/page=5"[^>]*aria-current="page"|aria-current="page"[^>]*page=5"/)
      expect(html).toContain('rel="prev"')
      expect(html).toContain('29 comments, 9 to 10')
      expect(html).toMatch(/<p class="pages-range">9 to 10 of 29<\/p>/)
    })

    test('past the end leads to the last page', async () => {
      const html = await at('/p/42?limit=10&page=9')
      expect(html).toContain('href="/p/42?limit=10&amp;page=5"')
    })

    test.each([
      ['limit=10&page=9', '47 comments, none on this page', 'There are 5 pages.', 'limit=10&page=5'],
      [
        'language=en&rating=2&rating=4&limit=4&page=1000000',
        '10 comments, none on this page',
        'There are 3 pages.',
        'language=en&rating=2&rating=4&limit=4&page=3',
      ],
      ['limit=100&page=2', '47 comments, none on this page', 'There is only 1 page.', 'limit=100'],
    ])(
      'past the end, %s, says how many pages there are and nothing of filters',
      async (search, summary, title, last) => {
        const html = await at(`/p/42?${search}`)
        expect(html).toContain(`data-announce="${summary}"`)
        expect(html).toContain(title)
        expect(html).not.toMatch(/No comments yet|No comment passes|class="relaxations"/)
        const href = /class="relaxation" href="([^"]*)"/.exec(html)?.[1]?.replaceAll('&amp;', '&')
        expect(href).toBe(`/p/42?${last}`)
        expect(html).toContain('content="noindex"')
      },
    )

    test('of another size or order are not for search engines, which know the comments from others', async () => {
      expect(await at('/p/42?page=2')).not.toContain('noindex')
      for (const search of ['limit=5&page=2', 'order=oldest&page=2'])
        expect(await at(`/p/42?${search}`)).toContain('content="noindex"')
    })

    test('of a list without comments, at any number, is an empty list', async () => {
      for (const path of ['/p/none', '/p/none?page=5']) {
        const empty = await at(path)
        expect(empty).toContain('No comments yet')
        expect(empty).toContain('content="noindex"')
      }
      const html = await at('/p/42?language=it&page=5')
      expect(html).toContain('No comment passes all of these filters.')
      expect(html).toContain('Drop Italian')
    })

    test.each([
      ['', ''],
      ['?page=1', ''],
      ['?page=2', '?page=2'],
      ['?order=oldest&page=3', '?order=oldest&page=3'],
      ['?page=2&rating=5,4&rating=1&limit=4&language=EN', '?language=en&rating=1&rating=4&rating=5&limit=4&page=2'],
      ['?limit=20&order=newest&rating=&page=1&posted=n1', ''],
      ['?rating=2&from=2023-11-14T22:13:30Z', '?rating=2&from=2023-11-14T22%3A13%3A30.000Z'],
    ])('has the address of its own list for search engines: %s', async (search, canonical) => {
      const href = canonicalOf(await at(`/p/42${search}`))
      expect(href).toBe(`/p/42${canonical}`)
      expect(canonicalOf(await at(href ?? ''))).toBe(href)
    })

    test('by cursor has none', async () => {
      const { body } = await ask(`${LIST}?limit=10`)
      const { next } = (body as PageBody).cursors
      expect(canonicalOf(await at(`/p/42?limit=10&cursor=${next}`))).toBeUndefined()
    })
  })

  function canonicalOf(html: string): string | undefined {
    return /rel="canonical" href="([^"]*)"/.exec(html)?.[1]?.replaceAll('&amp;', '&')
  }
})
