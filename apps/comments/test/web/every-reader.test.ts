import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { MERGES } from '../test-app.ts'
import { DESKTOP, openBrowser, PHONE, type TestBrowser } from './test-browser.ts'
import { failingFor, openWebHarness, type WebHarness, WRITER_TOKEN } from './web-harness.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

let harness: WebHarness
let browser: TestBrowser
let largeTextBrowser: TestBrowser
let open: TestBrowser['open']

beforeAll(async () => {
  harness = await openWebHarness({ statistics: true, change: failingFor('broken') })
  const address = await harness.listen()
  browser = await openBrowser(address)
  largeTextBrowser = await openBrowser(address, 2)
  open = browser.open
})

afterAll(async () => {
  await browser?.close()
  await largeTextBrowser?.close()
  await harness?.[Symbol.asyncDispose]()
})

afterEach(async () => {
  await browser.closePages()
  await largeTextBrowser.closePages()
})

/** Violations of accessibility, each with its elements. */
const violations = (page: Page) =>
  page.evaluate<string[]>(`axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice'] })
    .then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' | ')))`)

/** A region for each language that the pages speak, beside English. */
const LOCALES = ['de-DE', 'fr-FR', 'es-419', 'ja-JP', 'ar-EG'] as const

/** What has to be seen from right to left too. */
const OTHERS = [
  ['a list with all of it open', '/p/42', 'light'],
  ['a comment alone', '/p/long/comments/long-1', 'dark'],
  ['an address that can’t be read', '/p/42?rating=9&limit=zz', 'light'],
] as const

const overflow = (page: Page) => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')

describe.each(['light', 'dark'] as const)('in %s colours', (colorScheme) => {
  it.each([
    ['an address that can’t be read', '/p/42?rating=9&limit=zz'],
    ['a damaged cursor', '/p/42?rating=5&cursor=nonsense'],
    ['no such comment', '/p/42/comments/none'],
    ['a mistake of the server', '/p/broken'],
    ['a product of one comment', '/p/late'],
  ])('%s passes the checks of accessibility, and fits the smallest phone', async (_, path) => {
    const viewport = { width: 320, height: 640 }
    const page = await open(path, { colorScheme, viewport, bypassCSP: true, locale: 'de-DE' })
    await page.evaluate(AXE)
    expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
    expect(await violations(page)).toEqual([])
  })

  it.each([
    ['a comment that is not published yet', { token: WRITER_TOKEN }],
    ['a comment just published', { token: WRITER_TOKEN, text: 'It does what it says.', author: 'Wren' }],
  ])('%s passes the checks of accessibility, and fits the smallest phone', async (_, fields) => {
    const page = await open('/p/few', { colorScheme, viewport: { width: 320, height: 640 }, bypassCSP: true })
    await page.locator('#write > summary').click()
    for (const [name, value] of Object.entries(fields)) await page.locator(`#write-form [name=${name}]`).fill(value)
    if ('author' in fields) await page.locator('#write-form [name=rating][value="4"]').check({ force: true })
    // Sent as by a browser that checks nothing first.
    const sent = page.waitForEvent('load')
    await page.evaluate('document.querySelector("#write-form").submit()')
    await sent
    await page.evaluate(AXE)
    expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
    expect(await violations(page)).toEqual([])
  })

  it.each([
    ['the front page', '/'],
    ['a filtered list', '/p/42?rating=4&rating=5&language=en'],
    ['an empty list', '/p/42?rating=5&language=it'],
    ['long words', '/p/hostile'],
    ['a comment alone', '/p/long/comments/long-1'],
    ['a product without comments', '/p/bare'],
  ])('%s passes the checks of accessibility, and fits a phone', async (_, path) => {
    const page = await open(path, { colorScheme, viewport: PHONE, bypassCSP: true })
    const isList = path !== '/' && !path.includes('/comments/')
    const isFull = isList && path !== '/p/bare'
    if (isList) {
      await page.locator('#plan > summary').click()
      if (isFull) await page.locator('#write > summary').click()
      for (const summary of await page.locator('.plan-body details > summary').all()) await summary.click()
    }
    await page.evaluate(AXE)
    for (const [viewport, before] of [
      [PHONE, async () => {}],
      [PHONE, async () => isFull && page.locator('#filters-open').click()],
      [DESKTOP, async () => page.keyboard.press('Escape')],
    ] as const) {
      await page.setViewportSize(viewport)
      await before()
      expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
      expect(await violations(page)).toEqual([])
    }
  })
})

