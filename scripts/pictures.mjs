// Takes the pictures of docs/images again (npm run pictures), from the demo data.
import { fileURLToPath } from 'node:url'
import { withDemoApp } from './demo-app.mjs'

const IMAGES = new URL('../docs/images/', import.meta.url)
const FILTERED = '/p/42?rating=1&rating=2&rating=3&language=en'
const PHONE = { width: 390, height: 844 }

const PICTURES = [
  { name: 'front-page', path: '/', height: 1080 },
  { name: 'product-page', path: '/p/42', height: 900 },
  { name: 'query-plan', path: `${FILTERED}&explain=true`, part: '.plan' },
  { name: 'page-numbers', path: '/p/42?page=8', part: '.pages' },
  { name: 'phone', path: '/p/42', viewport: PHONE, colorScheme: 'dark' },
  { name: 'phone-filter', path: '/p/42?rating=1', viewport: PHONE, press: '#filters-open' },
]

await withDemoApp(async (browser, address) => {
  for (const {
    name,
    path,
    height = 900,
    viewport = { width: 1280, height },
    colorScheme = 'light',
    ...what
  } of PICTURES) {
    const page = await browser.newPage({
      viewport,
      colorScheme,
      locale: 'en-US',
      timezoneId: 'UTC',
      deviceScaleFactor: 1,
    })
    await page.goto(address + path)
    if (what.press !== undefined) await page.click(what.press)
    await page.waitForTimeout(500)
    const to = { path: fileURLToPath(new URL(`${name}.png`, IMAGES)) }
    if (what.part === undefined) await page.screenshot(to)
    else await page.locator(what.part).screenshot(to)
    await page.close()
    console.log(`docs/images/${name}.png`)
  }
})
