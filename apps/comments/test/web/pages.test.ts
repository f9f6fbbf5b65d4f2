import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MERGES } from '../test-app.ts'
import { type StructuredItem, structuredData } from './structured-data.ts'
import { openWebHarness, type WebHarness, withCounts } from './web-harness.ts'

let harness: WebHarness

beforeAll(async () => {
  harness = await openWebHarness()
})

afterAll(async () => {
  await harness[Symbol.asyncDispose]()
})

async function get(path: string): Promise<{ status: number; html: string; headers: Headers }> {
  const response = await harness.app.request(path)
  return { status: response.status, html: await response.text(), headers: response.headers }
}

function shownIds(html: string): readonly string[] {
  return [...html.matchAll(/data-comment-id="([^"]*)"/g)].map(([, id]) => id ?? '')
}

function hrefOf(html: string, attributes: RegExp): string {
  const tag = [...html.matchAll(/<a [^>]*>/g)].map(([text]) => text).find((text) => attributes.test(text))
  return (/href="([^"]*)"/.exec(tag ?? '')?.[1] ?? '').replaceAll('&amp;', '&')
}

describe('the list of a product', () => {
  it('shows the newest comments, with what each has', async () => {
    const { status, html } = await get('/p/42')
    expect(status).toBe(200)
    expect(shownIds(html)).toHaveLength(20)
    expect(shownIds(html)[0]).toBe('42-0129')
    expect(html).toContain('>Comments on product <span dir="auto" class="product-id">42</span></data></h1>')
    expect(html).toContain('aria-label="Rated 4 out of 5"')
    expect(html).toMatch(/<time datetime="2026-01-1\d/)
    expect(html).toContain('edited')
    expect(html).toContain('lang="ar"')
  })

  it('filters by language and any set of ratings, as the form sends them', async () => {
    const { html } = await get('/p/42?rating=1&rating=2&language=en&order=&limit=')
    const ids = new Set(shownIds(html))
    expect(ids.size).toBeGreaterThan(0)
    expect(html).not.toContain('aria-label="Rated 5 out of 5"')
    expect(html).toMatch(/value="1" id="rating-1" checked=""/)
    expect(html).not.toMatch(/value="5" id="rating-5" checked/)
    expect(html).toMatch(/<option value="en" selected="">/)
    expect((await get('/p/42?rating=1,2&language=en')).html.match(/data-comment-id/g)).toHaveLength(ids.size)
  })

  it('walks to the end by Next and back by Previous, each comment once', async () => {
    const pages: (readonly string[])[] = []
    let path = '/p/42?limit=50&order=oldest'
    let html = ''
    for (; path !== ''; path = hrefOf(html, /rel="next"/)) {
      html = (await get(path)).html
      pages.push(shownIds(html))
    }
    expect(pages.map(({ length }) => length)).toEqual([50, 50, 30])
    expect(new Set(pages.flat()).size).toBe(130)
    expect(html).not.toContain('Next page')
    const before = await get(hrefOf(html, /rel="prev"/))
    expect(shownIds(before.html)).toEqual(pages[1])
  })

  it('has a chip for each value chosen that links to the list without it, from the first page', async () => {
    const { html } = await get('/p/42?rating=4&rating=5&language=de&order=oldest&limit=10')
    expect(hrefOf(html, /Remove filter: 4 stars/)).toBe('/p/42?language=de&rating=5&order=oldest&limit=10')
    expect(hrefOf(html, /Remove filter: German/)).toBe('/p/42?rating=4&rating=5&order=oldest&limit=10')
    expect(hrefOf(html, /class="clear-all"/)).toBe('/p/42?order=oldest&limit=10')
    expect(html).toContain('<input type="hidden" name="limit" value="10"/>')
  })

  it('shows no counts while no statistics exist, and says what was read', async () => {
    const { html } = await get('/p/few')
    expect(html).toContain('data-announce="7 comments"')
    expect(html).not.toContain('rating-count')
    expect(html).toContain('<section class="plan" aria-label="Query plan">')
    expect(html).not.toContain('aria-label="Pages"')
    expect(html).toContain(`${MERGES ? 'all[few]' : 'lists[few/~/~]'} BY position DESC LIMIT 20`)
    expect(html).toContain('7 shown of 7 read')
  })

  it('shows counts, shares and totals where statistics know them', async () => {
    await using counted = await openWebHarness({ change: withCounts })
    const html = await (await counted.app.request('/p/42?language=en')).text()
    expect(html).toContain('data-announce="10,510 comments, 20 shown"')
    expect(html).toContain('Page 1 of 526')
    expect(html).toMatch(/6,023<span class="visually-hidden"> comments, <\/span>/)
    expect(html).toContain('<span class="rating-share">57%</span>')
    expect(html).toContain('<option value="en" selected="">English (7,804)</option>')
    expect(html).not.toContain('Italian (')
    expect(html).toContain('<time datetime="2026-02-03T04:05:06.000Z"')
  })

  it('has a search that goes to any product id', async () => {
    for (const id of ['a/b', '100%', 'x#y?z&q', '~', 'Kettle ☕', '"><script>', '</title>']) {
      const response = await harness.app.request(`/?product=${encodeURIComponent(id)}`)
      const location = response.headers.get('Location') ?? ''
      expect(response.status).toBe(303)
      const { status, html } = await get(location)
      expect(status, id).toBe(200)
      const escaped = id
        .replaceAll('&', '&amp;')
        .replaceAll('"', '&quot;')
        .replaceAll('<', '&lt;')
        .replaceAll('>', '&gt;')
      expect(html).toContain(`<span dir="auto" class="product-id">${escaped}</span>`)
      expect(html).toContain('No comments yet')
      expect(html).not.toContain('id="filters"')
    }
  })
})

describe('what search engines and others are told', () => {
  it('is the product, its rating and its reviews, as schema.org has them', async () => {
    await using counted = await openWebHarness({ change: withCounts })
    const html = await (await counted.app.request('/p/42')).text()
    const [product, ...others] = structuredData(html)
    expect(others).toEqual([])
    expect(product?.type).toEqual(['https://schema.org/Product'])
    const { name, aggregateRating = [], review = [] } = product?.properties ?? {}
    expect(name).toEqual(['Product 42'])
    const [rating] = aggregateRating as readonly StructuredItem[]
    const [ratingValue] = rating?.properties.ratingValue ?? []
    expect(rating).toMatchObject({
      type: ['https://schema.org/AggregateRating'],
      properties: { ratingValue: [expect.any(Number)], reviewCount: [10_510] },
    })
    // The page shows both, as Google asks.
    expect(html).toContain(`>${Number(ratingValue).toFixed(1)}</data>`)
    expect(html).toContain('10,510 comments')
    const given = await harness.services.comments.list({ scope: '42', limit: 20 })
    expect(review).toMatchObject(
      given.items.map(({ author, createdAt, rating: stars }) => ({
        type: ['https://schema.org/Review'],
        properties: {
          reviewRating: [{ type: ['https://schema.org/Rating'], properties: { ratingValue: [stars] } }],
          author: [{ type: ['https://schema.org/Person'], properties: { name: [author] } }],
          datePublished: [createdAt],
          reviewBody: [expect.stringMatching(/./)],
        },
      })),
    )
  })

  it('has a title, a description and an address for each list', async () => {
    const title = async (path: string) => /<title>(.*?)<\/title>/.exec((await get(path)).html)?.[1]
    expect(await title('/p/42')).toBe('Product 42: comments – Lapidary')
    expect(await title('/p/42?rating=1&rating=2&language=de')).toBe(
      'Product 42: comments with 1 and 2 stars in German – Lapidary',
    )
    const { html } = await get('/p/few?explain=true')
    expect(html).toContain('<meta name="description" content="7 comments on product few, newest first."/>')
    expect(html).toContain('<link rel="canonical" href="/p/few"/>')
    expect((await get('/p/late')).html).toContain('content="1 comment on product late, newest first."')
  })

  it('says nothing of where a request claims to have come', async () => {
    for (const path of ['/', '/p/few', '/p/few?rating=5', '/docs', '/nothing']) {
      const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' }
      const response = await harness.app.request(`http://evil.example${path}`, { headers })
      expect(await response.text(), path).not.toMatch(/evil\.example|og:url|og:image/)
      expect(JSON.stringify([...response.headers]), path).not.toContain('evil.example')
    }
  })
})

describe('texts, numbers and dates', () => {
  it('are in the language that the reader likes best of those that there are', async () => {
    const german = async (path: string, accept = 'nl, de-AT;q=0.9, en;q=0.5') => {
      const response = await harness.app.request(path, { headers: { 'accept-language': accept } })
      expect(response.headers.get('content-language')).toBe('de-AT')
      expect(response.headers.get('vary')).toContain('Accept-Language')
      return response.text()
    }
    const list = await german('/p/42?rating=1&rating=2&language=pt-br')
    expect(list).toContain('<html lang="de-AT" dir="ltr">')
    expect(list).toContain(
      '<title>Produkt 42: Kommentare mit 1 und 2 Sternen auf Portugiesisch (Brasilien) – Lapidary</title>',
    )
    expect(list).toContain('Kommentar schreiben')
    expect(list).toContain('Filter entfernen: 2 Sterne')
    expect(await german('/p/late')).toContain('>28.02.2026</time>')
    expect(await german('/p/42?page=0')).toContain('Diese Adresse ist nicht lesbar')
  })

  it('are written as where the reader lives', async () => {
    const html = async (accept: string) => {
      const response = await harness.app.request('/p/late', { headers: { 'accept-language': accept } })
      expect(response.headers.get('vary')).toContain('Accept-Language')
      return response.text()
    }
    expect(await html('en-GB,en;q=0.8')).toMatch(/<html lang="en-GB" .*>28 Feb 2026</s)
    expect(await html('en-US')).toMatch(/<html lang="en-US" .*>Feb 28, 2026</s)
    // A page in none of the reader's languages is wholly in English.
    expect(await html('nl;q=0.9, x-y-z, *')).toMatch(/<html lang="en" .*>Feb 28, 2026</s)
  })

  it('the form is in the language of the browser', async () => {
    const chosen = async (accept: string) => {
      const response = await harness.app.request('/p/few', { headers: { 'accept-language': accept } })
      return /<option value="([^"]*)" selected="">/.exec(
        (await response.text()).split('id="write-language"')[1] ?? '',
      )?.[1]
    }
    expect(await chosen('pt-BR,en;q=0.5')).toBe('pt-br')
    expect(await chosen('de-AT')).toBe('de')
    expect(await chosen('nl-BE')).toBe('nl')
    expect(await chosen('')).toBe('en')
  })
})

