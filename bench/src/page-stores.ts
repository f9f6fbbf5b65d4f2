import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { PGlite } from '@electric-sql/pglite'
import { createLapidary, type ListEntry, type PageStore, pageMarkers, segments, tableFor } from 'lapidary'
import { createTableInput } from 'lapidary/schema'
import { openEngine } from 'lapidary-engine'
import { redisLists, relationalLists } from 'lapidary-pages'
import { fileLists } from 'lapidary-pages/file'
import { Pool } from 'pg'
import { createClient } from 'redis'
import type { BenchContext } from './bench.ts'
import { comments, generateComments, PRODUCT } from './comments.ts'
import { mean, median, rounded } from './measure.ts'
import { anywhere, newest, type TreeChanges } from './page-changes.ts'
import { treeBytes } from './page-numbers.ts'
import { startPostgres } from './postgres-process.ts'
import type { Random } from './random.ts'
import { startRedis } from './redis-process.ts'
import type { Report } from './report.ts'
import { entryOf, TABLE_NAME } from './stored-comments.ts'

const SIZES = [10_000, 100_000, 1_000_000, 10_000_000]
const QUICK_SIZES = [1_000, 10_000]
/** More entries are filled into stores that take them some thousands a second. */
const MOST = 1_000_000
/** Entries of all places that changes are made near; the others are not kept. */
const SAMPLES = 10_000
const LOOK_UPS = 200
const CHANGES = 500
const BATCH = 25
const FILLED_AT_ONCE = 50_000

/** A store under test: lists of one collection, and how many bytes they have. */
interface Opened extends AsyncDisposable {
  readonly store: PageStore
  bytes(): Promise<number>
}

interface Measured {
  readonly name: string
  readonly size: number
  readonly lookUpMs: number
  readonly rcu: number
  readonly rounds: number
  readonly newestMs: number
  /** Undefined where the store refuses some. */
  readonly anywhereMs: number | undefined
  readonly bytes: number
}

/** The stores of page numbers side by side: looking up, taking in, and the room that an entry takes. */
export async function pageStores({ random, quick }: BenchContext): Promise<Report> {
  const measured: Measured[] = []
  for (const size of quick ? QUICK_SIZES : SIZES) {
    const others = [inTable(segments), inTable(pageMarkers), inPostgres, inPglite]
    for (const open of [inRedis, inFiles, ...(size > MOST ? [] : others)]) {
      measured.push(await measure(open, size, random))
    }
  }
  return {
    tables: [
      {
        title: `Page numbers of one product: a place anywhere in five lists merged, and a change in batches of ${BATCH}; the table is in the embedded engine`,
        columns: [
          ...['store', 'comments', 'look-up, ms', 'RCU', 'rounds'],
          ...['newest, ms a change', 'anywhere, ms a change', 'bytes an entry'],
        ],
        rows: measured.map((each) => [
          ...[each.name, each.size, rounded(each.lookUpMs, 2), rounded(each.rcu, 1), each.rounds],
          rounded(each.newestMs, 2),
          each.anywhereMs === undefined ? 'refused' : rounded(each.anywhereMs, 2),
          rounded(each.bytes, 0),
        ]),
      },
    ],
    targets: [],
    figures: measured,
  }
}

