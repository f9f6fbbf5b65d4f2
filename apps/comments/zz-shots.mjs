import { chromium } from 'playwright-core'
const base = 'http://127.0.0.1:4610'
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox','--disable-gpu'] })
const out = '/tmp/pp/'
const log = (...a) => console.log(...a)
const sizes = { desktop: { viewport: { width: 1280, height: 900 } }, phone: { viewport: { width: 390, height: 800 } }, dark: { viewport: { width: 1280, height: 900 }, colorScheme: 'dark' } }
const productOf = async () => (await (await fetch(base + '/leaderboards/five-star')).json()).entries[0].productId
const p = await productOf()
const c = await browser.newContext(sizes.desktop)
const page = await c.newPage()
page.on('console', m => ['error','warning'].includes(m.type()) && log('console', m.text()))
await page.goto(base + '/p/' + p); await page.screenshot({ path: out + '1-signed-out.png' })
await page.evaluate(() => document.querySelector('#write').scrollIntoView()); await page.screenshot({ path: out + '2-invite.png' })
await page.click('#write a.button'); await page.waitForLoadState(); log(page.url()); await page.screenshot({ path: out + '3-signin.png' })
await page.fill('#sign-in-name', 'Ada Lovelace'); await page.click('.people-form .button'); await page.waitForLoadState(); log(page.url())
await page.screenshot({ path: out + '4-signed-in.png' })
await page.click('#write summary'); await page.evaluate(() => document.querySelector('#write').scrollIntoView()); await page.screenshot({ path: out + '5-form.png' })
await page.click('label:has(#write-rating-4)'); await page.fill('#write-title', 'Solid and light'); await page.fill('#write-text', 'I use it every day.\n\nIt does what it says.')
await page.click('#write-form button[type=submit]'); await page.waitForLoadState(); log(page.url()); await page.screenshot({ path: out + '6-published.png' })
await page.evaluate(() => document.querySelector('#write').scrollIntoView()); await page.screenshot({ path: out + '7-own.png' })
await page.click('#write a.button'); await page.waitForLoadState(); log(page.url()); await page.screenshot({ path: out + '8-edit.png', fullPage: true })
await page.fill('#write-text', 'Changed.'); await page.click('#write-form button[type=submit]'); await page.waitForLoadState(); log(page.url()); await page.screenshot({ path: out + '9-saved.png' })
// other: report
await page.goto(base + '/p/' + p); const reports = page.locator('.comment-tools a:has-text("Report")'); log('reports', await reports.count())
await reports.nth(2).click(); await page.waitForLoadState(); log(page.url()); await page.screenshot({ path: out + '10-report.png', fullPage: true })
await page.check('input[value=abuse]'); await page.fill('#report-text', 'Rude words in the second line.'); await page.click('.write-form button'); await page.waitForLoadState(); log(page.url()); await page.screenshot({ path: out + '11-reported.png' })
// moderator
await page.goto(base + '/moderation'); await page.screenshot({ path: out + '12-token.png' })
await page.fill('#moderation-token', 'the-admin-token-for-looking'); await page.click('.write-form .button'); await page.waitForLoadState(); log(page.url())
await page.goto(base + '/moderation?state=reported'); await page.screenshot({ path: out + '13-queue.png', fullPage: true })
await page.click('.case-title a'); await page.waitForLoadState(); await page.screenshot({ path: out + '14-case.png', fullPage: true })
await page.fill('#answer-text', 'Thank you for telling us.'); await page.click('button[value=answer]'); await page.waitForLoadState(); await page.screenshot({ path: out + '15-answered.png', fullPage: true })
await page.goto(base + '/moderation?state=reported'); await page.click('button[value=hidden]'); await page.waitForLoadState(); log(page.url()); await page.screenshot({ path: out + '16-hidden.png', fullPage: true })
await page.goto(base + '/moderation?state=hidden'); await page.screenshot({ path: out + '17-hidden-tab.png', fullPage: true })
const state = await c.storageState()
for (const name of ['phone', 'dark']) {
  const c2 = await browser.newContext({ ...sizes[name], storageState: state })
  const q = await c2.newPage()
  for (const [i, path] of ['/p/' + p, '/moderation?state=hidden', '/sign-in'].entries()) {
    await q.goto(base + path); await q.screenshot({ path: `${out}20-${name}-${i}.png` })
    log(name, path, await q.evaluate(() => [document.documentElement.scrollWidth, innerWidth]))
  }
  await q.goto(base + '/p/' + p); await q.evaluate(() => document.querySelector('#write').scrollIntoView()); await q.screenshot({ path: `${out}21-${name}-own.png` })
  await q.click('#write a.button'); await q.waitForLoadState(); await q.screenshot({ path: `${out}22-${name}-edit.png`, fullPage: true }); log(name, 'edit', await q.evaluate(() => [document.documentElement.scrollWidth, innerWidth]))
}
await browser.close()