describe('the switch of languages', () => {
  const choose = (language: string, referer?: string) =>
    harness.app.request('/language', {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...(referer === undefined ? {} : { referer }) },
      body: new URLSearchParams({ language }).toString(),
    })

  it('keeps the choice, and leads back to where it stood, on this site alone', async () => {
    const response = await choose('ja', 'http://localhost/p/42?rating=5#results')
    expect(response.status).toBe(303)
    expect(response.headers.get('Location')).toBe('/p/42?rating=5')
    expect(response.headers.get('Set-Cookie')).toBe('language=ja; Max-Age=31536000; Path=/; HttpOnly; SameSite=Lax')
    for (const [referer, location] of [
      [undefined, '/'],
      ['nonsense', '/'],
      ['https://evil.example/p/1', '/p/1'],
      ['http://localhost//evil.example/x', '/'],
      ['http://localhost/\\evil.example/x', '/'],
      ['http://localhost/p/42/comments', '/p/42'],
      ['http://localhost/p/42/comments/few-0001/vote', '/p/42'],
      ['http://localhost/p/42/comments/few-0001/delete', '/p/42'],
      ['http://localhost/p/42/comments/few-0001/edit', '/p/42/comments/few-0001/edit'],
      ['http://localhost/moderation/sign-in', '/moderation'],
      ['http://localhost/sign-out', '/'],
      ['http://localhost/language', '/'],
      ['http://localhost/p/42/comments/few-0001', '/p/42/comments/few-0001'],
    ] as const) {
      expect((await choose('ar', referer)).headers.get('Location'), referer).toBe(location)
    }
  })

  it('goes before what the browser says, which still tells where the reader lives', async () => {
    const lang = async (cookie: string, accept: string) => {
      const response = await harness.app.request('/p/few', { headers: { cookie, 'accept-language': accept } })
      expect(response.headers.get('vary')).toContain('Cookie')
      return response.headers.get('content-language')
    }
    expect(await lang('language=de', 'en-GB, de-AT;q=0.3')).toBe('de-AT')
    expect(await lang('language=ar', 'en-GB')).toBe('ar')
    expect(await lang('language=xx', 'en-GB')).toBe('en-GB')
    expect(await lang('language=de-AT', 'en-GB')).toBe('en-GB')
  })

  it('refuses what the pages do not speak', async () => {
    const response = await choose('tlh')
    expect(response.status).toBe(400)
    expect(response.headers.get('Set-Cookie')).toBeNull()
    expect(await response.text()).toContain('<code>language</code>')
  })
})

