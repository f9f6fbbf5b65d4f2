import { UpdateItemCommand } from '@aws-sdk/client-dynamodb'
import { anyOf, createLapidary, defineCollection, eachOf, oneOf, segments } from 'lapidary'
import { primaryKey } from 'lapidary/layouts'
import { createRequestLog, type Studio, type StudioFinding, startStudio } from 'lapidary-studio'
import { z } from 'zod'
import {
  createTestClient,
  createTestStreams,
  dropTables,
  type TestEngine,
  testEngines,
  uniqueTableName,
} from '../../../test/engines/index.ts'

export const STATUSES = ['OPEN', 'PAID', 'SENT', 'LOST'] as const

/** Orders of customers: closed and open facets, numbers, tags, two orders, a version, and values that JSON lacks. */
export const orders = defineCollection({
  name: 'ORDER',
  schema: z.looseObject({
    ...{ id: z.string().min(1), customer: z.string().min(1), placedAt: z.iso.datetime() },
    ...{ status: z.enum(STATUSES), country: z.string().min(2), price: z.number() },
    tags: z.array(z.string()),
    note: z.string().max(20_000).optional(),
    amount: z.string().optional(),
    photo: z.instanceof(Uint8Array).optional(),
    labels: z.set(z.string()).optional(),
    version: z.number(),
  }),
  id: 'id',
  scope: { name: 'CUSTOMER', attribute: 'customer' },
  order: 'placedAt',
  orders: { price: { attribute: 'price', type: 'number' } },
  facets: {
    status: anyOf(STATUSES),
    country: oneOf(),
    price: anyOf('number', { counted: false }),
    tags: eachOf({ counted: false }),
  },
  indexes: { all: {}, byStatus: { partition: ['status'] }, byPrice: { order: 'price' } },
  numbers: { amount: 'decimal', weight: 'number' } as never,
  version: 'version',
  leaderboards: { open: { where: { status: ['OPEN'] } } },
})

/** Notes without a version: a change goes by what was read. */
export const notes = defineCollection({
  name: 'NOTE',
  schema: z.looseObject({ id: z.string(), list: z.string(), at: z.iso.datetime(), kind: z.string(), text: z.string() }),
  id: 'id',
  scope: { name: 'LIST', attribute: 'list' },
  order: 'at',
  facets: { kind: oneOf() },
})

export type Order = z.output<typeof orders.schema & z.ZodType<Record<string, unknown>>>

/** A studio on an engine, with what is behind it. */
export interface StudioHarness extends AsyncDisposable {
  readonly studio: Studio
  readonly lapidary: ReturnType<typeof database>['lapidary']
  readonly reported: unknown[]
  readonly origin: string
  /** The session's cookie: `name=value`. */
  readonly cookie: string
  /** Asks for a page within the session, with its counts. */
  get(path: string): Promise<Response>
  /** Sends a form as a page of the studio does; redirects are not followed. */
  post(path: string, form: Readonly<Record<string, string>>): Promise<Response>
  /** Writes an attribute of an order as another program would: behind the library's back. */
  writeRaw(id: string, name: string, value: Record<string, unknown>): Promise<void>
}

function database(engine: TestEngine, columns: boolean) {
  const client = createTestClient(engine)
  const streams = createTestStreams(engine)
  const tableName = uniqueTableName()
  const requests = createRequestLog()
  const lapidary = createLapidary({
    ...{ client, tableName, collections: { orders, notes }, cursorSecret: 'a secret for the tests' },
    derived: { counts: true, pages: segments(), columns },
    stream: { client: streams, immediate: true },
    observers: [requests.observer],
  })
  return { client, streams, tableName, lapidary, requests }
}

export interface HarnessOptions {
  readonly engine?: TestEngine
  /** Whether facets have columns; they have none when not given. */
  readonly columns?: boolean
  readonly examine?: (signal: AbortSignal) => Promise<readonly StudioFinding[]>
}

/** Opens a studio on a table of its own. */
export async function openStudioHarness(options: HarnessOptions = {}): Promise<StudioHarness> {
  const [embedded] = testEngines()
  const { client, streams, tableName, lapidary, requests } = database(
    options.engine ?? (embedded as TestEngine),
    options.columns ?? false,
  )
  await lapidary.table.create()
  const reported: unknown[] = []
  const studio = await startStudio({
    database: lapidary,
    collections: {
      orders: { collection: orders, client: lapidary.orders as never },
      notes: { collection: notes, client: lapidary.notes as never },
    },
    place: 'an engine of the tests',
    requests,
    onError: (error) => reported.push(error),
    ...(options.examine === undefined ? {} : { examine: options.examine }),
  })
  const origin = new URL(studio.url).origin
  const entered = await fetch(studio.url, { redirect: 'manual' })
  const cookie = entered.headers.get('set-cookie')?.split(';')[0] ?? ''
  return {
    ...{ studio, lapidary, reported, origin, cookie },
    get: (path) => fetch(origin + path, { headers: { cookie, prefer: 'wait=60' } }),
    post: (path, form) =>
      fetch(origin + path, {
        ...{ method: 'POST', redirect: 'manual', headers: { cookie, origin }, body: new URLSearchParams(form) },
      }),
    async writeRaw(id, name, value) {
      const { PK, SK } = primaryKey(orders, id)
      await client.send(
        new UpdateItemCommand({
          ...{ TableName: tableName, Key: { PK: { S: PK }, SK: { S: SK } } },
          ...{ UpdateExpression: 'SET #n = :v', ExpressionAttributeNames: { '#n': name } },
          ExpressionAttributeValues: { ':v': value as never },
        }),
      )
    },
    async [Symbol.asyncDispose]() {
      await studio.close()
      streams.destroy()
      await dropTables(client, [tableName])
    },
  }
}

/** Returns made-up orders: the same each time. */
export function someOrders(count: number, customer = 'c1') {
  return Array.from({ length: count }, (_, i) => ({
    ...{ id: `${customer}-${String(i).padStart(4, '0')}`, customer },
    placedAt: new Date(Date.UTC(2026, 0, 1) + Math.floor(i / 2) * 3_600_000).toISOString(),
    ...{ status: STATUSES[(i * 7) % 4] ?? 'OPEN', country: ['de', 'fr', 'it'][i % 3] ?? 'de', price: (i * 37) % 100 },
    tags: [['new'], ['gift', 'new'], [], ['bulk']][i % 4] ?? [],
  }))
}
