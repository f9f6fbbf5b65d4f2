import { type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { expect } from 'vitest'
import { CHROMIUM } from '../../../../test/engines/chromium.ts'
import { PATIENCE } from '../../../../test/engines/patience.ts'

export const DESKTOP = { width: 1280, height: 900 }
export const PHONE = { width: 360, height: 740 }

export interface TestBrowser {
  /** Opens a page that notes errors, warnings and what the security policy blocked; {@link closePages} fails on any. */
  open(path: string, options?: BrowserContextOptions): Promise<Page>
  closePages(): Promise<void>
  close(): Promise<void>
}

/** Chromium reports a page that is answered with a problem, and a connection that a test cut, as errors; these were asked for. */
function isProblemPage(text: string, path: string, url: string): boolean {
  if (text.startsWith('Failed to load resource: net::ERR_INTERNET_DISCONNECTED')) return true
  return text.startsWith('Failed to load resource: the server responded with a status of') && url.includes(path)
}

/**
 * Opens Chromium for the pages of one server.
 *
 * @param textSize What the reader has set the size of text to; 1 as it comes, 2 twice as large.
 */
export async function openBrowser(base: string, textSize = 1): Promise<TestBrowser> {
  const complaints: string[] = []
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: [
      `--blink-settings=defaultFontSize=${16 * textSize}`,
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
  return {
    async open(path, options = {}) {
      const context = await browser.newContext({ viewport: DESKTOP, ...options })
      context.setDefaultTimeout(PATIENCE.timeout)
      const page = await context.newPage()
      page.on('pageerror', ({ message }) => complaints.push(message))
      page.on('console', (message) => {
        if (
          ['error', 'warning'].includes(message.type()) &&
          !isProblemPage(message.text(), path, message.location().url)
        ) {
          complaints.push(message.text())
        }
      })
      await page.goto(base + path, { waitUntil: 'load' })
      return page
    },
    async closePages() {
      await Promise.all(browser.contexts().map((context) => context.close()))
      expect(complaints.splice(0)).toEqual([])
    },
    close: () => browser.close(),
  }
}
