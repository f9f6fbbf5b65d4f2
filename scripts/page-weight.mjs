// Measures how heavy pages are and how soon they show something, on a phone with slow 4G (npm run page-weight).
import { gzipSync } from 'node:zlib'
import { withDemoApp } from './demo-app.mjs'
import { scriptArguments } from './script-arguments.mjs'

scriptArguments('page-weight', 'usage: npm run page-weight')

const PATHS = ['/', '/p/42', '/p/42?language=en&rating=1&rating=3', '/docs']
const RUNS = 5
/** Lighthouse's settings: 150 ms there and back, 1.6 Mbit/s, a processor four times slower. */
const SLOW_4G = { offline: false, latency: 150, downloadThroughput: 1_600_000 / 8, uploadThroughput: 750_000 / 8 }
const PHONE = { viewport: { width: 375, height: 812 }, isMobile: true, hasTouch: true }

await withDemoApp(async (browser, address) => {
  const rows = {}
  for (const path of PATHS) {
    const html = await (await fetch(address + path, { headers: { accept: 'text/html' } })).text()
    const runs = []
    for (let i = 0; i < RUNS; i++) runs.push(await visit(browser, address + path))
    const byPaint = runs.toSorted((a, b) => a.paint - b.paint)
    const { requests, wire, paint, first } = byPaint[Math.floor(RUNS / 2)]
    rows[path] = {
      'page, bytes': Buffer.byteLength(html),
      gzipped: gzipSync(html).length,
      requests,
      'all over the wire, bytes': wire,
      'first contentful paint, ms': Math.round(paint),
      'first comment, px from the top': first,
    }
  }
  console.table(rows)
})

async function visit(browser, url) {
  const context = await browser.newContext(PHONE)
  const page = await context.newPage()
  const devtools = await context.newCDPSession(page)
  const seen = { requests: 0, wire: 0 }
  devtools.on('Network.responseReceived', () => seen.requests++)
  devtools.on('Network.loadingFinished', ({ encodedDataLength }) => {
    seen.wire += encodedDataLength
  })
  await devtools.send('Network.enable')
  await devtools.send('Network.setCacheDisabled', { cacheDisabled: true })
  await devtools.send('Network.emulateNetworkConditions', SLOW_4G)
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: 4 })
  await page.goto(url, { waitUntil: 'networkidle' })
  const shown = await page.evaluate(() => ({
    paint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
    first: Math.round(document.querySelector('article')?.getBoundingClientRect().top ?? Number.NaN),
  }))
  await context.close()
  return { ...seen, ...shown }
}