describe.each(LOCALES)('in the language of %s', (locale) => {
  it.each([
    ['the front page', '/', 'light'],
    ['a filtered list with all of it open', '/p/42?rating=4&rating=5&language=en&explain=true', 'dark'],
    ...(locale === 'ar-EG' ? OTHERS : []),
  ] as const)('%s passes the checks of accessibility, and fits the smallest phone', async (_, path, colorScheme) => {
    const viewport = { width: 320, height: 640 }
    const page = await open(path, { colorScheme, viewport, bypassCSP: true, locale })
    for (const closed of [
      '#write:not([open]) > summary',
      '#plan:not([open]) > summary',
      '.plan-body details > summary',
    ])
      for (const summary of await page.locator(closed).all()) await summary.click()
    await page.evaluate(AXE)
    expect(await page.getAttribute('html', 'dir')).toBe(locale === 'ar-EG' ? 'rtl' : 'ltr')
    expect(await overflow(page)).toBeLessThanOrEqual(0)
    expect(await violations(page)).toEqual([])
    if ((await page.locator('#filters-open').count()) > 0) {
      await page.locator('#filters-open').click()
      expect(await overflow(page)).toBeLessThanOrEqual(0)
      expect(await violations(page)).toEqual([])
    }
  })

  it('a form with mistakes passes the checks of accessibility, and fits the smallest phone', async () => {
    const page = await open('/p/few', { viewport: { width: 320, height: 640 }, bypassCSP: true, locale })
    const sent = page.waitForEvent('load')
    await page.evaluate('document.querySelector("#write-form").submit()')
    await sent
    await page.evaluate(AXE)
    expect(await overflow(page)).toBeLessThanOrEqual(0)
    expect(await violations(page)).toEqual([])
  })
})

