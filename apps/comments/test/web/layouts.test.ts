import { serve } from '@hono/node-server'
import { layoutNamed } from 'lapidary'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { LAYOUTS, type TestApp, useTestApp, WRITER } from '../test-app.ts'
import { openBrowser, type TestBrowser } from './test-browser.ts'

/** The plan of the same filter in each layout: two lists merged, or the one list that is kept for it. */
const READ: Readonly<Record<string, string>> = {
  indexes: 'byLanguageAndRating[42/en/1, 42/en/3] MERGE',
  'power-set': 'lists[42/en/1.3]',
  'native-keys': 'byLanguageAndRating[42/en/1, 42/en/3] MERGE',
}

const apps = new Map<string, TestApp>(LAYOUTS.map((name) => [name, useTestApp(undefined, layoutNamed(name))]))
let browser: TestBrowser
const closers: (() => void)[] = []

beforeAll(async () => {
  browser = await openBrowser('')
})
afterEach(() => browser.closePages())
afterAll(async () => {
  for (const close of closers) close()
  await browser?.close()
})

function listen({ app }: TestApp): Promise<string> {
  return new Promise((resolve) => {
    const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) =>
      resolve(`http://127.0.0.1:${port}`),
    )
    closers.push(() => server.close())
  })
}

test.each(LAYOUTS)('the page names the layout %s, and its plan panel shows how that reads', async (name) => {
  const tested = apps.get(name) as TestApp
  for (const rating of [1, 3, 3, 5]) {
    const comment = { language: 'en', rating, title: '', text: 'Sharp.', author: 'Wren' }
    await tested.send('POST', '/products/42/comments', comment, { authorization: `Bearer ${WRITER}` })
  }
  const page = await browser.open(`${await listen(tested)}/p/42?language=en&rating=1&rating=3`)
  expect(await page.locator('article').count()).toBe(3)
  await page.locator('#plan > summary').click()
  expect(await page.locator('.plan-facts').innerText()).toContain(name)
  expect(await page.locator('.plan-text').innerText()).toContain(`${READ[name]} BY position`)
})
