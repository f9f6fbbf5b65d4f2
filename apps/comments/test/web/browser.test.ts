import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { CHOSEN, MERGES } from '../test-app.ts'
import { DESKTOP, openBrowser, PHONE, type TestBrowser } from './test-browser.ts'
import { openWebHarness, type WebHarness, WRITER_TOKEN } from './web-harness.ts'

let harness: WebHarness
let browser: TestBrowser
let open: TestBrowser['open']

beforeAll(async () => {
  harness = await openWebHarness({ statistics: true })
  browser = await openBrowser(await harness.listen())
  open = browser.open
})

afterAll(async () => {
  await browser?.close()
  await harness?.[Symbol.asyncDispose]()
})

afterEach(() => browser.closePages())

const ratingsShown = (page: Page) =>
  page
    .locator('article .stars')
    .evaluateAll((stars) => [...new Set(stars.map((star) => star.getAttribute('aria-label')))])

const focusedId = (page: Page) => page.evaluate<string>('document.activeElement?.id ?? ""')

const settled = (page: Page) => page.locator('main:not([aria-busy])').waitFor()

describe('filters', () => {
  it('apply at once by keyboard, in any combination, and keep the focus', async () => {
    const page = await open('/p/42')
    await page.locator('#rating-1').focus()
    await page.keyboard.press('Space')
    await page.waitForURL('**/p/42?rating=1')
    await page.locator('.chip').waitFor()
    expect(await focusedId(page)).toBe('rating-1')
    expect(await ratingsShown(page)).toEqual(['Rated 1 out of 5'])
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('Space')
    await page.waitForURL('**/p/42?rating=2&rating=1')
    await page.locator('.chip').nth(1).waitFor()
    expect(await focusedId(page)).toBe('rating-2')
    expect((await ratingsShown(page)).sort()).toEqual(['Rated 1 out of 5', 'Rated 2 out of 5'])
    expect(await page.locator('#announcer').textContent()).toMatch(/^\d+ comments/)
    expect(await page.locator('.apply').isVisible()).toBe(false)
  })

  it('come off by their chips, and come back with the browser', async () => {
    const page = await open('/p/42')
    await page.selectOption('#language', 'de')
    await page.locator('.chip', { hasText: 'German' }).waitFor()
    await page.check('#rating-5')
    await page.locator('.chip', { hasText: '5 stars' }).waitFor()
    await page.getByRole('link', { name: 'Remove filter: German' }).click()
    await page.waitForURL('**/p/42?rating=5')
    await page.locator('.chip', { hasText: 'German' }).waitFor({ state: 'detached' })
    expect(await focusedId(page)).toBe('chip-0')
    await page.goBack()
    await page.locator('.chip', { hasText: 'German' }).waitFor()
    expect(await page.inputValue('#language')).toBe('de')
    expect(await page.isChecked('#rating-5')).toBe(true)
    await page.goBack()
    await page.locator('.chip', { hasText: '5 stars' }).waitFor({ state: 'detached' })
    expect(await page.isChecked('#rating-5')).toBe(false)
    await page.goForward()
    await page.locator('.chip', { hasText: '5 stars' }).waitFor()
    await page.getByRole('link', { name: 'Clear all' }).click()
    await page.waitForURL('**/p/42')
  })

  it('changed in haste end with the last choice', async () => {
    const page = await open('/p/42')
    for (const rating of [1, 2, 3, 4]) await page.locator(`#rating-${rating}`).check()
    await page.waitForURL((url) => url.searchParams.getAll('rating').length === 4)
    await page.locator('.chip').nth(3).waitFor()
    await settled(page)
    expect(await ratingsShown(page)).not.toContain('Rated 5 out of 5')
  })

  it('keep what was opened and typed', async () => {
    const page = await open('/p/42')
    await page.locator('#plan > summary').click()
    await page.getByRole('link', { name: 'Write a comment' }).click()
    await page.locator('#write-rating-4').check()
    expect(await page.getByText('4 – Good').isVisible()).toBe(true)
    await page.fill('#write-title', 'Half a thought')
    expect(await page.locator('[data-counter="write-title"]').textContent()).toBe('14 of 200')
    await page.check('#rating-4')
    await page.locator('.chip').waitFor()
    expect(await page.inputValue('#write-title')).toBe('Half a thought')
    expect(await page.locator('#plan[open]').count()).toBe(1)
  })
})

describe('the way to the form', () => {
  it.each([DESKTOP.width, 1024, 375])('is a button of one line, %i pixels wide', async (width) => {
    const page = await open('/p/42', { viewport: { width, height: 700 } })
    // The page's scripts are texts here: these tests compile without the names of a browser.
    const lines = await page.evaluate(`{
      const words = document.createRange()
      words.selectNodeContents(document.querySelector('.write-link'))
      new Set([...words.getClientRects()].map(({ top }) => top)).size
    }`)
    expect(lines).toBe(1)
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0)
  })
})

