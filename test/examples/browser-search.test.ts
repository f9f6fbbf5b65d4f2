import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { openBrowser, type TestBrowser } from '../../apps/comments/test/web/test-browser.ts'
import { havingWords } from '../../examples/browser-search/page/having.js'
import { all, reviews } from '../../examples/browser-search/reviews.ts'
import { createSearchServer } from '../../examples/browser-search/server.ts'
import { type ExampleDatabase, forEach, openExample } from '../../examples/example.ts'

let database: ExampleDatabase<{ reviews: typeof reviews }>
let server: Server
let browser: TestBrowser

beforeAll(async () => {
  database = await openExample({ reviews })
  await forEach(all, (review) => database.lapidary.reviews.create(review))
  server = createSearchServer(database.lapidary.reviews).listen(0, '127.0.0.1')
  await once(server, 'listening')
  browser = await openBrowser(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})

afterAll(async () => {
  await browser?.close()
  server?.closeAllConnections()
  server?.close()
  await database?.[Symbol.asyncDispose]()
})

afterEach(() => browser.closePages())

const having = havingWords('Weak  BATTERY')
const idsOf = (product: string) =>
  all.filter((review) => review.productId === product && having(review)).map(({ id }) => id)

async function search(product: string) {
  const page = await browser.open(`/?product=${product}`)
  const asked: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/reviews?')) asked.push(request.url())
  })
  const ids = () => page.locator('#reviews li').evaluateAll((items) => items.map(({ id }) => id))
  return { page, asked, ids }
}

it('keeps the few reviews of a product, and searches them without a request, also after a reload', async () => {
  const { page, asked, ids } = await search('p1')
  await page.getByText('40 reviews, read for').waitFor()
  await page.fill('#words', 'Weak  BATTERY')
  await page.getByText('10 reviews, kept here').waitFor()
  expect(await ids()).toEqual(idsOf('p1').toReversed())
  await page.reload()
  await page.getByText('40 reviews, kept here').waitFor()
  await page.fill('#words', 'no such words')
  await page.getByText('0 reviews, kept here').waitFor()
  expect(asked).toEqual([])
})

it('asks the server to search many', async () => {
  const { page, asked, ids } = await search('p2')
  await page.getByText('20 reviews, read for').waitFor()
  await page.fill('#words', 'Weak  BATTERY')
  await expect.poll(ids).toEqual(idsOf('p2').toReversed().slice(0, 20))
  expect(asked).toHaveLength(1)
  expect(await page.evaluate('sessionStorage.length')).toBe(0)
})
