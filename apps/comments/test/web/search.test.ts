import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Catalogue, Product } from '../../src/catalogue/catalogue.ts'
import { nameSearch } from '../../src/catalogue/find-by-name.ts'
import { openBrowser, PHONE, type TestBrowser } from './test-browser.ts'
import { openWebHarness, type WebHarness, WRITER_TOKEN } from './web-harness.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const PRODUCTS: readonly Product[] = [
  { id: '42', name: 'Crème brûlée burner', picture: 'headphones-emerald.svg' },
  { id: 'few', name: 'Crème fraîche jar <b>"' },
  { id: 'ice/cream', name: 'Ice cream maker' },
  ...Array.from({ length: 60 }, (_, i) => ({ id: `pen-${i}`, name: `Pen ${i}` })),
]
/** What the catalogue was asked to find. */
const asked: string[] = []
const find = nameSearch(PRODUCTS)
const catalogue: Catalogue = {
  get: async (id) => PRODUCTS.find((product) => product.id === id),
  // One that gives more than it was asked for.
  find: async (text) => {
    asked.push(text)
    return find(text, PRODUCTS.length)
  },
}

let harness: WebHarness
let bare: WebHarness
let browser: TestBrowser

beforeAll(async () => {
  harness = await openWebHarness({ catalogue })
  bare = await openWebHarness()
  browser = await openBrowser(await harness.listen())
})
afterAll(async () => {
  await browser?.close()
  await harness?.[Symbol.asyncDispose]()
  await bare?.[Symbol.asyncDispose]()
})
afterEach(async () => {
  await browser.closePages()
  expect(harness.reported).toEqual([])
})

const HTML = { headers: { accept: 'text/html' } }
const at = (path: string, of: WebHarness = harness) => of.app.request(path, HTML)
const hrefs = (html: string): readonly string[] =>
  [...html.matchAll(/class="suggestion" href="([^"]+)"/g)].map(([, href = '']) => href)

describe('a search, without a script', () => {
  it('leads to the product whose id was typed', async () => {
    const response = await at('/?product=%20few%20')
    expect([response.status, response.headers.get('location')]).toEqual([303, '/p/few'])
  })

  it('shows the products of a name, whatever its accents and capitals', async () => {
    for (const typed of ['creme', 'CRÈME', 'crème'.normalize('NFD')]) {
      const html = await (await at(`/?${new URLSearchParams({ product: typed })}`)).text()
      expect(hrefs(html)).toEqual(['/p/42', '/p/few'])
      expect(html).toContain('2 products for')
      expect(html).toContain('Crème fraîche jar &lt;b&gt;&quot;')
    }
    expect(hrefs(await (await at('/?product=cream')).text())).toEqual(['/p/ice%2Fcream'])
  })

  it('says that there is none, and that it shows the first of many', async () => {
    const none = await at('/?product=%3Cscript%3E')
    expect(none.status).toBe(200)
    expect(await none.text()).toContain('No product for “&lt;script&gt;”')
    const many = await (await at('/?product=pen')).text()
    expect(hrefs(many)).toHaveLength(50)
    expect(many).toContain('These are the first 50.')
  })

  it('is by id where there is no catalogue', async () => {
    const response = await at('/?product=creme', bare)
    expect([response.status, response.headers.get('location')]).toEqual([303, '/p/creme'])
    const home = await (await at('/', bare)).text()
    expect(home).toContain('Product id')
    expect(home).not.toContain('listbox')
    expect(await (await at('/suggestions?product=creme', bare)).text()).toBe('')
  })
})

