import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { violations } from '../../packages/studio/test/looked-at.ts'

/** The browser, and the address of the built site. */
interface Opened {
  readonly browser: Browser
  readonly address: string
}

const ORDERS = `const orders = defineCollection({
  name: 'ORDER',
  schema: undefined,
  id: 'id',
  scope: { name: 'CUSTOMER', attribute: 'customer' },
  order: 'placedAt',
  facets: { status: anyOf(['OPEN', 'SENT']) },
})`
const TABS = ['Plan', 'Cost', 'Keys and lists', 'Table definition'] as const
/** A text is ended after five seconds; a busy machine takes a while until it begins. */
const PATIENT = { timeout: 60_000 }

/** Tests the playground in a browser. */
export function describePlayground(opened: () => Opened): void {
  const open = async (hash = '', options: BrowserContextOptions = {}): Promise<Page> => {
    const { browser, address } = opened()
    const context = await browser.newContext(options)
    const page = await context.newPage()
    await page.goto(`${address}/playground.html${hash}`)
    await page.locator('.found:not(.busy) .figures').waitFor(PATIENT)
    return page
  }
  const close = (page: Page): Promise<void> => page.context().close()
  const type = async (page: Page, label: 'Declaration' | 'Query', text: string): Promise<void> => {
    await page.getByRole('textbox', { name: label }).click()
    await page.keyboard.press('Control+a')
    await page.keyboard.insertText(text)
  }
  const line = (page: Page): Promise<string> => page.locator('.panel .line').innerText()
  const told = (page: Page, text: string | RegExp): Promise<void> =>
    page.locator('.problem').filter({ hasText: text }).waitFor(PATIENT)

  test('the playground plans without a network once it is loaded', async () => {
    const page = await open()
    await page.waitForLoadState('networkidle')
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    const first = await line(page)
    await type(page, 'Declaration', ORDERS)
    await type(page, 'Query', "{ scope: 'c1', where: { status: 'OPEN' } }")
    await page.locator('.panel .line').filter({ hasText: 'byStatus[c1/OPEN]' }).waitFor(PATIENT)
    expect(asked.filter((url) => !/^(blob|about|data):/.test(url))).toEqual([])
    await page.context().setOffline(true)
    await page.getByRole('combobox', { name: 'Example' }).selectOption({ label: 'A board of tickets' })
    await page.locator('.panel .line').filter({ hasText: 'open[web/HIGH, web/NORMAL]' }).waitFor(PATIENT)
    expect(await line(page)).not.toBe(first)
    await page.getByLabel('Counts are kept').check()
    await page.getByText('Lists were priced by counts').waitFor(PATIENT)
    for (const tab of TABS) await page.getByRole('tab', { name: tab }).click()
    expect(await page.locator('.panel pre').innerText()).toContain('"TableName"')
    await close(page)
  })

  test('the playground lets the code of a link reach nothing', async () => {
    const hits: string[] = []
    const other = createServer(({ url = '' }, response) => {
      hits.push(url)
      response.setHeader('access-control-allow-origin', '*').end('self.stolen = true')
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => other.once('listening', resolve))
    const elsewhere = `127.0.0.1:${(other.address() as AddressInfo).port}`
    try {
      const page = await open()
      await page.evaluate("localStorage.setItem('secret', 'of the site'); document.cookie = 'secret=of the site'")
      const before = page.url()
      await type(page, 'Query', '{}')
      await type(
        page,
        'Declaration',
        `const reached = []
const tries = {
  fetch: () => fetch('http://${elsewhere}/fetch', { mode: 'no-cors' }),
  own: () => fetch('${opened().address}/index.html'),
  importScripts: () => importScripts('http://${elsewhere}/importScripts'),
  import: () => import('http://${elsewhere}/import'),
  request: () => new Promise((done, fail) => { const r = new XMLHttpRequest(); r.onload = done; r.onerror = fail; r.open('GET', 'http://${elsewhere}/request'); r.send() }),
  socket: () => new Promise((done, fail) => { const s = new WebSocket('ws://${elsewhere}/socket'); s.onopen = done; s.onerror = fail }),
  worker: () => new Promise((done, fail) => { const w = new Worker('http://${elsewhere}/worker'); w.onmessage = done; w.onerror = fail }),
  database: () => new Promise((done, fail) => { const d = indexedDB.open('site'); d.onsuccess = done; d.onerror = fail }),
  caches: () => caches.open('site'),
  storage: () => localStorage.getItem('secret').length,
  document: () => document.cookie,
  parent: () => parent.location.href,
  navigate: () => { location.href = 'http://${elsewhere}/navigate' ; if (location.protocol !== 'blob:') return true; throw new Error() },
}
for (const [name, attempt] of Object.entries(tries)) {
  try { await Promise.race([attempt(), new Promise((_, late) => setTimeout(late, 300))]); reached.push(name) } catch {}
}
throw new Error('tried ' + Object.keys(tries).length + ', reached: ' + reached.join(', ') + '.')`,
      )
      await told(page, 'tried 13, reached: .')
      await new Promise((resolve) => setTimeout(resolve, 500))
      expect(hits).toEqual([])
      expect(page.url()).toBe(before)
      await close(page)
    } finally {
      other.close()
    }
  })

  test('the playground ends a loop without an end, and goes on', async () => {
    const page = await open()
    await type(page, 'Query', "{ scope: 'c1' }")
    await type(page, 'Declaration', `${ORDERS}\nwhile (true) {}`)
    await page.locator('.found.busy').waitFor(PATIENT)
    // The page itself goes on meanwhile.
    await page.getByRole('tab', { name: 'Cost' }).click()
    await told(page, 'took longer than 5 seconds')
    await page.getByRole('tab', { name: 'Plan' }).click()
    await type(page, 'Declaration', ORDERS)
    await page.locator('.panel .line').filter({ hasText: 'all[c1]' }).waitFor(PATIENT)
    expect(await page.locator('.given .problem:not(:empty)').count()).toBe(0)
    await close(page)
  })

  test('the playground shows a mistake beside its line, and names the value', async () => {
    const page = await open()
    await type(page, 'Declaration', ORDERS.replace("'ORDER'", "'my order'"))
    await told(page, /Line 1: "my order" can't be part of a key/)
    expect(await page.locator('.cm-problem').innerText()).toContain('defineCollection')
    await type(page, 'Declaration', ORDERS)
    await type(page, 'Query', "{ scope: 'c1', where: { status: 'LOST' } }")
    await told(page, /"LOST"/)
    await close(page)
  })

  test('the playground shows whatever comes out of the sandbox as text', async () => {
    const page = await open()
    const made = JSON.stringify({
      plan: {
        explained: {
          text: '<img src=x onerror=alert(1)>',
          tree: 7,
          estimated: {},
          lists: 1,
          rejected: 'x',
          limits: {},
        },
      },
      declared: { warnings: ['<b>bold</b>'], data: { facets: 3 }, writes: 5, keys: 1, table: 2 },
    })
    await type(page, 'Declaration', `self.postMessage(${JSON.stringify(made)})`)
    await told(page, 'no answer that can be read')
    const marked = JSON.stringify({ problem: { in: 'declaration', message: '<b>bold</b>' } })
    await type(page, 'Declaration', `self.postMessage(${JSON.stringify(marked)})`)
    await told(page, '<b>bold</b>')
    expect(await page.locator('.playground img, .playground b').count()).toBe(0)
    await type(page, 'Declaration', `self.postMessage(7)`)
    await told(page, 'no answer that can be read')
    await close(page)
  })

  test('the playground gives a link that opens what is in it', async () => {
    const page = await open()
    await type(page, 'Declaration', ORDERS)
    await type(page, 'Query', "{ scope: 'für mich', where: { status: 'SENT' } }")
    await page.locator('.panel .line').filter({ hasText: '/SENT]' }).waitFor(PATIENT)
    await page.getByRole('button', { name: 'Copy link' }).click()
    await page.waitForURL(/#code=/)
    const { hash } = new URL(page.url())
    const again = await open(hash)
    await again.locator('.panel .line').filter({ hasText: '/SENT]' }).waitFor(PATIENT)
    expect(await line(again)).toBe(await line(page))
    await close(again)
    await close(page)
  })

  test('the documents lead to their example in the playground', async () => {
    const { browser, address } = opened()
    const page = await browser.newPage()
    await page.goto(`${address}/recipes.html`)
    const links = page.getByRole('link', { name: 'Open in the playground' })
    expect(await links.count()).toBe(4)
    await links.nth(2).click()
    await page.waitForURL(/playground.html#example-an-audit-log$/)
    await page
      .locator('.panel .line')
      .filter({ hasText: 'all[d1] FILTER action IN (DELETED, SHARED)' })
      .waitFor(PATIENT)
    await page.close()
  })

  test('the playground is worked by keyboard', async () => {
    const page = await open()
    await page.getByRole('textbox', { name: 'Query' }).focus()
    await page.keyboard.press('Tab')
    expect(await page.evaluate("document.activeElement.closest('.cm-editor') === null")).toBe(true)
    await page.getByRole('tab', { name: 'Plan' }).focus()
    await page.keyboard.press('ArrowRight')
    expect(await page.getByRole('tab', { name: 'Cost' }).getAttribute('aria-selected')).toBe('true')
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('ArrowLeft')
    expect(await page.getByRole('tab', { name: 'Table definition' }).getAttribute('aria-selected')).toBe('true')
    const slider = page.getByRole('slider').first()
    const before = await slider.inputValue()
    await slider.focus()
    await page.keyboard.press('ArrowRight')
    expect(await slider.inputValue()).not.toBe(before)
    await close(page)
  })

  test('the playground is accessible in every state, and fits every screen', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await open('#example-program-help-desk', { colorScheme })
      for (const width of [1440, 768, 390, 320]) {
        await page.setViewportSize({ width, height: 900 })
        for (const tab of TABS) {
          await page.getByRole('tab', { name: tab }).click()
          const state = `${colorScheme}, ${width}, ${tab}`
          if (width === 1440 || width === 390) expect(await violations(page), state).toEqual([])
          expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth'), state).toBe(0)
        }
      }
      await type(page, 'Declaration', 'missing()')
      await told(page, 'missing is not defined')
      expect(await violations(page), `${colorScheme}, with a mistake`).toEqual([])
      await close(page)
    }
  })
}
