import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { anyOf, createLapidary, defineCollection, oneOf } from 'lapidary'
import { openEngine } from 'lapidary-engine'
import { observeCapacity } from 'lapidary-http/internal'
import { startStudio } from 'lapidary-studio'
import { z } from 'zod'
import type { BenchContext } from './bench.ts'
import { fillDatabase } from './filled-database.ts'
import { median, rounded, timed } from './measure.ts'
import { pick, seededRandom } from './random.ts'
import type { Report } from './report.ts'

const ITEMS = 1_000_000
const QUICK_ITEMS = 5_000
const VISITS = 15
const QUICK_VISITS = 3
const TABLE_NAME = 'listings'
const MOST_MS = 500

const NORTH = '/c/listings?scope=north'

/** Most listings are of one region, so that a page of it is a page of some 600,000. */
const REGIONS = [
  ['north', 0.6],
  ['south', 0.2],
  ['east', 0.1],
  ['west', 0.07],
  ['islands', 0.03],
] as const
const TYPES = ['flat', 'house', 'studio'] as const
const STATUSES = ['free', 'let', 'reserved'] as const
const counted = false

const listings = defineCollection({
  name: 'LISTING',
  schema: z.object({
    ...{ id: z.string(), region: z.string(), listedAt: z.string(), title: z.string(), version: z.number() },
    ...{ area: z.string(), price: z.number(), floorSize: z.number(), minutesToStation: z.number(), age: z.number() },
    ...{ type: z.enum(TYPES), pets: z.boolean(), balcony: z.boolean(), agency: z.string(), status: z.enum(STATUSES) },
  }),
  ...{ id: 'id', version: 'version', order: 'listedAt', itemBytes: 300 },
  scope: { name: 'REGION', attribute: 'region' },
  facets: {
    status: anyOf(STATUSES),
    type: anyOf(TYPES),
    area: anyOf('string', { counted }),
    price: anyOf('number', { counted }),
    floorSize: anyOf('number', { counted }),
    minutesToStation: anyOf('number', { counted }),
    age: anyOf('number', { counted }),
    pets: oneOf('boolean', { counted }),
    balcony: oneOf('boolean', { counted }),
    agency: anyOf('string', { counted }),
  },
  indexes: { all: {}, byArea: { partition: ['area'] }, everywhere: { across: 4 } },
  leaderboards: { free: { where: { status: ['free'] } } },
})
type Listing = z.output<typeof listings.schema & z.ZodType<Record<string, unknown>>>

const opened = (client: DynamoDBClient) =>
  createLapidary({
    ...{ client, tableName: TABLE_NAME, collections: { listings } },
    cursorSecret: 'a secret that only the bench knows',
    derived: { counts: true, columns: true },
    stream: { immediate: true },
  })

/** A page of the studio, and what it is called in the table. */
interface Visited {
  readonly page: string
  readonly path: string
}

