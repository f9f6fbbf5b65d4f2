import { type Layout, type LayoutName, layoutNamed, type Poller, segments } from 'lapidary'
import { type App, createMetrics, observeCapacity } from 'lapidary-http/internal'
import { startDerivedData } from 'lapidary-http/internal/server'
import { pino } from 'pino'
import { afterAll, beforeAll, vi } from 'vitest'
import {
  createSdkClient,
  dropTables,
  type TestEngine,
  testEngines,
  uniqueTableName,
} from '../../../test/engines/index.ts'
import { PATIENCE } from '../../../test/engines/patience.ts'
import { type AppSettings, createApp } from '../src/app.ts'
import { addPhotoRoutes } from '../src/http/photo-routes.ts'
import type { Identify } from '../src/people/person.ts'
import { createServices, type Services } from '../src/services.ts'

export const ADMIN = 'the-admin-token-1'
export const WRITER = 'the-writer-token'

/** A JSON answer, read. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests look at whatever came
  readonly body: any
}

export interface TestApp {
  readonly app: App
  readonly services: Services
  /** The time as the application sees it; undefined = the real one. */
  now: number | undefined
  /** Lines that the application logged. */
  readonly log: string[]
  /** Sends `GET`, or the method of `init`. */
  ask(path: string, init?: RequestInit): Promise<Answer>
  /** Sends JSON with a token, the writer's unless another is given. */
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  /** Resolves when everything that was written is counted. */
  counted(): Promise<void>
}

/** The layouts of the essential tests. All others can run on one of them: `LAYOUT=power-set npx vitest run apps/comments`. */
export const LAYOUTS: readonly LayoutName[] = ['indexes', 'power-set', 'native-keys']

/** The layout of all tests that name none. */
export const CHOSEN: Layout = layoutNamed((process.env.LAYOUT || 'indexes') as LayoutName)

/** Its name where the engine is embedded, which has no native keys. */
export const LAYOUT_EMBEDDED: string = CHOSEN.name === 'native-keys' ? 'indexes' : CHOSEN.name

/** Whether two ratings are two lists, which a page merges: a power set has one list for both. */
export const MERGES: boolean = CHOSEN.name !== 'power-set'

/** Returns an engine of the tests that can hold a layout: the embedded one can't query keys of several attributes. */
export function engineOf({ name }: Layout): TestEngine {
  const engine = testEngines()[name === 'native-keys' ? 1 : 0]
  if (engine === undefined) throw new Error('no engine')
  return engine
}

/** Starts one application on a table of its own, for all tests of a file, or of a `describe`. */
export function useTestApp(
  given: TestEngine | undefined = undefined,
  layout: Layout = CHOSEN,
  publicUrl?: string,
  settings: Partial<AppSettings> & Partial<Pick<Services, 'photos'>> = {},
): TestApp {
  const engine = given ?? engineOf(layout)
  const client = createSdkClient(engine)
  const tableName = uniqueTableName()
  const metrics = createMetrics({ process: false })
  observeCapacity(client, metrics.observeCapacity)
  const services = createServices({
    ...(settings.photos === undefined ? {} : { photos: settings.photos }),
    client,
    tableName,
    layout,
    cursorSecret: 'a secret of the tests',
    derived: { counts: true, pages: segments() },
    stream: { immediate: true },
  })
  const log: string[] = []
  let poller: Poller | undefined
  const logger = pino({ level: 'info' }, { write: (line: string) => log.push(line) })
  const app = createApp(services, {
    tokens: { admin: ADMIN, writer: WRITER },
    logger,
    metrics,
    readiness: { table: async () => ({ ok: true }) },
    publicUrl,
    photoRoutes: addPhotoRoutes,
    clock: () => tested.now ?? Date.now(),
    ...settings,
  })
  const tested: TestApp = {
    app,
    services,
    now: undefined,
    log,
    ask: async (path, init) => readAnswer(await app.request(path, init)),
    send: (method, path, body, headers = {}) =>
      tested.ask(path, {
        method,
        headers: { authorization: `Bearer ${WRITER}`, 'content-type': 'application/json', ...headers },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
    async counted() {
      const now = Date.now()
      await vi.waitUntil(() => (poller?.status().caughtUpAt ?? 0) > now, PATIENCE)
    },
  }
  beforeAll(async () => {
    await services.database.table.create()
    poller = await startDerivedData(services, logger, () => true)
  })
  afterAll(async () => {
    await poller?.close()
    await dropTables(client, [tableName])
  })
  return tested
}

export async function readAnswer(response: Response): Promise<Answer> {
  const text = await response.text()
  const isJson = /json/.test(response.headers.get('content-type') ?? '')
  return { status: response.status, headers: response.headers, body: isJson && text !== '' ? JSON.parse(text) : text }
}

/** A comment as a client sends it. */
export function newComment(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return { language: 'en', rating: 5, title: 'Fine', text: 'It works.', author: 'Ada', ...changes }
}

/** People are named by a header, as a test's shop knows them. */
export const byHeader: Identify = async (request) => {
  const id = request.headers.get('x-person')
  return id === null ? undefined : { id, name: id }
}
