import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createHttpServer } from 'lapidary-http/internal/server'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { image, memoryPhotos } from '../photos/test-photos.ts'
import { ADMIN, CHOSEN, newComment, useTestApp, WRITER } from '../test-app.ts'
import { DESKTOP, openBrowser, type TestBrowser } from '../web/test-browser.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const SMALLEST = { width: 320, height: 640 }

const app = useTestApp(undefined, CHOSEN, undefined, {
  demoSignIn: 'a secret of the tests',
  moderation: 'wait',
  photos: memoryPhotos().photos,
})
const server = createHttpServer()
let browser: TestBrowser
let shown = ''
let reported = ''
/** The cookies of a person with a comment that waits and a session of moderators. */
let cookies: Awaited<ReturnType<ReturnType<Page['context']>['storageState']>>

beforeAll(async () => {
  const port = await server.listen(app.app.fetch, { host: '127.0.0.1', port: 0 })
  browser = await openBrowser(`http://127.0.0.1:${port}`)
  shown = (await app.send('POST', '/products/42/comments', newComment())).body.id
  const photo = {
    method: 'POST',
    body: await image(),
    headers: { authorization: `Bearer ${WRITER}`, 'content-type': 'image/jpeg' },
  }
  for (let i = 0; i < 4; i++) expect((await app.ask(`/comments/${shown}/photos`, photo)).status).toBe(201)
  reported = (await app.send('POST', '/products/42/comments', newComment({ text: 'Rude. '.repeat(80) }))).body.id
  const page = await browser.open('/sign-in?to=%2Fp%2F42')
  await signIn(page)
  await write(page, 'It waits for a moderator.')
  await page.goto(new URL(`/p/42/comments/${reported}/report`, page.url()).href)
  await page.check('[name=reason][value=abuse]')
  await page.fill('#report-text', 'It is rude, and goes on and on.')
  await sent(page, '.write-form button')
  await page.goto(new URL('/moderation', page.url()).href)
  await page.fill('#moderation-token', ADMIN)
  await sent(page, '.people-form button')
  cookies = await page.context().storageState()
  await browser.closePages().catch(() => undefined)
})
afterAll(async () => {
  await browser?.close()
  await server.drain()
})
afterEach(() => browser.closePages())

const sent = (page: Page, selector: string) => Promise.all([page.waitForEvent('load'), page.click(selector)])

async function signIn(page: Page): Promise<void> {
  await page.fill('#sign-in-name', 'Ada Lovelace')
  await sent(page, '.people-form button')
}

async function write(page: Page, text: string): Promise<void> {
  await page.click('#write > summary')
  // Its word is the longest: it has to fit the smallest phone.
  await page.check('#write-rating-5', { force: true })
  await page.fill('#write-text', text)
  await page.setInputFiles('#write-photos', {
    name: 'a.jpg',
    mimeType: 'image/jpeg',
    buffer: Buffer.from(await image()),
  })
  await sent(page, '#write-form [type=submit]')
}

async function lookAt(path: string, options: BrowserContextOptions): Promise<void> {
  const page = await browser.open(path, { bypassCSP: true, ...options })
  await page.evaluate(AXE)
  expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth'), path).toBeLessThanOrEqual(0)
  const violations = await page.evaluate<string[]>(
    `axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice'] })
    .then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' | ')))`,
  )
  expect(violations, path).toEqual([])
}

test.each([
  ['light', DESKTOP, 'en-US'],
  ['dark', DESKTOP, 'de-DE'],
  ['light', SMALLEST, 'de-DE'],
  ['dark', SMALLEST, 'ar'],
] as const)(
  'every page of people passes the checks of accessibility and fits, %s at %o in %s',
  async (colorScheme, viewport, locale) => {
    const look = { colorScheme, viewport, locale }
    for (const path of ['/p/42', '/p/42/photos', `/p/42/comments/${shown}`, '/sign-in']) await lookAt(path, look)
    const own = (await app.services.people.cases.list({ scope: 'waiting' })).items[0]?.id ?? ''
    for (const path of [
      '/p/42',
      `/p/42/comments/${own}/edit`,
      `/p/42/comments/${shown}/report`,
      `/p/42/comments/${shown}/report?done=reported`,
      ...['waiting', 'reported', 'hidden'].map((state) => `/moderation?state=${state}&done=hidden`),
      `/moderation/comments/${own}`,
      `/moderation/comments/${reported}?done=answered`,
    ])
      await lookAt(path, { ...look, storageState: cookies })
  },
)

test('a person writes, changes and deletes without a script', async () => {
  const page = await browser.open('/sign-in?to=%2Fp%2Fscriptless', { javaScriptEnabled: false })
  await signIn(page)
  // A product without comments has its form open.
  await page.check('#write-rating-2', { force: true })
  await page.fill('#write-text', 'Without a script')
  await sent(page, '#write-form [type=submit]')
  expect(await page.textContent('#write')).toContain('Without a script')
  await sent(page, '#write a.button')
  await page.fill('#write-text', 'Changed without a script')
  await sent(page, '#write-form [type=submit]')
  expect(await page.textContent('#write')).toContain('Changed without a script')
  await sent(page, '#write a.button')
  await page.click('.sheet-page details > summary')
  await sent(page, '.button-danger')
  expect(await page.textContent('body')).toContain('Your comment is deleted.')
  expect(await page.isVisible('#write-form')).toBe(true)
})