describe('the link to the form', () => {
  it.each([DESKTOP, PHONE])('shows its heading too, and opens it, %o', async (viewport) => {
    const page = await open('/p/42', { viewport })
    await page.getByRole('link', { name: 'Write a comment' }).click()
    const heading = await page.locator('#write > summary').boundingBox()
    expect(await page.locator('#write[open]').count()).toBe(1)
    expect(heading?.y).toBeGreaterThanOrEqual(0)
    expect(heading?.y).toBeLessThan(viewport.height / 2)
  })
})

describe('without a connection', () => {
  it('a filter, a chip and a page keep the list, with its filter and its address, and say so', async () => {
    const page = await open('/p/42?language=en')
    const first = await page.locator('article').first().getAttribute('data-comment-id')
    const notice = page.locator('#offline', { hasText: 'No connection. The list is as it was' })
    expect(await notice.isVisible()).toBe(false)
    await page.route('**/p/42**', (route) => route.abort('internetdisconnected'))
    for (const act of [
      () => page.locator('#rating-1').click(),
      () => page.getByRole('link', { name: 'Remove filter: English' }).click(),
      () => page.getByRole('link', { name: 'Next page' }).click(),
    ]) {
      await act()
      await expect.poll(() => notice.isVisible()).toBe(true)
      await settled(page)
      expect(await page.locator('article').first().getAttribute('data-comment-id')).toBe(first)
      expect(await page.isChecked('#rating-1')).toBe(false)
      expect(new URL(page.url()).search).toBe('?language=en')
      expect((await page.locator('#announcer').textContent())?.trim()).toMatch(/^No connection/)
    }
    await page.unroute('**/p/42**')
    await page.locator('#rating-1').click()
    await page.waitForURL('**rating=1&language=en')
    expect(await notice.isVisible()).toBe(false)
  })

  it('going back keeps the list on show, and its address', async () => {
    const page = await open('/p/42')
    await page.locator('#rating-1').click()
    await page.waitForURL('**rating=1')
    await settled(page)
    await page.route('**/p/42**', (route) => route.abort('internetdisconnected'))
    await page.goBack()
    await page.locator('#offline', { hasText: 'No connection. The list is as it was' }).waitFor()
    expect(new URL(page.url()).search).toBe('?rating=1')
    expect(await page.isChecked('#rating-1')).toBe(true)
  })
})

describe('pages', () => {
  it('turn by Next and Previous, with the focus on the new list', async () => {
    const page = await open('/p/42')
    const first = await page.locator('article').first().getAttribute('data-comment-id')
    await page.getByRole('link', { name: 'Next page' }).click()
    await page.waitForURL('**cursor=**')
    await page.getByRole('link', { name: 'Previous page' }).waitFor()
    expect(await focusedId(page)).toBe('results')
    expect(await page.locator('article').first().getAttribute('data-comment-id')).not.toBe(first)
    await page.goBack()
    await page.locator(`article[data-comment-id="${first}"]`).waitFor()
    expect(new URL(page.url()).search).toBe('')
  })
})

