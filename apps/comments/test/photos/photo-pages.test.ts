import { createHttpServer } from 'lapidary-http/internal/server'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { PATIENCE } from '../../../../test/engines/patience.ts'
import { CHOSEN, newComment, useTestApp, WRITER } from '../test-app.ts'
import { openBrowser, type TestBrowser } from '../web/test-browser.ts'
import { image, memoryPhotos } from './test-photos.ts'

const { photos, files } = memoryPhotos()
const app = useTestApp(undefined, CHOSEN, undefined, { demoSignIn: 'a secret of the tests', photos })
const server = createHttpServer()
let browser: TestBrowser
beforeAll(async () => {
  const port = await server.listen(app.app.fetch, { host: '127.0.0.1', port: 0 })
  browser = await openBrowser(`http://127.0.0.1:${port}`)
})
afterAll(async () => {
  await browser?.close()
  await server.drain()
})
afterEach(() => browser.closePages())

const sent = (page: Page, selector: string) => Promise.all([page.waitForEvent('load'), page.click(selector)])
const file = async (name: string, width = 320) => ({
  ...{ name, mimeType: 'image/jpeg' },
  buffer: Buffer.from(await image('jpeg', { width, height: 200 })),
})

async function signedIn(name: string, to: string, javaScriptEnabled = true): Promise<Page> {
  const page = await browser.open(`/sign-in?to=${encodeURIComponent(to)}`, { javaScriptEnabled })
  await page.fill('#sign-in-name', name)
  await sent(page, '.people-form button')
  return page
}

/** Tells which photos are really seen: those that the browser could load. */
const seen = (page: Page, within: string) =>
  page.evaluate<number[]>(`[...document.querySelectorAll('${within} img')].map(({ naturalWidth }) => naturalWidth)`)

describe.each([true, false])('a person, with a script: %s', (javaScriptEnabled) => {
  test('writes a comment with photos, removes one, adds others, and is told of what is no photo', async () => {
    const productId = `by ${javaScriptEnabled}`
    const page = await signedIn(productId, `/p/${productId}`, javaScriptEnabled)
    await page.check('#write-rating-4', { force: true })
    await page.fill('#write-text', 'Two photos')
    await page.setInputFiles('#write-photos', [await file('a.jpg'), await file('b.jpg')])
    if (javaScriptEnabled) await page.waitForSelector('.photo-previews img')
    await sent(page, '#write-form [type=submit]')
    await vi.waitFor(async () => expect(await seen(page, '.comment .photos')).toEqual([240, 240]), PATIENCE)
    expect(await page.getAttribute('.comment .photos li:nth-child(2) img', 'alt')).toMatch(/^Photo 2 of 2 by /)
    await sent(page, '#write a.button')
    const edit = page.url()
    const storageState = await page.context().storageState()
    const refused = await browser.open(new URL(edit).pathname, { javaScriptEnabled, storageState })
    const lie = { name: 'c.jpg', mimeType: 'image/jpeg', buffer: Buffer.from('no picture') }
    await refused.setInputFiles('#write-photos', [lie])
    await sent(refused, '#write-form [type=submit]')
    expect(await refused.textContent('#write-photos-error')).toContain('JPEG, PNG or WebP')
    expect(await refused.getAttribute('#write-photos', 'aria-describedby')).toBe('write-photos-error')
    await refused.setInputFiles('#write-photos', [await file('c.jpg'), await file('d.jpg'), await file('e.jpg')])
    await sent(refused, '#write-form [type=submit]')
    expect(await refused.textContent('#write-photos-error')).toContain('at most 4')
    await page.goto(edit)
    await page.check('.photo-kept input >> nth=0')
    await page.setInputFiles('#write-photos', [await file('c.jpg'), await file('d.jpg')])
    await sent(page, '#write-form [type=submit]')
    await vi.waitFor(async () => expect(await seen(page, '.comment .photos')).toEqual([240, 240, 240]), PATIENCE)
    await page.goto(edit)
    await page.click('.sheet-page details > summary')
    await sent(page, '.button-danger')
    await vi.waitFor(() => expect(files.size).toBe(0), PATIENCE)
  })
})

test('a large photo is made small before it is sent', async () => {
  const page = await signedIn('sender', '/p/large')
  await page.setInputFiles('#write-photos', await file('a.jpg', 4_000))
  await page.waitForSelector('.photo-previews img')
  const [name, width] = await page.evaluate<[string, number]>(`(async () => {
    const [chosen] = document.querySelector('#write-photos').files
    return [chosen.name, (await createImageBitmap(chosen)).width]
  })()`)
  expect([name, width]).toEqual(['photo.jpg', 2_000])
})

