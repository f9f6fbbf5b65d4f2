import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MERGES } from '../test-app.ts'
import { counted, openWebHarness, type WebHarness } from './web-harness.ts'

let harness: WebHarness

beforeAll(async () => {
  harness = await openWebHarness({ statistics: true })
})

afterAll(async () => {
  await harness[Symbol.asyncDispose]()
})

async function get(path: string, headers: Record<string, string> = {}): Promise<string> {
  return (await harness.app.request(path, { headers })).text()
}

/** Reads the count and the share of each rating from the histogram, 5 first. */
function histogram(html: string): readonly (readonly [count: number, share: string])[] {
  const rows = html.matchAll(/class="rating-count">([\d,]+)<.*?class="rating-share">(\d+%)</g)
  return [...rows].map(([, count = '', share = '']) => [Number(count.replace(',', '')), share])
}

async function truth(productId: string): Promise<readonly { rating: number; language: string }[]> {
  const { items, cursors } = await harness.services.comments.list({ scope: productId, limit: 100 })
  if (cursors.next === null) return items
  const rest = await harness.services.comments.list({ scope: productId, limit: 100, cursor: cursors.next })
  return [...items, ...rest.items]
}

describe('the histogram', () => {
  it('has the counts and shares of the language chosen, whatever ratings are', async () => {
    const english = (await truth('42')).filter(({ language }) => language === 'en')
    const expected = [5, 4, 3, 2, 1].map((rating) => {
      const count = english.filter((comment) => comment.rating === rating).length
      return [count, `${Math.round((100 * count) / english.length)}%`]
    })
    expect(histogram(await get('/p/42?language=en'))).toEqual(expected)
    expect(histogram(await get('/p/42?language=en&rating=1&rating=2'))).toEqual(expected)
  })

  it('shows what nobody gave as 0, and lets it be chosen', async () => {
    const html = await get('/p/hostile?rating=5')
    expect(histogram(html).map(([count]) => count)).toEqual([0, 0, 1, 1, 0])
    expect(html).toMatch(/value="5" id="rating-5" checked=""/)
    expect(html).not.toMatch(/<input[^>]*disabled/)
    expect(html).toContain('No comment passes all of these filters.')
  })
})

describe('the head', () => {
  it('has the average and the total of the language chosen', async () => {
    const german = (await truth('42')).filter(({ language }) => language === 'de')
    const average = german.reduce((sum, { rating }) => sum + rating, 0) / german.length
    const html = await get('/p/42?language=de&rating=1')
    expect(html).toContain(`value="${average.toFixed(1)}">${average.toFixed(1)}</data>`)
    expect(html).toContain(`${german.length} comments</data> in German`)
    expect(html).toMatch(/As of <time datetime="\d{4}-/)
  })

  it('has none where a range makes counts unknown', async () => {
    const html = await get('/p/42?from=2026-01-01T00:00:00Z')
    expect(html).not.toContain('class="average"')
    expect(html).not.toContain('rating-count')
  })
})

describe('languages', () => {
  it('are those that occur, most first', async () => {
    const html = await get('/p/42')
    const options = [...html.matchAll(/<option value="[^"]*"[^>]*>([^<(]+) \((\d+)\)<\/option>/g)]
    expect(options[0]?.slice(1)).toEqual(['Any language', '130'])
    const counts = options.slice(1).map(([, , count]) => Number(count))
    expect(counts).toEqual([...counts].sort((a, b) => b - a))
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(130)
    expect(options.map(([, name]) => name)).not.toContain('Italian')
  })
})

describe('one’s own language', () => {
  const offer = (html: string) => /<a class="own-language"[^>]*href="([^"]*)"[^>]*>([^<]*)</.exec(html)?.slice(1)

  it('is a link above a list that has others, with the number of its comments', async () => {
    const german = (await truth('42')).filter(({ language }) => language === 'de')
    const ofGerman = (path: string) => get(path, { 'accept-language': 'de-AT, en;q=0.5' })
    expect(offer(await ofGerman('/p/42'))).toEqual(['/p/42?language=de', `Auf Deutsch (${german.length})`])
    const fives = german.filter(({ rating }) => rating === 5).length
    expect(offer(await ofGerman('/p/42?rating=5&order=oldest'))).toEqual([
      '/p/42?language=de&amp;rating=5&amp;order=oldest',
      `Auf Deutsch (${fives})`,
    ])
  })

  it('is the next one that the reader likes, where there is none in the first', async () => {
    expect(offer(await get('/p/42', { 'accept-language': 'sw, ja;q=0.8, en;q=0.5' }))?.[0]).toBe('/p/42?language=ja')
    expect(offer(await get('/p/42', { 'accept-language': 'sw' }))).toBeUndefined()
  })

  it('is not offered where it is chosen, where there is no other, and where counts are not known', async () => {
    const headers = { 'accept-language': 'en' }
    expect(offer(await get('/p/42?language=en', headers))).toBeUndefined()
    expect(offer(await get('/p/42?language=de', headers))).toBeUndefined()
    expect(offer(await get('/p/hostile', headers))).toBeUndefined()
    expect(offer(await get('/p/42?from=2026-01-01T00:00:00Z', headers))).toBeUndefined()
  })
})