describe('the query plan', () => {
  it('opens, and is copied as JSON', async () => {
    const page = await open('/p/42?rating=1&rating=3&language=en', {
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    const panel = page.getByRole('region', { name: 'Query plan' })
    expect(await panel.locator('.plan-line').textContent()).toMatch(/^Read for [\d.]+ RCU in \d rounds?\.$/)
    await panel.getByText('How was this list read?').click()
    const facts = new RegExp(`request.*ms.*shown of.*layout ${CHOSEN.name}`, 's')
    expect(await panel.locator('.plan-facts').textContent()).toMatch(facts)
    expect(await panel.getByRole('img', { name: /shown, \d+ read ahead/ }).count()).toBe(MERGES ? 2 : 1)
    // Nothing was chosen if one list is the only plan.
    expect(await panel.locator('tr.chosen').count()).toBe(MERGES ? 1 : 0)
    expect((await panel.locator('tr.rejected').count()) > 0).toBe(MERGES)
    await panel.getByRole('button', { name: 'Copy as JSON' }).click()
    await panel.getByRole('button', { name: 'Copied' }).waitFor()
    await panel.locator('.sent-row').first().click()
    await panel.getByRole('button', { name: 'Copy', exact: true }).click()
    await page.waitForFunction(`navigator.clipboard.readText().then((text) => text.startsWith('aws dynamodb '))`)
    await panel.getByRole('button', { name: 'Copy as JSON' }).click()
    await page.waitForFunction(`navigator.clipboard.readText().then((text) => text.startsWith('{'))`)
    const copied = JSON.parse(await page.evaluate<string>('navigator.clipboard.readText()'))
    expect(copied).toMatchObject({ tree: { kind: 'limit' }, slots: expect.any(Array), actual: { itemsReturned: 10 } })
  })

  it.runIf(MERGES)('draws how lists became the page: each slot is of the list that its comment is in', async () => {
    const page = await open('/p/42?rating=1&rating=4&language=en&explain=true')
    const lists = await page.locator('.list-number').allTextContents()
    const names = await page.locator('.list-number + code').allTextContents()
    const slots = await page.locator('.ribbon-number').allTextContents()
    const shown = await page
      .locator('article .stars')
      .evaluateAll((stars) => stars.map((star) => star.getAttribute('aria-label')?.slice(6, 7)))
    expect(slots.map((slot) => names[lists.indexOf(slot)]?.at(-2))).toEqual(shown)
  })

  it('stands after the list, and before it where the reader wants that, for as long as they do', async () => {
    const page = await open('/p/42')
    const isFirst = () =>
      page.evaluate<boolean>(
        '!!document.querySelector("#plan[open]") && document.querySelector("#plan").getBoundingClientRect().y < document.querySelector("article").getBoundingClientRect().y',
      )
    expect(await isFirst()).toBe(false)
    await page.getByRole('button', { name: 'Query plans first' }).click()
    await page.locator('#plan[open]').waitFor()
    expect(await isFirst()).toBe(true)
    await page.getByRole('link', { name: 'Next page' }).click()
    await page.waitForURL('**cursor=**')
    expect(await isFirst()).toBe(true)
    await page.getByRole('button', { name: 'Query plans first' }).click()
    await page.locator('#plan:not([open])').waitFor()
    expect(await isFirst()).toBe(false)
    await page.goto(new URL('/p/42?explain=true', page.url()).href)
    expect(await isFirst()).toBe(true)
    await page.check('#rating-5')
    await page.waitForURL('**rating=5&explain=true')
  })
})

describe('writing', () => {
  it('publishes, confirms, and keeps the token for the tab', async () => {
    const page = await open('/p/browser')
    await page.locator('#write-rating-4').check()
    await page.fill('#write-text', 'Written in a browser')
    await page.fill('#write-author', 'Wren')
    await page.fill('#write-token', WRITER_TOKEN)
    await page.getByRole('button', { name: 'Publish comment' }).click()
    await page.getByText('Your comment is published.').waitFor()
    expect(await page.locator('article.comment-new').textContent()).toContain('Written in a browser')
    expect(await page.inputValue('#write-token')).toBe(WRITER_TOKEN)
  })
})

describe('without JavaScript', () => {
  it('filters by Apply, turns pages and shows the plan', async () => {
    const page = await open('/p/42', { javaScriptEnabled: false })
    await page.locator('#rating-5').check()
    await page.selectOption('#language', 'en')
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.waitForURL('**rating=5**')
    expect(await page.locator('article').count()).toBe(20)
    expect(await page.locator('article [aria-label="Rated 5 out of 5"]').count()).toBe(20)
    await page.getByRole('link', { name: 'Next page' }).click()
    await page.waitForURL('**cursor=**')
    await page.locator('#plan > summary').click()
    expect(await page.locator('.plan-json > .plan-copy').isVisible()).toBe(false)
    await page.getByText('The plan as JSON').click()
    expect(await page.locator('#plan-json').textContent()).toContain('"tree"')
  })

  it('opens the filter on a phone', async () => {
    const page = await open('/p/42', { javaScriptEnabled: false, viewport: PHONE })
    expect(await page.locator('#language').isVisible()).toBe(false)
    await page.locator('#filters-open').focus()
    await page.keyboard.press('Space')
    expect(await page.locator('#language').isVisible()).toBe(true)
    await page.locator('#rating-1').check()
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.waitForURL('**rating=1**')
  })

  it('opens a long comment by its link', async () => {
    const page = await open('/p/long', { javaScriptEnabled: false })
    const text = page.locator('.comment-text')
    const height = async () => (await text.boundingBox())?.height ?? 0
    const short = await height()
    await page.getByRole('link', { name: 'Read more of A long story' }).click()
    expect(await height()).toBeGreaterThan(2 * short)
  })
})

describe('the language of the pages', () => {
  it.each([true, false])('is chosen at the foot, kept, and left again, with scripts: %s', async (javaScriptEnabled) => {
    const page = await open('/p/42?rating=5', { javaScriptEnabled, locale: 'en-US' })
    await page.getByRole('button', { name: 'العربية' }).click()
    await page.getByRole('heading', { name: 'التصفية' }).waitFor()
    expect(new URL(page.url()).search).toBe('?rating=5')
    expect(await page.locator('html').getAttribute('dir')).toBe('rtl')
    await page.goto(new URL('/', page.url()).href)
    expect(await page.locator('html').getAttribute('lang')).toBe('ar')
    await page.getByRole('button', { name: 'Deutsch' }).click()
    await page.getByRole('link', { name: 'Kommentare lesen' }).waitFor()
    expect(await page.locator('html').getAttribute('dir')).toBe('ltr')
    expect(await page.locator('.languages [aria-current]').textContent()).toBe('Deutsch')
  })
})

describe('the filter on a phone', () => {
  it('is a sheet that stays open while it is used, tells how many comments it shows, and leads to them', async () => {
    const page = await open('/p/42', { viewport: PHONE })
    const button = page.locator('#filters-open')
    expect(await button.getAttribute('aria-expanded')).toBe('false')
    await button.click()
    await page.locator('#rating-1').check()
    await page.locator('#rating-2').check()
    await page.waitForURL('**rating=2&rating=1')
    await settled(page)
    const total = Number.parseInt((await page.locator('#results').textContent()) ?? '', 10)
    await page.locator('#filters-open[aria-expanded=true]').waitFor()
    await page.getByRole('button', { name: `Show ${total} comments` }).click()
    expect(await page.locator('#filters').isVisible()).toBe(false)
    await page.locator('#filters-open[aria-expanded=false]').waitFor()
    expect(await focusedId(page)).toBe('results')
    expect(await page.locator('#results').isVisible()).toBe(true)
    await button.click()
    await page.locator('#filters-sheet').getByRole('link', { name: 'Clear' }).click()
    await page.waitForURL('**/p/42')
  })

  it('has its histogram in sight, of which each column adds its rating or takes it away', async () => {
    const page = await open('/p/42', { viewport: PHONE })
    await page.getByRole('link', { name: /^With 5 stars, \d+ comments$/ }).click()
    await page.waitForURL('**/p/42?rating=5')
    await page.getByRole('link', { name: /^Without 5 stars/ }).click()
    await page.waitForURL('**/p/42')
    const counts = await page.locator('.rating-links small').allInnerTexts()
    expect(counts.reduce((sum, count) => sum + Number(count), 0)).toBe(130)
  })
})

describe('a comment', () => {
  it('has an address of its own, with a way to the others', async () => {
    const page = await open('/p/42')
    const first = page.locator('article').first()
    const id = await first.getAttribute('data-comment-id')
    await first.locator('.comment-link').click()
    await page.waitForURL(`**/p/42/comments/${id}`)
    expect(await page.locator('article').getAttribute('data-comment-id')).toBe(id)
    await page.getByRole('link', { name: 'All comments' }).click()
    await page.waitForURL('**/p/42')
  })

  it('opens in its place when it is long, and keeps the address', async () => {
    const page = await open('/p/long')
    const height = async () => (await page.locator('.comment-text').boundingBox())?.height ?? 0
    const short = await height()
    await page.getByRole('link', { name: 'Read more' }).click()
    expect(await height()).toBeGreaterThan(2 * short)
    expect(new URL(page.url()).hash).toBe('')
  })

  it('shows six lines of words, whatever paragraphs they are in', async () => {
    for (const viewport of [PHONE, { width: 1280, height: 800 }]) {
      const page = await open('/p/long', { viewport })
      const lines = await page.evaluate<number>(`(() => {
        const element = document.querySelector('.comment-text')
        const { bottom } = element.getBoundingClientRect()
        const words = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
        const tops = new Set()
        while (words.nextNode() !== null) {
          const range = document.createRange()
          range.selectNodeContents(words.currentNode)
          for (const rect of range.getClientRects()) {
            if (rect.width > 0 && rect.bottom < bottom + 1) tops.add(Math.round(rect.top))
          }
        }
        return tops.size
      })()`)
      expect(lines).toBe(6)
    }
  })

  it('was written when it was where the reader is', async () => {
    const page = await open('/p/late', { timezoneId: 'Asia/Tokyo', locale: 'en-GB' })
    expect(await page.locator('.comment-link').textContent()).toBe('1 Mar 2026')
  })
})

describe('what people write', () => {
  it('runs nothing', async () => {
    const page = await open('/p/hostile')
    expect(await page.evaluate('typeof window.broken')).toBe('undefined')
    expect(await page.title()).toBe('Product hostile: comments – Lapidary')
  })
})
