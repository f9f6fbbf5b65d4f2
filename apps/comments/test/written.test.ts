import { segments } from 'lapidary'
import { createMetrics } from 'lapidary-http/internal'
import { lateIndexes } from 'lapidary-testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSdkClient, dropTables, testEngines, uniqueTableName } from '../../../test/engines/index.ts'
import { createApp } from '../src/app.ts'
import { createServices } from '../src/services.ts'
import { silentLogger } from './silent-logger.ts'
import { newComment, readAnswer, WRITER } from './test-app.ts'

const [engine] = testEngines()
if (engine === undefined) throw new Error('no engine')
const client = createSdkClient(engine)
const tableName = uniqueTableName()
const late = lateIndexes(client)
const services = createServices({
  ...{ client: late.client, tableName, cursorSecret: 'a secret of the tests' },
  derived: { counts: true, pages: segments() },
  stream: { immediate: true },
})
const app = createApp(services, {
  tokens: { admin: 'the-admin-token-1', writer: WRITER },
  logger: silentLogger,
  metrics: createMetrics({ process: false }),
  readiness: { table: async () => ({ ok: true }) },
})
const LIST = '/products/42/comments?limit=2'

async function send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) }
  const init = { authorization: 'Bearer the-admin-token-1', 'content-type': 'application/json', ...headers }
  return readAnswer(await app.request(path, { method, headers: init, ...sent }))
}

const titles = (answer: { readonly body: { readonly items: readonly { readonly title: string }[] } }) =>
  answer.body.items.map(({ title }) => title)

beforeAll(async () => {
  await services.database.table.create()
  for (const title of ['first', 'second', 'third']) await send('POST', '/products/42/comments', newComment({ title }))
  late.hold()
})
afterAll(async () => {
  await late.close()
  await dropTables(client, [tableName])
})

test('a list shows what its reader has just created, changed and deleted, where the answers’ headers are sent back', async () => {
  const created = await send('POST', '/products/42/comments', newComment({ title: 'fourth' }))
  const written = created.headers.get('lapidary-written') ?? ''
  expect(written).toBe(created.body.id)
  const plain = await send('GET', LIST)
  expect(titles(plain)).toEqual(['third', 'second'])
  expect(plain.headers.get('vary')).toContain('Lapidary-Written')
  expect(titles(await send('GET', LIST, undefined, { 'lapidary-written': written }))).toEqual(['fourth', 'third'])

  const [third, second] = plain.body.items
  const changed = await send('PATCH', `/comments/${second.id}`, { title: 'other' })
  const deleted = await send('DELETE', `/comments/${third.id}`)
  const all = [created, changed, deleted].map(({ headers }) => headers.get('lapidary-written')).join(', ')
  const page = await send('GET', LIST, undefined, { 'lapidary-written': all })
  expect(titles(page)).toEqual(['fourth', 'other'])
  const next = /<([^>]+)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1] ?? ''
  expect(titles(await send('GET', next, undefined, { 'lapidary-written': all }))).toEqual(['first'])
})

test('a header that names too much, or nothing that was told, is refused', async () => {
  for (const value of [Array(11).fill('a').join(), '%E0%A4%A'])
    expect(await send('GET', LIST, undefined, { 'lapidary-written': value })).toMatchObject({
      status: 400,
      body: { code: 'bad_request', errors: [{ path: 'Lapidary-Written' }] },
    })
})

test('the page of the visitor who has just published a comment has it in its list, and nobody else’s has', async () => {
  const form = new URLSearchParams({
    ...{ rating: '4', language: 'en', title: 'by form', text: 'It works.', author: 'Ada', token: WRITER },
    idempotencyKey: '0123456789abcdef0123',
  })
  const posted = await app.request('/p/43/comments', { method: 'POST', body: form })
  const address = posted.headers.get('location') ?? ''
  const cookie = (posted.headers.get('set-cookie') ?? '').replace(/;.*/, '')
  const id = /posted=([^#]+)/.exec(address)?.[1]
  const seen = async (headers: Record<string, string>) => (await app.request(address, { headers })).text()
  expect(await seen({ cookie })).toContain(`href="#comment-${id}"`)
  expect(await seen({})).not.toContain('by form')
})