describe('pages', () => {
  it('are numbered where the number is known', async () => {
    const first = await get('/p/42')
    expect(first).toContain('Page 1 of 7')
    const next = /<a[^>]*rel="next"[^>]*href="([^"]*)"/.exec(first)?.[1]?.replaceAll('&amp;', '&') ?? ''
    const second = await get(next)
    expect(second).toContain('About page 2 of 7')
    expect(second).toContain('<a class="page-first" href="/p/42">')
    const unknown = await get('/p/42?limit=30')
    const other = /cursor=([^"&]*)/.exec(unknown)?.[1] ?? ''
    expect(await get(`/p/42?limit=20&cursor=${other}`)).not.toMatch(/page \d/i)
  })
})

describe('highlights', () => {
  const strip = (html: string) => /<section class="highlights".*?<\/section>/s.exec(html)?.[0] ?? ''

  it('are the most recent praise and criticism, with links to the comments themselves', async () => {
    // The first comment stands right below, so both are shown only where it is neither.
    for (const [i, rating] of ([1, 4, 2, 4, 3] as const).entries()) {
      const createdAt = `2026-01-0${i + 1}T00:00:00.000Z`
      await harness.services.comments.create({ ...SAMPLE, productId: 'mixed', id: `mixed-${i}`, rating, createdAt })
    }
    const page = await get('/p/mixed?language=en')
    const links = [...strip(page).matchAll(/href="([^"]*)"/g)].map(([, href]) => href)
    expect(links).toEqual(['#comment-mixed-3', '#comment-mixed-2'])
    for (const link of links) expect(page).toContain(`id="${link?.slice(1)}"`)
    expect(strip(page)).toMatch(/Rated 4 out of 5.*Latest praise.*Rated 2 out of 5.*Latest criticism/s)
  })

  it('are never the first comment of the list, which stands right below', async () => {
    for (const path of ['/p/42', '/p/42?language=en', '/p/42?language=de', '/p/few', '/p/hostile', '/p/long']) {
      const html = await get(path)
      const [first = ''] = html.match(/(?<=<article[^>]* id=")[^"]*/) ?? []
      expect(first, path).not.toBe('')
      expect(strip(html), path).not.toContain(`href="#${first}"`)
    }
    expect(strip(await get('/p/42?language=en'))).not.toContain('Latest praise')
  })

  it('are in the language of the reader where there are such', async () => {
    const languages = async (accept: string) =>
      [...strip(await get('/p/42', { 'accept-language': accept })).matchAll(/<bdi [^>]*lang="([^"]*)"/g)].map(
        ([, language]) => language,
      )
    expect(await languages('de-AT, en;q=0.5')).toContain('de')
    expect(await languages('en-GB')).toEqual(['en'])
    expect(await languages('ar')).toContain('ar')
  })

  it('cost nothing where they are on the page, and say what they cost where they are not', async () => {
    expect(await get('/p/42')).toContain('The highlights are on this page, and took nothing more.')
    await harness.services.comments.create({ ...SAMPLE, id: 'early', rating: 1, createdAt: '2020-01-01T00:00:00.000Z' })
    for (let i = 0; i < 25; i++) await harness.services.comments.create({ ...SAMPLE, rating: 5 })
    const html = await get('/p/praised')
    expect(strip(html)).toContain('Jan 1, 2020')
    expect(html).toMatch(/part-beside" aria-hidden="true"><\/span> Highlights <b>[\d.]+<\/b>/)
  })

  it('are left out where somebody has filtered by rating or paged on', async () => {
    expect(strip(await get('/p/42?rating=5'))).toBe('')
    expect(strip(await get('/p/nobody'))).toBe('')
  })
})

