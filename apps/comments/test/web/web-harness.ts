import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { openEngine } from 'lapidary-engine'
import { toProblem } from 'lapidary-http/internal'
import { expect, vi } from 'vitest'
import { dropTables, uniqueTableName } from '../../../../test/engines/index.ts'
import { PATIENCE } from '../../../../test/engines/patience.ts'
import type { Catalogue } from '../../src/catalogue/catalogue.ts'
import { createServices, type Services } from '../../src/services.ts'
import { problemPage } from '../../src/web/problem-answers.tsx'
import { webRoutes } from '../../src/web/routes.tsx'
import { CHOSEN, engineOf } from '../test-app.ts'
import { hostileComments, oddComments, sampleComments } from './sample-comments.ts'

export const WRITER_TOKEN = 'writer-token-of-the-tests'

/** The policy that a strict server sends with every page; the pages have to work with it. */
const CONTENT_SECURITY_POLICY =
  "default-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

export interface WebHarness extends AsyncDisposable {
  readonly app: Hono
  readonly services: Services
  /** Errors that are no visitor's fault. */
  readonly reported: unknown[]
  /** Serves the pages on a free port of this machine. */
  listen(): Promise<string>
}

/** Returns services whose lists have counts, as they do where statistics are kept. */
export function withCounts(services: Services): Services {
  const { comments } = services
  const list: typeof comments.list = async (query) => {
    const page = await comments.list(query)
    const facets = {
      rating: { 1: 1480, 2: 310, 3: 702, 4: 1995, 5: 6023 },
      language: { en: 7804, de: 1200, 'pt-br': 906, ar: 600, it: 0 },
    }
    return { ...page, facets, page: { ...page.page, total: 10_510, count: 526 }, asOf: '2026-02-03T04:05:06.000Z' }
  }
  return { ...services, comments: { ...comments, list } }
}

/** Returns services that fail whenever one product is listed. */
export function failingFor(productId: string): (services: Services) => Services {
  return (services) => {
    const { comments } = services
    const list: typeof comments.list = async (query) => {
      if (query.scope === productId) throw new Error('a mistake')
      return comments.list(query)
    }
    return { ...services, comments: { ...comments, list } }
  }
}

interface WebHarnessOptions {
  readonly change?: (services: Services) => Services
  /** Whether a poller keeps statistics; once it has, they know of all sample data. */
  readonly statistics?: boolean
  readonly catalogue?: Catalogue
}

/** Opens the pages on an engine of their own, in memory, with sample data under the products 42, few, hostile, long and late. */
export async function openWebHarness(options: WebHarnessOptions = {}): Promise<WebHarness> {
  const { change = (services) => services, statistics = false, catalogue } = options
  // The embedded engine can't query keys of several attributes.
  const isApart = CHOSEN.name === 'native-keys'
  const engine = await openEngine(isApart ? { endpoint: engineOf(CHOSEN).endpoint } : {})
  const client = new DynamoDBClient(engine.clientConfig)
  const tableName = isApart ? uniqueTableName() : 'comments'
  const cursorSecret = 'a secret for the tests'
  const services = change(
    createServices({
      client,
      tableName,
      layout: CHOSEN,
      cursorSecret,
      derived: { counts: statistics },
      stream: { immediate: true },
    }),
  )
  await services.database.table.create()
  for (const sample of [
    ...sampleComments('42', 130),
    ...sampleComments('few', 7),
    ...hostileComments,
    ...oddComments,
  ]) {
    await services.comments.create(sample)
  }
  await services.comments.patch('42-0129', { rating: 4 })
  const poller = statistics ? await services.database.stream.start({ idleMs: 50 }) : undefined
  if (poller !== undefined) await counted(services, 'late', 1)

  const reported: unknown[] = []
  const app = new Hono()
  app.use(async (c, next) => {
    await next()
    c.header('Content-Security-Policy', CONTENT_SECURITY_POLICY)
  })
  app.route(
    '/',
    webRoutes(services, {
      authorize: (token) => (token === WRITER_TOKEN ? 'writer' : undefined),
      catalogue,
    }),
  )
  app.onError((error, c) => {
    const problem = toProblem(error)
    if (problem.status >= 500) reported.push(error)
    return problemPage(c, problem)
  })
  const closers: (() => Promise<void>)[] = []
  return {
    app,
    services,
    reported,
    listen: () =>
      new Promise((resolve) => {
        const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) =>
          resolve(`http://127.0.0.1:${port}`),
        )
        closers.push(() => new Promise((done) => server.close(() => done())))
      }),
    [Symbol.asyncDispose]: async () => {
      await Promise.all(closers.map((close) => close()))
      await poller?.close()
      await dropTables(client, [tableName])
      await engine.close()
    },
  }
}

/** Waits until the counts of a product reach a total; changes are counted in the order of their shard. */
export async function counted({ comments }: Services, productId: string, total: number): Promise<void> {
  await vi.waitFor(async () => expect((await comments.count({ scope: productId })).total).toBe(total), PATIENCE)
}
