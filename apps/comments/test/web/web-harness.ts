import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { createTable, tableFor } from 'lapidary'
import { openEngine } from 'lapidary/engine'
import { comments } from '../../src/comment.ts'
import { createServices } from '../../src/services.ts'
import { webRoutes } from '../../src/web/routes.tsx'
import type { WebServices } from '../../src/web/settings.ts'
import { hostileComments, sampleComments } from './sample-comments.ts'

export const WRITER_TOKEN = 'writer-token-of-the-tests'

/** What a strict server sends with every page; the pages have to live with it. */
const CONTENT_SECURITY_POLICY =
  "default-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

export interface WebHarness extends AsyncDisposable {
  readonly app: Hono
  readonly services: WebServices
  /** Errors that visitors saw as "something went wrong". */
  readonly reported: unknown[]
  /** Serves the pages on a free port of this machine. */
  listen(): Promise<string>
}

/** The pages on an engine of their own, in memory, with sample data under the products 42, hostile and few. */
export async function openWebHarness(replaced: Partial<WebServices> = {}): Promise<WebHarness> {
  const engine = await openEngine({})
  const client = new DynamoDBClient(engine.clientConfig)
  const tableName = 'comments'
  await createTable(client, tableFor({ tableName, collections: { comments } }))
  const services: WebServices = {
    ...createServices({ client, tableName, cursorSecret: 'a secret for the tests' }),
    ...replaced,
  }
  for (const sample of [...sampleComments('42', 130), ...sampleComments('few', 7), ...hostileComments]) {
    await services.comments.create(sample)
  }
  await services.comments.patch('42-0129', { rating: 4 })

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
      report: (error) => reported.push(error),
    }),
  )
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
      client.destroy()
      await engine.close()
    },
  }
}
