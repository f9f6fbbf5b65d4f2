import type { Poller } from 'lapidary'
import { createMetrics } from 'lapidary-http/internal'
import { derivedDataReport, lagBeyond } from 'lapidary-http/internal/server'
import { describe, expect, test } from 'vitest'
import { createApp } from '../src/app.ts'
import { silentLogger } from './silent-logger.ts'
import { ADMIN, newComment, readAnswer, useTestApp } from './test-app.ts'

const { services, send, ask, counted } = useTestApp()
const MINUTE_MS = 60_000

function appBehind(lagMs: number | null, others: readonly string[] = []) {
  const poller = { status: () => ({ lagMs, others, shards: [] }) } as unknown as Poller
  const late = { ...services, countsBehind: () => lagBeyond(poller, MINUTE_MS) }
  return createApp(late, {
    tokens: { admin: ADMIN },
    logger: silentLogger,
    metrics: createMetrics({ process: false }),
    readiness: { derivedData: () => derivedDataReport(late, poller) },
  })
}

describe('counts that are known to be behind', () => {
  test('are not shown as totals, and make the server unready', async () => {
    for (const id of ['1', '2', '3']) await send('POST', '/products/42/comments', newComment({ id }))
    await counted()
    expect((await ask('/products/42/comments?limit=2')).body.page.total).toBe(3)

    const late = appBehind(12 * MINUTE_MS)
    const get = async (path: string) => readAnswer(await late.request(path))
    expect((await get('/products/42/comments?limit=2')).body.page).toMatchObject({ total: null, count: null })
    expect((await get('/products/42/comments?limit=3')).body.page).toMatchObject({ total: 3, count: 1 })
    expect((await get('/products/42/statistics')).body).toMatchObject({ total: null, average: null, counts: { 5: 3 } })
    const page = (await get('/p/42?limit=2')).body
    expect(page).toContain('Still counting: the counts are 12 minutes behind.')
    expect(page).not.toMatch(/3 comments/)
    expect((await get('/')).body).toContain('still counting')
    const ready = await get('/readyz')
    expect(ready).toMatchObject({ status: 503, body: { code: 'unavailable' } })
    expect(ready.body.checks.derivedData).toMatchObject({ ok: false, lagMs: 12 * MINUTE_MS })
  })

  test('a server is not ready before it has counted, nor while no process follows the change stream', async () => {
    expect((await appBehind(null).request('/readyz')).status).toBe(503)
    expect((await appBehind(null, ['shard']).request('/readyz')).status).toBe(200)
  })

  test.each([0, MINUTE_MS])('a lag of %j is none of them', async (lagMs) => {
    const app = appBehind(lagMs)
    expect((await app.request('/readyz')).status).toBe(200)
    expect((await readAnswer(await app.request('/products/42/comments?limit=2'))).body.page.total).toBe(3)
  })
})
