import { DeleteItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb'
import { type Poller, segments } from 'lapidary'
import { createMetrics } from 'lapidary-http/internal'
import { derivedDataReport } from 'lapidary-http/internal/server'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { createSdkClient, dropTables, uniqueTableName } from '../../../test/engines/index.ts'
import { PATIENCE } from '../../../test/engines/patience.ts'
import { createApp } from '../src/app.ts'
import { createServices } from '../src/services.ts'
import { silentLogger } from './silent-logger.ts'
import { ADMIN, CHOSEN, engineOf, newComment, readAnswer } from './test-app.ts'

const client = createSdkClient(engineOf(CHOSEN))
const tableName = uniqueTableName()
const services = createServices({
  ...{ client, tableName, layout: CHOSEN, cursorSecret: 'a secret of the tests' },
  derived: { counts: true, pages: segments() },
  stream: { immediate: true },
})
let poller = { status: () => ({ lagMs: null, others: [], shards: [] }) } as unknown as Poller
const app = createApp(services, {
  ...{ tokens: { admin: ADMIN }, logger: silentLogger, metrics: createMetrics({ process: false }) },
  readiness: { derivedData: () => derivedDataReport(services, poller) },
})
const get = async (path: string) => readAnswer(await app.request(path))

beforeAll(async () => {
  await services.database.table.create()
  for (const id of ['1', '2', '3']) await services.comments.create({ productId: '42', id, ...newComment() } as never)
})
afterAll(async () => {
  await dropTables(client, [tableName])
  client.destroy()
})

const UNKNOWN = { counts: null, total: null, languages: null, average: null, asOf: null }

test('before the first count nothing is zero: it is null, as /openapi.json says', async () => {
  const { schemas } = (await get('/openapi.json')).body.components
  for (const [path, schema, answer] of [
    ['/products/42/statistics', 'Statistics', { productId: '42', language: null, ...UNKNOWN }],
    ['/products/none/statistics?language=en', 'Statistics', { productId: 'none', language: 'en', ...UNKNOWN }],
    ['/leaderboards/five-star', 'Leaderboard', { entries: null, asOf: null }],
  ] as const) {
    const { status, body } = await get(path)
    expect([status, body]).toEqual([200, answer])
    expect(z.fromJSONSchema(schemas[schema]).safeParse(body)).toMatchObject({ success: true })
    for (const [name, value] of Object.entries(answer))
      if (value === null) expect(schemas[schema].properties[name].type, `${schema}.${name}`).toContain('null')
  }
  const { items, page, facets, asOf } = (await get('/products/42/comments?limit=1')).body
  expect([items.length, page, facets, asOf]).toMatchObject([1, { number: 1, total: null, count: null }, null, null])
  // All comments are on the page.
  expect((await get('/products/42/comments')).body.page).toMatchObject({ total: 3, count: 1 })
  expect((await get('/readyz')).status).toBe(503)
})

test('a gap of the change stream makes the server unready, and what is counted unknown', async () => {
  await using counting = await services.database.stream.start()
  poller = counting
  await vi.waitUntil(async () => (await get('/products/42/statistics')).body.total === 3, PATIENCE)
  await vi.waitUntil(async () => (await get('/readyz')).status === 200, PATIENCE)
  const Key = { PK: { S: '~DERIVED' }, SK: { S: 'gap#shard-1' } }
  await client.send(new PutItemCommand({ TableName: tableName, Item: Key }))
  await vi.waitUntil(async () => (await get('/readyz')).status === 503, PATIENCE)
  expect((await get('/readyz')).body).toMatchObject({
    code: 'unavailable',
    checks: { derivedData: { ok: false, gaps: 1 } },
  })
  await vi.waitUntil(async () => (await get('/products/42/statistics')).body.total === null, PATIENCE)
  await client.send(new DeleteItemCommand({ TableName: tableName, Key }))
  await vi.waitUntil(async () => (await get('/readyz')).status === 200, PATIENCE)
})