describe('the page of a comment', () => {
  it('is there under its product alone', async () => {
    const { status, html } = await get('/p/few/comments/few-0001')
    expect(status).toBe(200)
    expect(shownIds(html)).toEqual(['few-0001'])
    expect(html).toContain('<link rel="canonical" href="/p/few/comments/few-0001"/>')
    for (const path of ['/p/42/comments/few-0001', '/p/few/comments/none', `/p/few/comments/${'x'.repeat(129)}`]) {
      expect((await get(path)).status, path).toBe(404)
    }
  })

  it('has whatever id a stranger chose', async () => {
    const { html } = await get('/p/hostile')
    const href = hrefOf(html, /rel="bookmark"[^>]*/)
    expect((await get(href)).status).toBe(200)
    expect(hrefOf((await get('/p/hostile')).html, /hostile%22%3E%3Cb/)).toBe(
      '/p/hostile/comments/hostile%22%3E%3Cb%20id%3D',
    )
    expect(shownIds((await get('/p/hostile/comments/hostile%22%3E%3Cb%20id%3D')).html)).toHaveLength(1)
  })
})

describe('an empty list', () => {
  it('offers only the filters whose removal shows comments', async () => {
    const { html } = await get('/p/42?language=it&rating=5')
    expect(html).toContain('No comment passes all of these filters.')
    expect(html).toContain('Drop Italian: show any language')
    expect(html).not.toContain('show any rating')
    expect(hrefOf(html, /class="relaxation"/)).toBe('/p/42?rating=5')
  })

  it('offers the dates, and the whole list when no single filter helps', async () => {
    const { html } = await get('/p/42?language=it&from=2030-01-01T00:00:00Z')
    expect(html).toContain('Clear all: show every comment')
    expect(html).not.toContain('Drop Italian')
    expect((await get('/p/42?from=2030-01-01T00:00:00Z')).html).toContain('Drop the dates')
  })
})

