import type { AnyCollection, CollectionClient, Collections, DatabaseServices } from 'lapidary'
import { importItems } from 'lapidary/transfer'
import { startStudio } from 'lapidary-studio'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { openBrowser, type TestBrowser } from '../../../apps/comments/test/web/test-browser.ts'
import { openExample } from '../../../examples/example.ts'
import { tickets, all as ticketsOfADesk } from '../../../examples/help-desk/tickets.ts'
import { listings, all as listingsOfARegion } from '../../../examples/listings/listings.ts'
import { orders, all as ordersOfAShop } from '../../../examples/revenue/orders.ts'
import { pairs } from '../../../test/engines/draws.ts'
import { sessionOf, tooWide, violations } from './looked-at.ts'

interface Browsed {
  readonly collections: Collections
  readonly items: Iterable<object>
  readonly derived: { readonly counts: boolean; readonly columns?: boolean }
  readonly pages: readonly string[]
  /** What a page says, by its address. */
  readonly says: Readonly<Record<string, readonly string[]>>
}

const free = (passes: (listing: (typeof listingsOfARegion)[number]) => boolean): string =>
  listingsOfARegion.filter((listing) => listing.status === 'free' && passes(listing)).length.toLocaleString('en')
const FREE = '/c/listings?scope=north&is.status=free&from.price=400&to.price=1000'
const HOUSES = `${FREE}&where=${encodeURIComponent('{"OR":[{"type":"house"},{"balcony":true}]}')}`

const EXAMPLES: Readonly<Record<string, Browsed>> = {
  listings: {
    ...{ collections: { listings }, items: listingsOfARegion, derived: { counts: true, columns: true } },
    pages: ['/c/listings', FREE, HOUSES, '/c/listings?scope=north&page=40', '/c/listings/item?id=l10007', '/operate'],
    says: {
      [FREE]: [`${free(({ price }) => price >= 400 && price < 1000)} items`, 'COLUMNS[north]'],
      [HOUSES]: [
        `${free(({ price, type, balcony }) => price >= 400 && price < 1000 && (type === 'house' || balcony))} items`,
      ],
      '/c/listings/item?id=l10007': ['In 2 lists', 'LISTING/north/area%203'],
    },
  },
  'help-desk': {
    ...{ collections: { tickets }, items: ticketsOfADesk, derived: { counts: true, columns: true } },
    pages: ['/c/tickets', '/c/tickets?scope=europe&is.tags=vip&not.channel=web', '/c/tickets/item?id=t10011'],
    says: {
      '/c/tickets?scope=europe&is.tags=vip&not.channel=web': [
        `${ticketsOfADesk.filter(({ tags, channel }) => tags.includes('vip') && channel !== 'web').length.toLocaleString('en')} items`,
      ],
    },
  },
  revenue: {
    ...{ collections: { orders }, items: ordersOfAShop, derived: { counts: true } },
    pages: ['/c/orders', '/c/orders?scope=c1&is.status=PAID', '/c/orders/item?id=o10007', '/operate'],
    says: { '/c/orders': ['3,000 items', 'by-revenue', '70,632.26'] },
  },
}

describe.each(Object.entries(EXAMPLES))('the example of %s in the studio', (_, example) => {
  const { collections, items, derived, pages, says } = example
  const opened: AsyncDisposable[] = []
  let browser: TestBrowser
  let cookie = ''

  beforeAll(async () => {
    const database = await openExample(collections, { derived, stream: { immediate: true } })
    opened.push(database)
    const { lapidary } = database
    const [[name, collection]] = Object.entries(collections) as [[string, AnyCollection]]
    const client = (lapidary as Readonly<Record<string, unknown>>)[name] as CollectionClient<unknown>
    await importItems(client, items as never, { derived: 'now' })
    const studio = await startStudio({
      ...{ database: lapidary as DatabaseServices, collections: { [name]: { collection, client } } },
      place: 'an example in an engine of the tests',
    })
    opened.push(studio)
    const entered = await fetch(studio.url, { redirect: 'manual' })
    cookie = entered.headers.get('set-cookie')?.split(';')[0] ?? ''
    browser = await openBrowser(new URL(studio.url).origin)
  })
  afterAll(async () => {
    await browser?.close()
    for (const each of opened.reverse()) await each[Symbol.asyncDispose]()
  })
  afterEach(() => browser.closePages())

  it.each(pairs(['light', 'dark'] as const, [1440, 390]))(
    'has no violation and fits, %s, %i pixels wide',
    async (colorScheme, width) => {
      for (const path of pages) {
        const page = await browser.open(path, {
          ...{ colorScheme, viewport: { width, height: 900 }, bypassCSP: true, storageState: sessionOf(cookie) },
        })
        await page.evaluate(`for (const each of document.querySelectorAll('main details')) each.open = true`)
        expect([path, await violations(page)]).toEqual([path, []])
        expect([path, await tooWide(page)]).toEqual([path, []])
        await page.context().close()
      }
    },
  )

  it('says what a filter in memory gives', async () => {
    for (const [path, texts] of Object.entries(says)) {
      const page = await browser.open(path, { storageState: sessionOf(cookie) })
      await page.locator('[data-counting]').waitFor({ state: 'detached' })
      const said = (await page.locator('main').textContent()) ?? ''
      for (const text of texts) expect(said).toContain(text)
    }
  })
})
