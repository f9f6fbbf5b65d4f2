import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { BrowserContextOptions, Page } from 'playwright-core'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Returns the violations of accessibility of a page. */
export async function violations(page: Page): Promise<readonly string[]> {
  await page.evaluate(AXE)
  return page.evaluate<string[]>(`axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice'] })
    .then(({ violations }) => violations.map(({ id, nodes }) => id + ' ' + nodes[0].html.slice(0, 200)))`)
}

/** Returns what makes a page wider than its screen; what scrolls by itself may be wider within. */
export function tooWide(page: Page): Promise<readonly string[]> {
  return page.evaluate<
    string[]
  >(`document.documentElement.scrollWidth <= innerWidth ? [] : [document.documentElement, ...document.querySelectorAll('body *')]
    .filter((each) => (each === document.documentElement || each.getBoundingClientRect().right > innerWidth) && each.closest('.table-frame, .tree-frame, .code-frame') === null)
    .map((each) => each.outerHTML.slice(0, 120))`)
}

/** Returns the state of a browser that has a session, by its cookie: `name=value`. */
export function sessionOf(cookie: string): NonNullable<BrowserContextOptions['storageState']> {
  const [name = '', value = ''] = cookie.split('=')
  const whole = { expires: -1, httpOnly: true, secure: false, sameSite: 'Strict' } as const
  return { cookies: [{ name, value, domain: '127.0.0.1', path: '/', ...whole }], origins: [] }
}