describe('the plan', () => {
  it.runIf(MERGES)('says that it is made from statistics, and reads lists that are counted empty', async () => {
    for (let i = 0; i < 70; i++) {
      await harness.services.comments.create({ ...SAMPLE, productId: 'uneven', rating: i < 60 ? 5 : 1 })
    }
    await counted(harness.services, 'uneven', 70)
    const html = await get('/p/uneven?rating=1&rating=2')
    expect(html).toContain('Expected figures come from statistics')
    expect(html).toContain('<b>Counts</b>')
    expect(html).toMatch(/limit \d+, eventually consistent/)
    expect(await get('/p/uneven?rating=2')).toMatch(/0 read ahead, 0 filtered out/)
  })
})

const SAMPLE = { productId: 'praised', language: 'en', title: '', text: 'Words', author: 'Wren' } as const

describe('the front page', () => {
  it('has a leaderboard with fair ranks, for all languages and for each', async () => {
    for (const [productId, fives] of [
      ['a/b', 3],
      ['tied', 3],
      ['one', 1],
    ] as const) {
      for (let i = 0; i < fives; i++) {
        await harness.services.comments.create({ ...SAMPLE, productId, language: 'da', rating: 5 })
      }
    }
    await counted(harness.services, 'one', 1)
    const html = await get('/?language=da')
    expect(html).toContain('Most 5‑star comments in Danish')
    expect(html).toContain('href="/p/a%2Fb?language=da"')
    expect(html).toContain('1 comment<')
    const ranks = [...html.matchAll(/class="leader-rank">(?:<span aria-hidden="true">=<\/span>)?(\d+)/g)]
    expect(ranks.map(([, rank]) => rank)).toEqual(['1', '1', '3'])
    expect(html).toMatch(/aria-current="true"[^>]*>Danish</)
    expect(html).not.toMatch(/As of|RCU/)
    const toDeveloper = await get('/?language=da', { cookie: 'plans=first' })
    expect(toDeveloper).toMatch(/As of <time/)
    expect(toDeveloper).toMatch(/Read for [\d.]+ RCU/)
  })

  it('leads to the best product in one click, and to each of its ratings', async () => {
    const html = await get('/')
    expect(html).toMatch(/<a class="button" href="\/p\/42">\s*Read its comments/)
    expect(html).toContain('href="/p/42?rating=5"')
    expect(html).toMatch(/<a class="leader" href="\/p\/42">/)
  })

  it('says so when nothing is counted, and refuses what is no language', async () => {
    expect(await get('/?language=sw')).toContain('No 5‑star comment in Swahili is counted yet.')
    const response = await harness.app.request('/?language=%22%3E')
    expect(response.status).toBe(400)
    expect(await response.text()).toContain('<code>language</code>')
  })
})

describe('a comment just published', () => {
  it('comes with a note while the counts do not know of it, and without one later', async () => {
    const { id } = await harness.services.comments.create({ ...SAMPLE, productId: 'noted', rating: 4 })
    const note = (html: string) => /<p class="counts-follow"[^>]*>/.exec(html)?.[0] ?? ''
    const shown = () => get(`/p/noted?posted=${id}`, { cookie: `posted=${id}` })
    await expect.poll(async () => note(await shown())).toBe('')
    const html = await shown()
    expect(html).toContain('<data itemprop="reviewCount" value="1">')
    // One comment needs no filter.
    expect(histogram(html)).toEqual([])
  })
})