test('the gallery has every photo, page by page, and shows each over the page with the way to its comment', async () => {
  const photo = { headers: { authorization: `Bearer ${WRITER}`, 'content-type': 'image/jpeg' }, body: await image() }
  const ids: string[] = []
  for (let i = 0; i < 26; i++) {
    const createdAt = new Date(Date.UTC(2026, 0, 1 + i)).toISOString()
    const { body } = await app.send('POST', '/products/many/comments', newComment({ createdAt, text: `The ${i}th` }))
    ids.unshift(body.id)
    expect((await app.ask(`/comments/${body.id}/photos`, { method: 'POST', ...photo })).status).toBe(201)
  }
  await vi.waitFor(
    async () => expect((await app.services.gallery.list({ scope: 'many', limit: 100 })).items).toHaveLength(26),
    PATIENCE,
  )
  const page = await browser.open('/p/many')
  const strip = page.locator('.photo-strip')
  expect(await strip.locator('img').count()).toBe(8)
  await strip.locator('a.photo').nth(1).click()
  const viewer = page.locator('#photo-viewer')
  await vi.waitFor(async () => expect(await seen(page, '#photo-viewer')).toEqual([320]), PATIENCE)
  const comment = () => viewer.locator('a').getAttribute('href')
  expect(await comment()).toBe(`/p/many/comments/${ids[1]}`)
  await page.keyboard.press('ArrowRight')
  expect(await comment()).toBe(`/p/many/comments/${ids[2]}`)
  await viewer.locator('.photo-before').click()
  await viewer.locator('.photo-before').click()
  await viewer.locator('.photo-before').click()
  expect(await comment()).toBe(`/p/many/comments/${ids[7]}`)
  await page.keyboard.press('Escape')
  expect(await viewer.isVisible()).toBe(false)
  await sent(page, '.photo-strip > a')
  const shown = () =>
    page.evaluate<string[]>("[...document.querySelectorAll('.gallery a.photo')].map(({ dataset }) => dataset.comment)")
  const paths = ids.map((id) => `/p/many/comments/${id}`)
  expect(await shown()).toEqual(paths.slice(0, 24))
  await sent(page, '.gallery a[rel=next]')
  expect(await shown()).toEqual(paths.slice(24))
  await sent(page, '.gallery a[rel=prev]')
  expect(await shown()).toEqual(paths.slice(0, 24))
  // A filtered list is about other things.
  expect((await app.ask('/p/many?rating=5', { headers: { accept: 'text/html' } })).body).not.toContain('photo-strip')
  expect((await app.ask('/p/none/photos', { headers: { accept: 'text/html' } })).body).toContain(
    'There are no photos yet.',
  )
})

test('large forms are not read of strangers', async () => {
  const body = new FormData()
  body.set('photos', new Blob([new Uint8Array(1024 * 1024)], { type: 'image/jpeg' }), 'a.jpg')
  body.set('text', 'Words')
  for (const path of ['/p/42/comments', `/p/42/comments/${'x'.repeat(26)}/edit`]) {
    const { status } = await app.app.request(path, { method: 'POST', body, headers: { accept: 'text/html' } })
    expect([path, [401, 404, 413].includes(status)]).toEqual([path, true])
  }
  const small = new FormData()
  small.set('text', 'Words')
  expect((await app.app.request('/p/42/comments', { method: 'POST', body: small })).status).toBe(401)
  const broken = { 'content-type': 'multipart/form-data; boundary=x' }
  expect((await app.app.request('/p/42/comments', { method: 'POST', body: 'no parts', headers: broken })).status).toBe(
    400,
  )
})

test('a person sends one large form at a time, and a small one beside it', async () => {
  const page = await signedIn('twice', '/p/twice')
  const cookie = (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`).join('; ')
  const post = (bytes: number, body: string, delayed = false) =>
    fetch(new URL('/p/twice/comments', page.url()), {
      method: 'POST',
      headers: { cookie, 'content-type': 'multipart/form-data; boundary=x', accept: 'text/html' },
      body: new ReadableStream({
        async start(controller) {
          controller.enqueue(new TextEncoder().encode(body))
          if (delayed) await new Promise((resolve) => setTimeout(resolve, 1_500))
          controller.enqueue(new Uint8Array(bytes))
          controller.close()
        },
      }),
      duplex: 'half',
    } as RequestInit)
  const slow = post(300_000, '--x', true)
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect((await post(300_000, '--x')).status).toBe(429)
  const small = new FormData()
  small.set('text', 'Words')
  const beside = await fetch(new URL('/p/twice/comments', page.url()), {
    ...{ method: 'POST', headers: { cookie, accept: 'text/html' }, body: small },
  })
  expect(beside.status).toBe(422)
  expect((await slow).status).toBe(400)
  expect((await post(300_000, '--x')).status).toBe(400)
})