/** Shows how long the pages of the studio take on the embedded database with a million items, and what they read. */
export async function studio({ quick, seed }: BenchContext): Promise<Report> {
  const items = quick ? QUICK_ITEMS : ITEMS
  const dataDir = mkdtempSync(join(tmpdir(), 'lapidary-bench-'))
  try {
    await fill(dataDir, items, seed)
    await using engine = await openEngine({ dataDir })
    const client = new DynamoDBClient(engine.clientConfig)
    const read = { rcu: 0, requests: 0 }
    observeCapacity(client, (_, kind, units) => {
      if (kind === 'read') read.rcu += units
      read.requests++
    })
    const lapidary = opened(client)
    await using open = await startStudio({
      ...{ database: lapidary, place: 'a bench' },
      collections: { listings: { collection: listings, client: lapidary.listings as never } },
    })
    const entered = await fetch(open.url, { redirect: 'manual' })
    const cookie = entered.headers.get('set-cookie')?.split(';')[0] ?? ''
    const visit = async ({ path }: Visited, headers: Readonly<Record<string, string>> = {}) => {
      const { ms, value } = await timed(async () => {
        const answer = await fetch(new URL(path, open.url), { headers: { cookie, ...headers } })
        const text = await answer.text()
        if (answer.status !== 200) throw new Error(`${path} was answered with ${answer.status}: ${text.slice(-2_000)}`)
        return text
      })
      return { ms, text: value }
    }
    const measured = async (visited: Visited) => {
      Object.assign(read, { rcu: 0, requests: 0 })
      const first = await visit(visited)
      // As the script of the page comes back for counts.
      const counted = first.text.includes('data-counting') ? await visit(visited, { Prefer: 'wait=60' }) : undefined
      const { rcu, requests } = read
      const visits = []
      for (let i = 0; i < (quick ? QUICK_VISITS : VISITS); i++) visits.push((await visit(visited)).ms)
      const countsAfter = counted === undefined ? undefined : first.ms + counted.ms
      return { ...visited, first, countsAfter, ms: median(visits), rcu, requests }
    }
    const largest = await measured({ page: 'the largest scope', path: NORTH })
    const measurements = [largest]
    for (const visited of pagesOf(largest.first.text, items)) measurements.push(await measured(visited))
    const rows = measurements.map(({ first, ...row }) => ({ ...row, first: first.ms }))
    client.destroy()
    return {
      tables: [
        {
          title: `Pages of the studio on the embedded database, ${items.toLocaleString('en')} items of ten facets, ${VISITS} visits each`,
          columns: ['page', 'again, ms', 'first, ms', 'its counts after, ms', 'first, RCU', 'first, requests'],
          rows: rows.map(({ page, ms, first, countsAfter, rcu, requests }) => [
            ...[page, rounded(ms, 0), rounded(first, 0), countsAfter === undefined ? '' : rounded(countsAfter, 0)],
            ...[rcu, requests],
          ]),
        },
      ],
      targets: [
        {
          name: 'milliseconds of the slowest page, again (median)',
          value: Math.max(...rows.map(({ ms }) => ms)),
          limit: MOST_MS,
          kind: 'at most',
        },
      ],
      figures: rows,
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
}

function pagesOf(text: string, items: number): readonly Visited[] {
  const filter = '&is.status=free&from.price=400&to.price=1000&from.floorSize=50&to.minutesToStation=10'
  const next = /href="([^"]*cursor=[^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? ''
  const id = /\/c\/listings\/item\?id=(\w+)/.exec(text)?.[1] ?? ''
  const deep = Math.floor((items * 0.6) / 20 / 2)
  return [
    { page: 'the way in, with a leaderboard', path: '/c/listings' },
    { page: 'its next page', path: next },
    { page: `its page ${deep.toLocaleString('en')} of twice as many`, path: `${NORTH}&page=${deep}` },
    { page: 'all scopes', path: '/c/listings?all=1' },
    { page: 'two closed facets', path: `${NORTH}&is.status=free&is.type=house` },
    { page: 'an area, which has an index', path: `${NORTH}&is.area=area+7` },
    { page: 'four conditions, three of them ranges', path: NORTH + filter },
    { page: 'the same by number, page 10', path: `${NORTH}${filter}&page=10` },
    {
      page: 'the same with `OR` and `NOT`',
      path: `${NORTH}${filter}&where=${encodeURIComponent('{"OR":[{"type":"house"},{"balcony":true}],"NOT":{"agency":"agency 3"}}')}`,
    },
    { page: 'what nothing passes', path: `${NORTH}&is.status=let&to.price=1` },
    { page: 'an item', path: `/c/listings/item?id=${id}` },
    { page: 'a new item', path: '/c/listings/new?scope=north' },
    { page: 'the adviser, before it is asked', path: '/c/listings/adviser' },
    { page: 'operate', path: '/operate' },
  ]
}

async function fill(dataDir: string, items: number, seed: number): Promise<void> {
  {
    await using engine = await openEngine({ dataDir })
    const client = new DynamoDBClient(engine.clientConfig)
    await opened(client).table.create({ pages: 'later' })
    client.destroy()
  }
  const nowhere = new DynamoDBClient({ region: 'none', credentials: { accessKeyId: 'none', secretAccessKey: 'none' } })
  const { layout, codec } = opened(nowhere).listings.context
  const entries = function* () {
    for (const listing of someListings(items, seed)) yield* layout.entriesOf(listing, codec.toEntry(listing))
  }
  await fillDatabase(dataDir, TABLE_NAME, entries())
  await using engine = await openEngine({ dataDir })
  const client = new DynamoDBClient(engine.clientConfig)
  const { derived, stream } = opened(client)
  await derived.rebuild('all', { idleMs: 1 })
  await stream.catchUp()
  client.destroy()
}

function* someListings(items: number, seed: number): Iterable<Listing> {
  const random = seededRandom(seed)
  const upTo = (most: number): number => Math.floor(random() * most)
  for (let i = 0; i < items; i++) {
    const type = TYPES[upTo(5)] ?? 'flat'
    const floorSize = type === 'studio' ? 18 + upTo(20) : 30 + upTo(type === 'house' ? 170 : 90)
    const minutesToStation = 1 + Math.floor(30 * random() ** 2)
    yield {
      ...{ id: `l${1_000_000 + i}`, region: pick(REGIONS, random), version: 1 },
      listedAt: new Date(Date.UTC(2024, 0, 1) + i * 61_007).toISOString(),
      title: `Bright rooms near the park, free soon, number ${i} of those that were listed`,
      ...{ area: `area ${Math.floor(20 * random() ** 2)}`, type, floorSize, minutesToStation, age: upTo(60) },
      price: Math.round(floorSize * (12 - minutesToStation / 6) + upTo(300)),
      ...{ pets: random() < 0.3, balcony: random() < 0.5, agency: `agency ${upTo(80)}` },
      status: STATUSES[upTo(6)] ?? 'free',
    }
  }
}