describe('from right to left', () => {
  it('the page begins at the right, and each text has its own direction', async () => {
    const page = await open('/p/42?explain=true', { locale: 'ar' })
    const left = async (selector: string) => (await page.locator(selector).first().boundingBox())?.x ?? 0
    expect(await left('.brand')).toBeGreaterThan(await left('.site-header search'))
    expect(await left('.filters')).toBeGreaterThan(await left('.results'))
    expect(await left('.comment-head')).toBeGreaterThan(await left('.comment-body'))
    expect(await left('.pager li:first-child')).toBeGreaterThan(await left('.pager li:last-child'))
    const direction = (selector: string) =>
      page.evaluate(`getComputedStyle(document.querySelector('${selector}')).direction`)
    expect(await direction('.comment-body[lang="en"] .comment-text')).toBe('ltr')
    expect(await direction('.comment-body[lang="ar"] .comment-text')).toBe('rtl')
    expect(await direction('.plan-text')).toBe('ltr')
    expect(await direction('#plan-json')).toBe('ltr')
  })

  it('arrows, stars, bars and lanes are drawn from the right, and the numbers in the slots stay readable', async () => {
    const page = await open('/p/42?rating=1&rating=3&explain=true', { locale: 'ar' })
    const mirrored = (selector: string) =>
      page.evaluate<boolean>(`(() => {
        let sign = 1
        for (let e = document.querySelector('${selector}'); e !== null; e = e.parentElement) {
          const { transform } = getComputedStyle(e)
          if (transform !== 'none') sign *= Math.sign(new DOMMatrix(transform).a)
        }
        return sign === -1
      })()`)
    for (const drawn of ['.pager .icon', '.comment .stars', '.rating .bar', '.lane', '.choice-bar', '.ribbon'])
      if (MERGES || !['.ribbon', '.choice-bar'].includes(drawn)) expect(await mirrored(drawn), drawn).toBe(true)
    if (MERGES) expect(await mirrored('.ribbon-number')).toBe(false)
  })

  it('a rule for left or right has one for the other side', () => {
    const folder = new URL('../../src/web/assets/', import.meta.url)
    const physical = /(^|[;{\s-])(left|right)\b(?!\s*var\(--gap-6\) center)/
    for (const name of readdirSync(folder).filter((name) => name.endsWith('.css'))) {
      const rules = readFileSync(new URL(name, folder), 'utf8')
        .replace(/\/\*[\s\S]*?\*\//g, '')
        .split('\n')
      expect(
        rules.filter((line) => physical.test(line)),
        name,
      ).toEqual([])
    }
  })
})

describe('in text of twice the size', () => {
  it.each([
    ['/', 'en-US'],
    ['/p/42', 'en-US'],
    ['/p/42?rating=1&rating=3&language=en&explain=true', 'en-US'],
    ['/p/42', 'de-DE'],
    ['/p/42', 'fr-FR'],
    ['/p/42', 'ja-JP'],
    ['/p/42', 'ar'],
    ['/p/long/comments/long-1', 'de-DE'],
    ['/p/42?rating=9', 'de-DE'],
  ])('%s, %s, is not wider than a phone, and cuts no words', async (path, locale) => {
    for (const width of [390, 320]) {
      const page = await largeTextBrowser.open(path, { viewport: { width, height: 844 }, locale })
      expect(await page.evaluate('getComputedStyle(document.body).fontSize')).toBe('32px')
      expect(await overflow(page)).toBeLessThanOrEqual(0)
      const cut = await page.evaluate<
        string[]
      >(`[...document.querySelectorAll('.rating-link, .button, .own-language, .filters-open')]
        .filter((element) => element.getClientRects().length > 0 && element.scrollWidth > element.clientWidth + 1)
        .map(({ outerHTML }) => outerHTML.slice(0, 120))`)
      expect(cut).toEqual([])
      if (path !== '/p/42') continue
      await page.locator('#write > summary').click()
      expect(await overflow(page)).toBeLessThanOrEqual(0)
      await page.locator('#filters-open').click()
      const sheet = `document.querySelector('#filters-sheet')`
      expect(await page.evaluate<number>(`${sheet}.scrollWidth - ${sheet}.clientWidth`)).toBeLessThanOrEqual(0)
    }
  })
})

describe('on a phone', () => {
  it.each(['/', '/p/42?language=en', '/p/42?rating=4&language=en'])(
    '%s has targets of at least 44 pixels',
    async (path) => {
      const page = await open(path, { viewport: PHONE })
      if (path !== '/') {
        await page.locator('#write > summary').click()
        await page.locator('#filters-open').click()
      }
      const small = await page.evaluate<
        string[]
      >(`[...document.querySelectorAll('a, button, select, input:not([type=hidden]), summary, .rating')]
      .filter((element) => element.closest('.rating, .star-choice, .site-footer') === null || element.matches('.rating'))
      .filter((element) => !element.matches('.skip-link') && element.getClientRects().length > 0)
      .filter((element) => element.getBoundingClientRect().height < 44)
      .map(({ outerHTML }) => outerHTML.slice(0, 80))`)
      expect(small).toEqual([])
    },
  )
})

describe('on paper', () => {
  it('is about as long in any direction, and has nothing that can only be clicked', async () => {
    const page = await open('/p/42', { colorScheme: 'dark' })
    const sheets = async (landscape: boolean, format: string) =>
      (await page.pdf({ landscape, format })).toString('latin1').match(/\/Type\s*\/Page\b/g)?.length
    expect(await sheets(false, 'A4')).toBeLessThanOrEqual(5)
    expect(await sheets(true, 'A4')).toBeLessThanOrEqual(6)
    await page.emulateMedia({ media: 'print' })
    for (const unusable of ['#filters-open', '.pager', '#write', '.write-link', '.site-footer']) {
      expect(await page.locator(unusable).isVisible(), unusable).toBe(false)
    }
    expect(await page.locator('article').first().isVisible()).toBe(true)
    expect(await page.evaluate('getComputedStyle(document.querySelector("h1")).color')).toBe('rgb(16, 33, 28)')
  })
})

describe('where little fits', () => {
  const WIDE_FONT = '* { letter-spacing: 0.06em !important; word-spacing: 0.12em !important }'

  it.each([
    ['/', 'ltr'],
    ['/p/42?rating=1&rating=2&rating=3&language=en&explain=true', 'ltr'],
    ['/p/42?language=ar', 'rtl'],
  ])('%s, %s, is not wider than a phone of 320 pixels, in a wide font', async (path, dir) => {
    const page = await open(path, { viewport: { width: 320, height: 640 }, bypassCSP: true })
    await page.addStyleTag({ content: WIDE_FONT })
    await page.evaluate(`document.documentElement.dir = '${dir}'`)
    expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
  })
})

describe('on a phone of 320 pixels', () => {
  it('the language of the board is in sight', async () => {
    const page = await open('/?language=pt-br', { viewport: { width: 320, height: 640 } })
    const chosen = page.locator('.board-language[aria-current]')
    const { x = -1, width = 0 } = (await chosen.boundingBox()) ?? {}
    expect([x >= 0, x + width <= 320]).toEqual([true, true])
    expect(await page.evaluate('scrollY')).toBe(0)
  })
})

describe('in forced colours', () => {
  it('lit stars, bars and lists can be told from others', async () => {
    const page = await open('/p/42?rating=1&rating=3&explain=true', { forcedColors: 'active' })
    const differ = (a: string, b: string) =>
      page.evaluate<boolean>(`${a} !== ${b} && !/rgba\\(.*, 0\\)/.test(${a} + ${b})`)
    const style = (selector: string, property: string) =>
      `getComputedStyle(document.querySelector('${selector}')).${property}`
    expect(await differ(style('.stars', 'backgroundColor'), style('.stars rect', 'fill'))).toBe(true)
    expect(await differ(style('.bar-track', 'fill'), style('.bar-fill', 'fill'))).toBe(true)
    if (MERGES) expect(await differ(style('.ribbon .list-0', 'fill'), style('.ribbon .list-1', 'fill'))).toBe(true)
  })
})
