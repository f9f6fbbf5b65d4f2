import { createLapidary, type Lapidary, type Poller, segments } from 'lapidary'
import { afterAll, beforeAll, vi } from 'vitest'
import { createSdkClient, dropTables, testEngines, uniqueTableName } from '../../../test/engines/index.ts'
import { PATIENCE } from '../../../test/engines/patience.ts'
import { type Authorize, byTokens, lapidaryRoutes, type RoutesOptions } from '../src/index.ts'
import type { App } from '../src/routing.ts'
import { auditOf, COLLECTIONS, ordersOf, ticketsOf } from './collections.ts'

export const ADMIN = 'the-admin-token-1'
export const WRITER = 'the-writer-token'

/** A JSON answer, read. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests look at whatever came
  readonly body: any
}

/** The API of three collections on a table of its own. */
export interface ServedApi {
  readonly app: App
  readonly lapidary: Lapidary<typeof COLLECTIONS>
  /** What the server's log would have. */
  readonly errors: unknown[]
  /** Sends `GET`, or the method of `init`. */
  ask(path: string, init?: RequestInit): Promise<Answer>
  /** Sends JSON with a token, the admin's unless another is given. */
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  /** Resolves when everything that was written is counted. */
  counted(): Promise<void>
}

interface Options extends Partial<Omit<RoutesOptions, 'authorize'>> {
  readonly authorize?: Authorize
  /** How many items of each collection there are; none when not given. */
  readonly items?: number
  readonly columns?: boolean
}

/** Serves three collections for all tests of a file. */
export function useServedApi(options: Options = {}): ServedApi {
  const { items = 0, columns = false, authorize = byTokens({ admin: ADMIN, writer: WRITER }), ...rest } = options
  const [engine] = testEngines()
  if (engine === undefined) throw new Error('no engine')
  const client = createSdkClient(engine)
  const tableName = uniqueTableName()
  const lapidary = createLapidary({
    ...{ client, tableName, collections: COLLECTIONS, cursorSecret: 'a secret of the tests' },
    derived: { counts: true, pages: segments(), columns },
    stream: { immediate: true },
  })
  const errors: unknown[] = []
  const app = lapidaryRoutes(lapidary, { authorize, onError: (error) => errors.push(error), ...rest })
  let poller: Poller | undefined
  const ask: ServedApi['ask'] = async (path, init) => readAnswer(await app.request(path, init))
  const api: ServedApi = {
    ...{ app, lapidary, errors, ask },
    send: (method, path, body, headers = {}) =>
      ask(path, {
        method,
        headers: { authorization: `Bearer ${ADMIN}`, 'content-type': 'application/json', ...headers },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
    async counted() {
      const now = Date.now()
      await vi.waitUntil(() => (poller?.status().caughtUpAt ?? 0) > now, PATIENCE)
    },
  }
  beforeAll(async () => {
    await lapidary.table.create()
    poller = await lapidary.stream.start()
    await Promise.all([
      ...ordersOf(items).map((item) => lapidary.orders.create(item as never)),
      ...ticketsOf(items).map((item) => lapidary.tickets.create(item as never)),
      ...auditOf(items).map((item) => lapidary.audit.create(item as never)),
    ])
    await api.counted()
  })
  afterAll(async () => {
    await poller?.close()
    await dropTables(client, [tableName])
  })
  return api
}

export async function readAnswer(response: Response): Promise<Answer> {
  const text = await response.text()
  const isJson = /json/.test(response.headers.get('content-type') ?? '')
  return { status: response.status, headers: response.headers, body: isJson && text !== '' ? JSON.parse(text) : text }
}