describe('a product that the catalogue does not know', () => {
  it.each(['/p/unknown', '/p/unknown?rating=5&explain=true', '/p/unknown/comments/42-0001'])(
    'is 404: %s',
    async (path) => {
      const response = await at(path)
      expect(response.status).toBe(404)
      const html = await response.text()
      expect(html).toContain('There is no such product')
      expect(html).not.toContain('href="/p/unknown')
      expect(html).toContain('role="listbox"')
    },
  )

  it('takes no comment', async () => {
    const body = new URLSearchParams({
      token: WRITER_TOKEN,
      rating: '5',
      language: 'en',
      title: '',
      text: 'x',
      author: 'A',
    })
    const response = await harness.app.request('/p/unknown/comments', { ...HTML, method: 'POST', body })
    expect(response.status).toBe(404)
    expect((await harness.services.comments.list({ scope: 'unknown' })).items).toEqual([])
  })

  it('is a problem for programs', async () => {
    const response = await at('/p/%0A')
    expect(response.status).toBe(400)
  })

  it('has a page where there is no catalogue', async () => {
    expect((await at('/p/unknown', bare)).status).toBe(200)
  })
})

describe('suggestions', () => {
  const field = (page: Page) => page.locator('input[name=product]')
  const options = (page: Page) => page.locator('.suggestions').getByRole('option')
  const chosen = (page: Page) =>
    page.evaluate<string | null>(
      `document.getElementById(document.querySelector('input[name=product]').getAttribute('aria-activedescendant'))?.querySelector('.suggestion-name').textContent ?? null`,
    )

  it('come once, after a pause, and are gone through by keyboard', async () => {
    const page = await browser.open('/')
    expect(await page.getByRole('combobox', { name: 'Product name or number' }).count()).toBe(1)
    asked.length = 0
    await field(page).pressSequentially('creme', { delay: 5 })
    await options(page).nth(1).waitFor()
    expect(asked).toEqual(['creme'])
    expect(await field(page).getAttribute('aria-expanded')).toBe('true')
    expect(await page.locator('#announcer').textContent()).toBe('2 suggestions, to be reached with the arrow keys')
    expect(await chosen(page)).toBeNull()
    await page.keyboard.press('ArrowDown')
    expect(await chosen(page)).toBe('Crème brûlée burner')
    await page.keyboard.press('ArrowDown')
    expect(await chosen(page)).toContain('Crème fraîche')
    await page.keyboard.press('ArrowDown')
    expect(await chosen(page)).toBeNull()
    await page.keyboard.press('ArrowUp')
    expect(await chosen(page)).toContain('Crème fraîche')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/p/few')
  })

  it('close by Escape and come back by an arrow, and Enter in the field asks for the page of results', async () => {
    const page = await browser.open('/')
    await field(page).pressSequentially('creme')
    await options(page).first().waitFor()
    await page.keyboard.press('Escape')
    expect(await options(page).first().isVisible()).toBe(false)
    expect(await field(page).inputValue()).toBe('creme')
    await page.keyboard.press('ArrowDown')
    await options(page).first().waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL('**/?product=creme')
    expect(await page.locator('.found-products li').count()).toBe(2)
  })

  it('are at most eight, lead on by a click, and tell where there are none', async () => {
    const page = await browser.open('/p/42', { viewport: PHONE, hasTouch: true })
    await field(page).click()
    await page.keyboard.type('pen')
    await options(page).nth(7).waitFor()
    expect(await options(page).count()).toBe(8)
    await page.keyboard.type('guin')
    await page.getByText('No product has this name').waitFor({ state: 'attached' })
    expect(await options(page).first().isVisible()).toBe(false)
    await field(page).fill('brulee')
    await options(page).first().tap()
    await page.waitForURL('**/p/42')
  })

  it.each(['light', 'dark'] as const)('have no violations, %s', async (colorScheme) => {
    for (const path of ['/', '/p/42', '/?product=creme', '/p/unknown']) {
      const page = await browser.open(path, { colorScheme })
      await field(page).fill('creme b')
      await options(page).first().waitFor()
      await page.keyboard.press('ArrowDown')
      await page.evaluate(AXE)
      const found = await page.evaluate<readonly string[]>(
        'axe.run().then(({ violations }) => violations.map(({ id }) => id))',
      )
      expect(found, path).toEqual([])
    }
  })
})
