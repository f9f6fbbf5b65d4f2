import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { openBrowser, type TestBrowser } from './test-browser.ts'
import { counted, openWebHarness, type WebHarness, WRITER_TOKEN } from './web-harness.ts'

let harness: WebHarness
let browser: TestBrowser

beforeAll(async () => {
  harness = await openWebHarness({ statistics: true })
  browser = await openBrowser(await harness.listen())
})

afterAll(async () => {
  await browser?.close()
  await harness?.[Symbol.asyncDispose]()
})

afterEach(() => browser.closePages())

it('a comment posted moves the histogram and the head, and the focus stays', async () => {
  const page = await browser.open('/p/few')
  const firstAt = () => page.evaluate<number>('document.querySelector("article:not(.comment-new)").offsetTop')
  const fours = page.locator('.rating:has(#rating-4) .rating-count')
  const before = Number.parseInt((await fours.textContent()) ?? '', 10)
  await page.getByRole('link', { name: 'Write a comment' }).click()
  await page.locator('#write-rating-4').check()
  await page.fill('#write-text', 'Moves the bars')
  await page.fill('#write-author', 'Wren')
  await page.fill('#write-token', WRITER_TOKEN)
  await page.getByRole('button', { name: 'Publish comment' }).click()
  await page.getByText('Your comment is published.').waitFor()
  await page.locator('#order').focus()
  expect(await page.getByText('Counts and totals follow in a moment.').isVisible()).toBe(true)
  const placedAt = await firstAt()
  await expect.poll(() => fours.textContent()).toContain(String(before + 1))
  expect(await page.locator('.verdict-total').textContent()).toBe('8 comments')
  expect(await page.locator('#results').textContent()).toBe('8 comments')
  await page.locator('#counts-follow').waitFor({ state: 'hidden' })
  expect(await firstAt()).toBe(placedAt)
  expect(await page.evaluate('document.activeElement.id')).toBe('order')
  await counted(harness.services, 'few', 8)
})

it('coming back to the tab brings counts up to date, says so, and leaves the list and what was chosen alone', async () => {
  const page = await browser.open('/p/42?language=en')
  const first = await page.locator('article').first().getAttribute('data-comment-id')
  const total = Number.parseInt((await page.locator('.verdict-total').textContent()) ?? '', 10)
  for (const language of ['da', 'en']) {
    await harness.services.comments.create({
      productId: '42',
      language,
      rating: 2,
      title: '',
      text: 'Fra en anden',
      author: 'Søren',
    })
  }
  await counted(harness.services, '42', 132)
  const danish = page.locator('#language option[value="da"]')
  await expect
    .poll(async () => {
      await page.evaluate('document.dispatchEvent(new Event("visibilitychange"))')
      return danish.count()
    })
    .toBe(1)
  expect(await page.locator('#announcer').textContent()).toBe(`Counts updated: ${total + 1} comments, 20 shown`)
  expect(await page.inputValue('#language')).toBe('en')
  expect(await page.locator('article').first().getAttribute('data-comment-id')).toBe(first)
})

it('without a script the page says that counts follow', async () => {
  // The form of a product without comments is open.
  const page = await browser.open('/p/quiet', { javaScriptEnabled: false })
  await page.locator('#write-rating-5').check()
  await page.fill('#write-text', 'Quietly')
  await page.fill('#write-author', 'Wren')
  await page.fill('#write-token', WRITER_TOKEN)
  await page.getByRole('button', { name: 'Publish comment' }).click()
  await page.getByText('Your comment is published.').waitFor()
  expect(await page.getByText('Counts and totals follow in a moment.').isVisible()).toBe(true)
})

it('the board of a language is a link away', async () => {
  const page = await browser.open('/')
  await page.getByRole('navigation', { name: 'Language of the board' }).getByRole('link', { name: 'Japanese' }).click()
  await page.waitForURL('**/?language=ja**')
  expect(await page.getByRole('heading', { name: 'Most 5‑star comments in Japanese' }).isVisible()).toBe(true)
  await page.getByRole('link', { name: 'Read its comments' }).click()
  await page.waitForURL('**/p/42?language=ja')
})
