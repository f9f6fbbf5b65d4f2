import { createMetrics } from 'lapidary-http/internal'
import { beforeAll, describe, expect, test } from 'vitest'
import { createApp } from '../src/app.ts'
import { silentLogger } from './silent-logger.ts'
import { ADMIN, newComment, readAnswer, useTestApp } from './test-app.ts'

const COMMENTS = 60
/** A read of half a megabyte may end one comment above its limit. */
const ONE_COMMENT_RCU = 5.5

const tested = useTestApp()
const { app, ask, send, services } = tested

function readUnits(headers: Headers): number {
  return Number(/([\d.]+) RCU/.exec(headers.get('server-timing') ?? '')?.[1] ?? 0)
}

describe('comments of the greatest size', () => {
  beforeAll(async () => {
    const text = '💎'.repeat(10_000)
    for (let i = 0; i < COMMENTS; i++) {
      const rating = (i % 5) + 1
      expect((await send('POST', '/products/big/comments', newComment({ id: `big-${i}`, text, rating }))).status).toBe(
        201,
      )
    }
  })

  test.each(['/products/big/comments?limit=100', '/p/big?limit=100'])(
    '%s ends where the request has read what it may',
    async (path) => {
      const response = await app.request(path)
      expect(response.status).toBe(200)
      expect(readUnits(response.headers)).toBeLessThan(services.maxCapacity + ONE_COMMENT_RCU)
      expect((await response.text()).length).toBeLessThan(2_500_000)
    },
  )

  test('end a page also where they come before light ones by which their list is known', async () => {
    const light = Array.from({ length: 60 }, (_, i) =>
      newComment({ id: `light-${i}`, createdAt: '2020-01-01T00:00:00Z' }),
    )
    const heavy = Array.from({ length: 20 }, (_, i) =>
      newComment({ id: `heavy-${i}`, createdAt: '2021-01-01T00:00:00Z', text: '💎'.repeat(10_000) }),
    )
    for (const sent of [...light, ...heavy]) {
      expect((await send('POST', '/products/both/comments', sent)).status).toBe(201)
    }
    await tested.counted()
    const { items } = (await ask('/products/both/comments?limit=1')).body
    expect(items[0].id).toContain('heavy')
    for (const filter of ['', '&rating=5']) {
      const { status, headers } = await ask(`/products/both/comments?limit=100${filter}`)
      expect(status).toBe(200)
      expect(readUnits(headers)).toBeLessThan(services.maxCapacity + ONE_COMMENT_RCU)
    }
  })

  test('a page that was cut says why, and its cursors lead to every comment once', async () => {
    const found: string[] = []
    let path: string | undefined = '/products/big/comments?limit=100&explain=true'
    let pages = 0
    while (path !== undefined) {
      const { body, headers } = await ask(path)
      found.push(...body.items.map(({ id }: { id: string }) => id))
      if (body.cursors.next !== null) expect(body.plan.limits).toContain('maxCapacity')
      path = /<([^>]*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]
      pages++
    }
    expect(pages).toBeGreaterThan(1)
    expect(found.toSorted()).toEqual(Array.from({ length: COMMENTS }, (_, i) => `big-${i}`).toSorted())
  })

  test('a post that is refused costs no read, whether its token is wrong or there were too many', async () => {
    tested.now = Date.now()
    const post = () =>
      app.request('/p/big/comments', {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: 'token=guess&rating=5&language=en&text=Fine&author=Ada',
      })
    const statuses = new Set<number>()
    for (let i = 0; i < 110; i++) {
      const { status, headers } = await post()
      expect(readUnits(headers)).toBe(0)
      statuses.add(status)
    }
    expect([...statuses]).toEqual([401, 429])
  })
})

describe('more requests than the server takes', () => {
  const settings = {
    tokens: { admin: ADMIN },
    logger: silentLogger,
    metrics: createMetrics({ process: false }),
    readiness: {},
  }

  test('are answered 503 before any work, and health checks are not', async () => {
    let reads = 0
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    const get: typeof services.comments.get = async (id) => {
      reads++
      await released
      return services.comments.get(id)
    }
    const busy = createApp({ ...services, comments: { ...services.comments, get } }, settings)
    const answers = Array.from({ length: 200 }, async () => readAnswer(await busy.request('/comments/big-1')))
    const refused = await Promise.race(answers)
    expect(refused).toMatchObject({ status: 503, body: { code: 'unavailable' } })
    expect(refused.headers.get('retry-after')).toBe('1')
    expect(reads).toBeLessThan(50)
    for (const path of ['/healthz', '/readyz', '/metrics']) expect((await busy.request(path)).status).toBe(200)
    release()
    const statuses = (await Promise.all(answers)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(96)
    expect(statuses.filter((status) => status === 503)).toHaveLength(104)
  })
})