async function measure(open: () => Promise<Opened>, size: number, random: Random): Promise<Measured> {
  await using opened = await open()
  const engine = await openEngine()
  const client = new DynamoDBClient(engine.clientConfig)
  try {
    const { StreamSpecification: _, ...table } = createTableInput(
      tableFor({ tableName: TABLE_NAME, collections: { comments } }),
    )
    await client.send(new CreateTableCommand(table))
    const [pages] = createLapidary({
      ...{ client, tableName: TABLE_NAME, collections: { comments } },
      ...{ cursorSecret: 'a secret that only the bench knows', derived: { pages: opened.store } },
    }).comments.context.pages
    if (pages === undefined) throw new Error('there is no page index')
    const isAsked = (cell: string): boolean => cell.startsWith('en#')
    const entries: ListEntry[] = []
    let total = 0
    const filling = await pages.lists.fill()
    let after: number | undefined
    for (let first = 0; first < size; first += FILLED_AT_ONCE) {
      const part = generateComments(Math.min(FILLED_AT_ONCE, size - first), random, { first, ...(after && { after }) })
      after = Date.parse(part.at(-1)?.createdAt ?? '')
      const added = part.flatMap((each) => pages.entriesOf(entryOf(each)))
      total += added.filter(({ cell }) => isAsked(cell)).length
      const step = Math.ceil(size / SAMPLES)
      entries.push(...added.filter((_, i) => (first + i + 1) % step === 0))
      await filling.add(added)
    }
    await filling.finish()
    const bytes = ((await opened.bytes()) || (await treeBytes(client))) / size

    const question = { groups: [PRODUCT], includes: isAsked, lower: undefined, upper: undefined, ascending: false }
    const times: number[] = []
    const rcu: number[] = []
    let rounds = 0
    for (let i = 0; i < LOOK_UPS; i++) {
      const startedAt = performance.now()
      const answer = await pages.lists.select({ ...question, offset: Math.floor(random() * total) })
      times.push(performance.now() - startedAt)
      if (answer.place === undefined || answer.total !== total) throw new Error(`${opened.store.name} is wrong`)
      rcu.push(answer.rcu)
      rounds = Math.max(rounds, answer.rounds)
    }
    const taken = async ({ shardId, changes }: TreeChanges): Promise<number> => {
      const startedAt = performance.now()
      for (let i = 0; i < changes.length; i += BATCH) await pages.lists.apply(shardId, changes.slice(i, i + BATCH))
      return (performance.now() - startedAt) / changes.length
    }
    const newestMs = await taken(newest(entries, CHANGES))
    const anywhereMs = await taken(anywhere(entries, CHANGES, random)).catch((error: unknown) => {
      if ((error as { code?: unknown }).code === 'unprocessable') return undefined
      throw error
    })
    const lookUpMs = median(times)
    await pages.lists.close()
    return { name: opened.store.name, size, lookUpMs, rcu: mean(rcu), rounds, newestMs, anywhereMs, bytes }
  } finally {
    client.destroy()
    await engine.close()
  }
}

function inTable(make: () => PageStore): () => Promise<Opened> {
  return async () => ({ store: make(), bytes: async () => 0, [Symbol.asyncDispose]: async () => undefined })
}

async function inRedis(): Promise<Opened> {
  const server = await startRedis()
  const redis = await createClient({ url: `redis://127.0.0.1:${server.port}` }).connect()
  const used = async (): Promise<number> => Number(/^used_memory:(\d+)/m.exec(await redis.info('memory'))?.[1])
  const empty = await used()
  return {
    store: redisLists({ send: (command) => redis.sendCommand([...command]) }),
    bytes: async () => (await used()) - empty,
    async [Symbol.asyncDispose]() {
      await redis.close()
      await server[Symbol.asyncDispose]()
    },
  }
}

async function inFiles(): Promise<Opened> {
  const folder = mkdtempSync(join(tmpdir(), 'lapidary-bench-'))
  return {
    store: fileLists({ folder }),
    bytes: async () =>
      readdirSync(folder).reduce(
        (sum, name) => sum + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0),
        0,
      ),
    async [Symbol.asyncDispose]() {
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const SIZE =
  "SELECT sum(pg_total_relation_size(oid))::text AS bytes FROM pg_class WHERE relnamespace = 'lapidary'::regnamespace AND relkind = 'r'"

async function inPostgres(): Promise<Opened> {
  const server = await startPostgres()
  const pool = new Pool({ connectionString: server.url })
  return {
    store: relationalLists({ query: (statement, values) => pool.query(statement, [...values]) }),
    bytes: async () => Number((await pool.query<{ bytes: string }>(SIZE)).rows[0]?.bytes),
    async [Symbol.asyncDispose]() {
      await pool.end()
      await server[Symbol.asyncDispose]()
    },
  }
}

async function inPglite(): Promise<Opened> {
  const folder = mkdtempSync(join(tmpdir(), 'lapidary-bench-'))
  const database = await PGlite.create(join(folder, 'data'))
  return {
    store: relationalLists({ query: (statement, values) => database.query(statement, [...values]), name: 'pglite' }),
    bytes: async () => Number((await database.query<{ bytes: string }>(SIZE)).rows[0]?.bytes),
    async [Symbol.asyncDispose]() {
      await database.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
