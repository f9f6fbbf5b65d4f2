// Takes the pictures of docs/images again, from the demo data (npm run pictures), or one of every state of the pages at every
// width in both schemes, to be looked at (npm run pictures -- --states FOLDER [NAME ...]). Those are checked for accessibility as well.
import { mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { GEM } from '../packages/http/dist/internal-pages.js'
import { requireFonts, withChromium } from './chromium.mjs'
import { ADMIN_TOKEN, withDemoApp, withStudio } from './demo-app.mjs'
import { refuse, scriptArguments } from './script-arguments.mjs'
import { STATES, withStates } from './states.mjs'

const ASSETS = new URL('../apps/comments/src/web/assets/', import.meta.url)
const IMAGES = fileURLToPath(new URL('../docs/images/', import.meta.url))
const FILTERED = '/p/42?rating=1&rating=2&rating=3&language=en'
const PHONE = { width: 390, height: 844 }

const PICTURES = [
  { name: 'front-page', path: '/', viewport: { width: 1280, height: 1080 } },
  { name: 'product-page', path: '/p/42' },
  { name: 'query-plan', path: `${FILTERED}&explain=true`, part: '.plan' },
  { name: 'page-numbers', path: '/p/42?page=8', part: '.pages' },
  { name: 'right-to-left', path: '/p/42', locale: 'ar' },
  { name: 'phone', path: '/p/42', viewport: PHONE, colorScheme: 'dark' },
  { name: 'moderation', path: '/sign-in', visit: reportAndModerate },
  { name: 'phone-filter', path: '/p/42?rating=1', viewport: PHONE, visit: (page) => page.click('#filters-open') },
]

/** The studio's picture: a list with its filter, and how its page was read. */
const STUDIO = {
  path: '/c/comments?scope=42&is.language=en&is.rating=1&is.rating=2',
  viewport: { width: 1280, height: 1080 },
}

/** The picture that other sites show beside a link to the pages: crawlers take no SVG. */
const CARD = `<body style="margin:0;display:flex;align-items:center;gap:72px;height:630px;padding:0 96px;background:#0e1f1a;color:#eaf4f0;font:700 76px/1.15 'DejaVu Sans',sans-serif;letter-spacing:-0.03em">
${GEM.replace('<svg', '<svg width="330" height="330" style="flex:none"')}
<div>Lapidary<p style="margin:24px 0 0;color:#a5bcb4;font-size:38px;font-weight:400;letter-spacing:0">Every facet of a product’s comments.</p></div>`

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const SIZES = [
  { width: 1440, height: 900 },
  { width: 768, height: 1024 },
  { width: 390, height: 844 },
  { width: 320, height: 640 },
]
/** The most height of a picture; below it is more of the same. */
const MOST_HEIGHT = 2400

const USAGE = 'usage: npm run pictures, or npm run pictures -- --states FOLDER [NAME]…'
const {
  values: { states: statesFolder },
  positionals: chosen,
} = scriptArguments('pictures', USAGE, { options: { states: { type: 'string' } }, allowPositionals: true })
const unknown = chosen.filter((name) => statesFolder === undefined || !STATES.some((state) => state.name === name))
if (unknown.length > 0) refuse('pictures', `there is no state ${unknown.join(', ')}`, USAGE)
requireFonts()
await (statesFolder === undefined ? picturesOfDocuments() : picturesOfStates(statesFolder, chosen))

async function picturesOfDocuments() {
  await withDemoApp(async (browser, address, folder) => {
    const page = await browser.newPage({ viewport: { width: 1200, height: 630 } })
    await page.setContent(CARD)
    await page.screenshot({ path: fileURLToPath(new URL('card.png', ASSETS)) })
    await page.close()
    for (const { name, path, part, ...how } of PICTURES) {
      await visited(browser, address + path, how, async (page) => {
        const to = { path: join(IMAGES, `${name}.png`) }
        await (part === undefined ? page.screenshot(to) : page.locator(part).screenshot(to))
      })
      console.log(`docs/images/${name}.png`)
    }
    await withStudio(folder, (studio) => pictureOfStudio(browser, studio))
  })
}

/** Reports a comment as a shopper, and opens the queue as a moderator. */
async function reportAndModerate(page) {
  const { origin } = new URL(page.url())
  const sent = (selector) => Promise.all([page.waitForEvent('load'), page.click(selector)])
  await page.fill('#sign-in-name', 'Ada')
  await sent('.people-form button')
  await page.goto(`${origin}/p/42`)
  await sent('.comment:nth-child(2) .comment-tools a')
  await page.check('[name=reason][value=private]')
  await page.fill('#report-text', 'It has an address in it.')
  await sent('.write-form button')
  await page.goto(`${origin}/moderation`)
  await page.fill('#moderation-token', ADMIN_TOKEN)
  await sent('.people-form button')
  await page.goto(`${origin}/moderation?state=reported`)
}

async function pictureOfStudio(browser, address) {
  const { path, ...how } = STUDIO
  const visit = async (page) => {
    await page.goto(new URL(path, address).href)
    await page.click('#plan > summary')
  }
  await visited(browser, address, { ...how, visit }, (page) => page.screenshot({ path: join(IMAGES, 'studio.png') }))
  console.log('docs/images/studio.png')
}

async function picturesOfStates(folder, names) {
  const states = names.length === 0 ? STATES : STATES.filter(({ name }) => names.includes(name))
  mkdirSync(folder, { recursive: true })
  let taken = 0
  let violated = 0
  await withStates((addressOf) =>
    withTextSizes(async (browserOf) => {
      for (const { name, path, app, at, textSize, ...how } of states) {
        const browser = browserOf(textSize)
        for (const viewport of SIZES) {
          for (const colorScheme of ['light', 'dark']) {
            const look = { ...how, viewport, colorScheme, bypassCSP: true }
            await visited(browser, addressOf(app) + path, look, async (page) => {
              const picture = `${name}-${viewport.width}-${colorScheme}`
              await photograph(page, { file: join(folder, `${picture}.png`), viewport, at })
              taken++
              for (const violation of await violations(page, how)) {
                console.error(`${picture}: ${violation}`)
                violated++
              }
            })
          }
        }
        console.log(name)
      }
    }),
  )
  console.log(`${states.length} states, ${taken} pictures, ${violated} violations of accessibility`)
  if (violated > 0) process.exitCode = 1
}

/** Starts a browser with text as it comes, and one with text of twice the size. */
function withTextSizes(use) {
  return withChromium((usual) => withChromium((large) => use((textSize = 1) => (textSize === 1 ? usual : large)), 2))
}

/** Photographs the part in sight once `at` is; without it the page from its top. */
async function photograph(page, { file, viewport, at }) {
  if (at !== undefined) {
    await page.locator(at).first().scrollIntoViewIfNeeded()
    await page.screenshot({ path: file })
    return
  }
  const whole = await page.evaluate(() => document.documentElement.scrollHeight)
  const height = Math.min(MOST_HEIGHT, Math.max(viewport.height, whole))
  await page.screenshot({ path: file, fullPage: true, clip: { x: 0, y: 0, width: viewport.width, height } })
}

/** Checks accessibility; a page on paper, or without scripts, can't be checked. */
async function violations(page, { media, javaScriptEnabled }) {
  if (media === 'print' || javaScriptEnabled === false) return []
  await page.evaluate(AXE)
  return page.evaluate(`axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice'] })
    .then(({ violations }) => violations.map(({ id, nodes }) => id + ' ' + nodes[0].html.slice(0, 200)))`)
}

/** Opens an address in a browser of its own, does what a visitor does, and looks. */
async function visited(browser, url, { visit, media, ...how }, look) {
  const context = await browser.newContext({
    ...{ viewport: { width: 1280, height: 900 }, colorScheme: 'light', locale: 'en-US', timezoneId: 'UTC' },
    ...how,
  })
  const page = await context.newPage()
  await page.goto(url)
  await visit?.(page)
  if (media !== undefined) await page.emulateMedia({ media })
  await page.waitForTimeout(300)
  await look(page)
  await context.close()
}
