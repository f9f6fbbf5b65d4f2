import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { openBrowser, type TestBrowser } from '../../../apps/comments/test/web/test-browser.ts'
import { pairs } from '../../../test/engines/draws.ts'
import { sessionOf, tooWide, violations } from './looked-at.ts'
import { openStudioHarness, type StudioHarness, someOrders } from './studio-harness.ts'

const MARKUP = `"><script>window.broken = 1</script><img src=x onerror="window.broken = 2">`
const TURNED = '\u202eevil\u202c \u2067right to left\u2069 שלום'

let harness: StudioHarness
let browser: TestBrowser

beforeAll(async () => {
  harness = await openStudioHarness()
  for (const order of someOrders(60)) await harness.lapidary.orders.create(order)
  const [sample] = someOrders(1)
  const hostile = {
    ...sample,
    ...{ id: MARKUP, customer: 'hostile', country: `xx${MARKUP}`, note: TURNED + MARKUP, tags: [MARKUP, TURNED] },
    ...{ amount: '12345678901234567890.123456789012345678', photo: new Uint8Array(200), labels: new Set([MARKUP]) },
    map: { [MARKUP]: MARKUP },
  }
  await harness.lapidary.orders.create(hostile as never)
  await harness.lapidary.orders.create({ ...hostile, id: 'long', note: 'W'.repeat(10_000) } as never)
  await harness.lapidary.orders.create({ ...hostile, id: '..', note: 'a\u0000b' } as never)
  await harness.lapidary.orders.create({ ...hostile, id: 'odd', country: 'de' } as never)
  await harness.writeRaw('odd', 'weight', { N: '0.10000000000000000000000000000000000001' })
  await harness.lapidary.stream.catchUp()
  browser = await openBrowser(harness.origin)
})
afterAll(async () => {
  await browser?.close()
  await harness?.[Symbol.asyncDispose]()
})
afterEach(() => browser.closePages())

/** Opens a page in the session. */
function open(path: string, options: Parameters<TestBrowser['open']>[1] = {}): Promise<Page> {
  return browser.open(path, { ...options, storageState: sessionOf(harness.cookie) })
}

const PAGES = [
  '/c/orders',
  '/c/orders?scope=c1&is.status=OPEN&from.price=10',
  '/c/orders?scope=hostile&cols=id,country,note,tags,amount,photo,labels,map',
  '/c/orders?scope=nobody',
  '/c/orders?scope=c1&is.status=NEVER',
  '/c/orders/item?id=c1-0001',
  `/c/orders/item?${new URLSearchParams({ id: MARKUP })}`,
  '/c/orders/item?id=odd',
  '/c/orders/delete?id=c1-0001',
  '/c/orders/new?scope=c1',
  '/c/orders/adviser',
  '/operate',
  '/nowhere',
] as const

describe('every page', () => {
  it.each(pairs(['light', 'dark'] as const, [1440, 390]))(
    'has no violation of accessibility, and is no wider than the screen, %s, %i pixels wide',
    async (colorScheme, width) => {
      for (const path of PAGES) {
        const page = await open(path, { colorScheme, viewport: { width, height: 900 }, bypassCSP: true })
        await page.evaluate(`for (const each of document.querySelectorAll('main details')) each.open = true`)
        expect([path, await violations(page)]).toEqual([path, []])
        expect([path, await tooWide(page)]).toEqual([path, []])
        await page.context().close()
      }
    },
  )
})

describe('the address that is printed', () => {
  it('leads to the collections, and is without its token then', async () => {
    const { pathname, search } = new URL(harness.studio.url)
    const page = await browser.open(pathname + search)
    expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe('/c/orders')
    expect(await page.evaluate('document.cookie')).toBe('')
    await page.getByRole('link', { name: 'Operate' }).click()
    await page.getByRole('heading', { name: 'Change stream' }).waitFor()
  })
})

describe('an item', () => {
  it('is text on every page, whatever it holds', async () => {
    for (const path of PAGES.filter(
      (each) => each.includes('hostile') || each.includes('script') || each.includes('odd'),
    )) {
      const page = await open(path)
      expect(await page.evaluate('window.broken')).toBeUndefined()
      expect(await page.locator('main script, main img, main [onerror]').count()).toBe(0)
    }
    const page = await open('/c/orders?scope=hostile&cols=id,note,country,tags')
    const text = (await page.locator('.items').textContent()) ?? ''
    expect(text).toContain('⟨U+202E⟩evil')
    expect(text).toContain('a⟨U+0000⟩b')
    expect(text).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/)
    expect(text.length).toBeLessThan(2_000)
    await page.getByRole('link', { name: '..', exact: true }).click()
    await page.waitForURL('**/item?id=..')
    expect(await page.locator('h1').textContent()).toBe('..')
  })

  it('is opened, changed and saved by keyboard alone, without a script too', async () => {
    for (const javaScriptEnabled of [true, false]) {
      const page = await open('/c/orders?scope=c1&limit=10', { javaScriptEnabled })
      await page.locator('.items tbody a').first().focus()
      await page.keyboard.press('Enter')
      await page.waitForURL('**/item?id=*')
      const text = await page.inputValue('#item-json')
      await page.locator('#item-json').focus()
      await page.keyboard.press('Control+A')
      await page.keyboard.insertText(JSON.stringify({ ...JSON.parse(text), note: `by keyboard ${javaScriptEnabled}` }))
      await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
      await page.getByText('Saved.').waitFor()
      expect(await page.inputValue('#item-json')).toContain(`by keyboard ${javaScriptEnabled}`)
    }
  })
})

describe('a list', () => {
  it('is filtered by keyboard, keeps the focus, and comes back with the browser', async () => {
    const page = await open('/c/orders?scope=c1')
    await page.locator('#plan > summary').focus()
    await page.keyboard.press('Enter')
    await page.locator('#is-status-OPEN').focus()
    await page.keyboard.press('Enter')
    await page.waitForURL('**is.status=OPEN')
    await page.locator('.chip', { hasText: 'status = OPEN' }).waitFor()
    expect(await page.evaluate('document.activeElement.id')).toBe('is-status-OPEN')
    expect(await page.locator('#plan[open]').count()).toBe(1)
    expect(await page.locator('#announcer').textContent()).toContain('15 items')
    await page.goBack()
    await page.locator('.chip').waitFor({ state: 'detached' })
    await page.goForward()
    await page.locator('.chip').waitFor()
    await page.selectOption('#by', 'price')
    await page.waitForURL('**by=price**')
    await page.selectOption('#limit', '10')
    await page.waitForURL('**limit=10**')
    await page.locator('#page-next').click()
    await page.waitForURL('**cursor=**')
  })

  it('shows the columns that are chosen, and closes their menu by Escape', async () => {
    const page = await open('/c/orders?scope=c1')
    await page.locator('#columns > summary').click()
    await page.keyboard.press('Escape')
    expect(await page.locator('#columns[open]').count()).toBe(0)
    await page.locator('#columns > summary').click()
    await page.uncheck('#columns input[value="country"]')
    await page.getByRole('button', { name: 'Show' }).click()
    await page.waitForURL('**cols=**')
    await page.locator('.items th', { hasText: 'country' }).waitFor({ state: 'detached' })
  })
})

describe('an operation', () => {
  it('is followed to its end by the page', async () => {
    const page = await open('/operate')
    await page.getByRole('button', { name: 'Verify' }).click()
    await page.locator('#job[data-state="ended"]').waitFor()
    expect(await page.locator('#job').textContent()).toMatch(/Verify done/)
    expect(await page.getByRole('button', { name: 'Repair' }).isEnabled()).toBe(true)
  })
})
