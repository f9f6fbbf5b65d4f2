import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createHttpServer } from 'lapidary-http/internal/server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { useTestApp } from '../test-app.ts'
import { openBrowser, type TestBrowser } from './test-browser.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const { app, ask } = useTestApp(undefined, undefined, 'https://shop.example')
const server = createHttpServer()
let browser: TestBrowser
let address: string

beforeAll(async () => {
  address = `http://127.0.0.1:${await server.listen(app.fetch, { host: '127.0.0.1', port: 0 })}`
  browser = await openBrowser(address)
})
afterAll(async () => {
  await browser.close()
  await server.drain()
})

test('where the pages are seen from outside is what is configured, whatever a client sends', async () => {
  const headers = { host: 'evil.example', 'x-forwarded-proto': 'http' }
  const { body } = await ask('http://evil.example/p/new', { headers })
  expect(body).toContain('<link rel="canonical" href="https://shop.example/p/new"/>')
  expect(body).toContain('<meta property="og:image" content="https://shop.example/assets/')
  expect(body).not.toContain('evil')
})

test.each([
  ['/docs', 'Delete a comment'],
  ['/docs/errors', 'Errors of the HTTP API'],
  ['/nowhere', 'There is no such page'],
])('%s can be read by all, and nothing of it is blocked', async (path, heading) => {
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await browser.open(path, { colorScheme, viewport: { width: 320, height: 640 } })
    await page.getByRole('heading', { name: heading }).waitFor()
    await page.evaluate(AXE)
    const found = await page.evaluate<readonly string[]>(
      `axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice'] })
        .then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html.slice(0, 200)))`,
    )
    expect(found).toEqual([])
    expect(await page.locator('main').textContent()).not.toContain('`')
    expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
  }
  await browser.closePages()
})
