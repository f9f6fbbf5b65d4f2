// Opens Chromium, to look at pages.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'

/** The same folder as in scripts/provision.mjs, which links the browser there. */
const cache = process.env.PROVISIONED_IN ?? fileURLToPath(new URL('../.cache', import.meta.url))
export const CHROMIUM = process.env.CHROMIUM_PATH ?? join(cache, 'chromium')

/** Calls `use(browser)`, and ends it. The text is as large as the reader has it: 1 as it comes, 2 twice as large. */
export async function withChromium(use, textSize = 1) {
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--disable-gpu', `--blink-settings=defaultFontSize=${16 * textSize}`],
  })
  try {
    await use(browser)
  } finally {
    await browser.close()
  }
}

/** Requires fonts: without them the Japanese and Arabic of the demo data are boxes on every picture. */
export function requireFonts() {
  for (const [language, name, pack] of [
    ['ja', 'Japanese', 'fonts-ipafont-gothic'],
    ['ar', 'Arabic', 'fonts-dejavu-core'],
  ]) {
    const { stdout } = spawnSync('fc-list', [`:lang=${language}`, 'family'], { encoding: 'utf8' })
    if ((stdout ?? '').trim() !== '') continue
    console.error(`pictures: there is no font for ${name}; install one, such as Debian's ${pack}`)
    process.exit(1)
  }
}