describe('what people write', () => {
  it('is shown as text and stays within its place', async () => {
    const { html } = await get('/p/hostile')
    expect(html).toContain('&lt;script&gt;window.broken = 2&lt;/script&gt;')
    expect(html).toContain('&lt;/title&gt;&lt;script&gt;window.broken = 1')
    expect(html).toContain('data-comment-id="hostile&quot;&gt;&lt;b id="')
    expect(html.match(/<script/g)).toHaveLength(1)
    expect(html).not.toMatch(/<img|<b id|<svg onload/)
  })

  it('leaves no inline script, style or handler that a strict policy would block', async () => {
    for (const path of ['/', '/p/42', '/p/hostile', '/p/42?rating=9']) {
      const { html } = await get(path)
      expect(html).not.toMatch(/\sstyle="|<style|\son[a-z]+="[^"]*"[^<]*>|javascript:/)
      expect(html).not.toMatch(/<script(?![^>]*src=)/)
    }
  })
})

describe('a wrong address', () => {
  it('is told what is wrong with it, with a link to the whole list', async () => {
    const { status, html } = await get('/p/42?rating=9&limit=zz&order=best&language=%22%3E&page=0')
    expect(status).toBe(400)
    for (const name of ['rating', 'limit', 'order', 'language', 'page']) expect(html).toContain(`<code>${name}</code>`)
    expect(hrefOf(html, /class="button"/)).toBe('/p/42')
  })

  it('with a damaged cursor or one of another list leads to the first page of the same list', async () => {
    const { html } = await get('/p/42?limit=5')
    const next = new URL(hrefOf(html, /rel="next"/), 'http://localhost')
    const cursor = next.searchParams.get('cursor') ?? ''
    for (const path of ['/p/42?rating=5&cursor=nonsense', `/p/42?rating=5&cursor=${cursor}`]) {
      const answer = await get(path)
      expect(answer.status).toBe(400)
      expect(answer.html).toContain('This link leads nowhere')
      expect(answer.html).toMatch(/First page of this filter.*href="\/p\/42">All comments/s)
      expect(hrefOf(answer.html, /class="button"/)).toBe('/p/42?rating=5')
    }
  })

  it('never gives a 500', async () => {
    for (const path of [
      `/p/${'x'.repeat(129)}`,
      '/p/%00',
      '/p/42?from=yesterday',
      '/p/42?posted=nobody',
      '/?product=+',
    ]) {
      expect((await get(path)).status, path).toBeLessThan(500)
    }
    expect(harness.reported).toEqual([])
  })
})

describe('assets', () => {
  it('are sent without their comments', async () => {
    for (const name of ['style.css', 'enhance.js']) {
      const { html: content } = await get(`/assets/any/${name}`)
      expect(content.length).toBeGreaterThan(10_000)
      expect(content).not.toMatch(/^\s*(\/\*|\/\/)/m)
    }
  })

  it('are kept for ever under the address that the page names, and checked under another', async () => {
    const { html } = await get('/')
    const paths = [...html.matchAll(/"(\/assets\/[^"]+)"/g)].map(([, path]) => path ?? '')
    expect(paths).toHaveLength(3)
    for (const path of paths) {
      const { status, headers } = await get(path)
      expect(status).toBe(200)
      expect(headers.get('Cache-Control')).toBe('public, max-age=31536000, immutable')
    }
    const old = await harness.app.request('/assets/older/style.css')
    expect(old.headers.get('Cache-Control')).toBe('no-cache')
    const etag = old.headers.get('ETag') ?? ''
    const again = await harness.app.request('/assets/older/style.css', { headers: { 'If-None-Match': etag } })
    expect(again.status).toBe(304)
    expect((await get('/assets/x/..%2f..%2fpackage.json')).status).toBe(404)
  })
})
