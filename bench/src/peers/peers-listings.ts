import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import type { Bench, BenchContext } from '../bench.ts'
import { median, rounded, timed } from '../measure.ts'
import { startPostgres } from '../postgres-process.ts'
import type { FigureTable, Report } from '../report.ts'
import { fillDatabase, type StoredItem } from './fill.ts'
import { putsOf } from './lapidary.ts'
import { linesOf } from './lines-of.ts'
import * as electro from './listings-electrodb.ts'
import { listingStore, openDatabase } from './listings-lapidary.ts'
import { createListings } from './listings-postgres.ts'
import { isFound, type ListingRow, type ListingStore, listingRows, SEARCHES, type Search } from './listings-search.ts'
import * as toolbox from './listings-toolbox.ts'
import { type Meter, metered } from './meter.ts'
import { createPlainTable } from './plain-table.ts'

const LIMIT = 20
const CREATED = 50
/** Creates whose columns and counts are kept in batches. */
const FOLLOWED = 250
/** A process reads the counters of a scope once a second at most. */
const COUNTERS_MS = 1_100
/** Pages of a search that are compared with the naive answer. */
const COMPARED = 10
const TABLES = { lapidary: 'listings-lapidary', electro: 'listings-electrodb', toolbox: 'listings-toolbox' } as const

interface Peer {
  readonly library: string
  readonly store: ListingStore
  /** Whether it reads DynamoDB, and so has read units. */
  readonly isMetered: boolean
}

type Row = readonly (string | number)[]

/** Searches of listings by any of ten facets, in a declaration of each library and in PostgreSQL, on the same data in one run. */
export const peersListings: Bench = async ({ quick, random }: BenchContext): Promise<Report> => {
  const rows = listingRows(quick ? 5_000 : 100_000, random)
  const written: Row[] = []
  await using database = await fillDatabase((client) => prepare(client, rows, written))
  const { client } = database
  const lapidary = openDatabase(client, TABLES.lapidary)
  await lapidary.derived.rebuild('all', { idleMs: 1, poll: false })
  await using postgres = await startPostgres()
  const sql = new Client({ connectionString: postgres.url })
  await sql.connect()
  try {
    const peers: readonly Peer[] = [
      { library: 'Lapidary, columns', store: listingStore(lapidary), isMetered: true },
      { library: 'ElectroDB', store: electro.openListings(client, TABLES.electro).store, isMetered: true },
      { library: 'DynamoDB-Toolbox', store: toolbox.openListings(client, TABLES.toolbox).store, isMetered: true },
      { library: 'PostgreSQL, B-trees', store: await createListings(sql, 'B-trees', rows), isMetered: false },
      { library: 'PostgreSQL, GIN', store: await createListings(sql, 'GIN', rows), isMetered: false },
    ]
    for (const { library, isMetered } of peers) {
      if (!isMetered) written.push([library, linesOf('listings-postgres.ts'), '', ''])
    }
    const meter = metered(client)
    const asked = await answers(peers, rows, meter, quick ? 3 : 15)
    written[0] = [...(written[0] ?? []).slice(0, 3), await derivedUnits(lapidary, rows, meter)]
    return reportOf(rows.length, written, asked)
  } finally {
    await sql.end()
  }
}

function reportOf(count: number, written: readonly Row[], { pages, counts }: Asked): Report {
  const tables: readonly FigureTable[] = [
    {
      title: `listings, ${count.toLocaleString('en-US')} items, ten facets: the declaration and its search, and a create`,
      columns: ['library', 'lines', 'write units', `of counts and columns, ${FOLLOWED} at once`],
      rows: written,
    },
    {
      title: `listings: the first page of ${LIMIT}`,
      columns: [
        ...['search', 'library', 'RCU', 'of Lapidary', 'requests', 'rounds', 'ms', 'of Lapidary'],
        ...['items', 'pages right'],
      ],
      rows: pages,
    },
    {
      title: 'listings: the exact number that a search finds',
      columns: ['search', 'library', 'RCU', 'of Lapidary', 'ms', 'of Lapidary', 'total', 'right'],
      rows: counts,
    },
  ]
  return { tables, targets: [], figures: { count, written, pages, counts } }
}

/** Makes the tables, creates some items in each, and says what else each is to hold. */
async function prepare(
  client: Parameters<typeof openDatabase>[0],
  rows: readonly ListingRow[],
  written: Row[],
): Promise<ReadonlyMap<string, AsyncIterable<StoredItem>>> {
  const lapidary = openDatabase(client, TABLES.lapidary)
  await lapidary.table.create({ pages: 'later' })
  await createPlainTable(client, TABLES.electro, 2)
  await createPlainTable(client, TABLES.toolbox, 2)
  const own = {
    create: (row: ListingRow) => lapidary.listings.create(row),
    stored: async (row: ListingRow) => putsOf(await lapidary.listings.writes.create(row)),
  }
  const parts = [
    ['Lapidary, columns', TABLES.lapidary, 'listings-lapidary.ts', own],
    ['ElectroDB', TABLES.electro, 'listings-electrodb.ts', electro.openListings(client, TABLES.electro)],
    ['DynamoDB-Toolbox', TABLES.toolbox, 'listings-toolbox.ts', toolbox.openListings(client, TABLES.toolbox)],
  ] as const
  const meter = metered(client)
  const rest = new Map<string, AsyncIterable<StoredItem>>()
  for (const [library, table, file, { create, stored }] of parts) {
    meter.reset()
    for (const row of rows.slice(0, CREATED)) await create(row)
    written.push([library, linesOf(file), rounded(meter.read().wcu / CREATED, 2), 0])
    rest.set(table, storedItems(stored, rows.slice(CREATED)))
  }
  return rest
}

async function* storedItems(
  stored: (row: ListingRow) => readonly StoredItem[] | Promise<readonly StoredItem[]>,
  rows: readonly ListingRow[],
): AsyncGenerator<StoredItem> {
  for (const row of rows) yield* await stored(row)
}

interface Asked {
  readonly pages: readonly Row[]
  readonly counts: readonly Row[]
}

async function answers(
  peers: readonly Peer[],
  rows: readonly ListingRow[],
  meter: Meter,
  samples: number,
): Promise<Asked> {
  const pages: Row[] = []
  const counts: Row[] = []
  for (const [name, search] of Object.entries(SEARCHES)) {
    const expected = rows.filter((row) => isFound(row, search)).toReversed()
    const ids = expected.map(({ id }) => id)
    const [pageTimes, countTimes] = [
      await timesOf(peers, samples, ({ store }) => store.page(search, LIMIT, undefined)),
      await timesOf(peers, Math.ceil(samples / 5), ({ store }) => store.count(search)),
    ]
    const first = { pageRcu: 0, countRcu: 0 }
    for (const [i, { library, store, isMetered }] of peers.entries()) {
      meter.reset()
      const page = await store.page(search, LIMIT, undefined)
      const { rcu, requests, rounds } = meter.read()
      if (i === 0) await sleep(COUNTERS_MS)
      meter.reset()
      const total = await store.count(search)
      const counting = meter.read().rcu
      if (i === 0) Object.assign(first, { pageRcu: rcu, countRcu: counting })
      const units = (spent: number, least: number): Row => (isMetered ? [spent, ratio(spent, least)] : ['', ''])
      const ms = (times: readonly number[]): Row => [rounded(times[i] ?? 0, 1), ratio(times[i] ?? 0, times[0] ?? 0)]
      pages.push([
        ...[name, library, ...units(rcu, first.pageRcu), ...(isMetered ? [requests, rounds] : [1, 1])],
        ...[...ms(pageTimes), page.ids.length, await pagesRight(store, search, ids)],
      ])
      counts.push([
        ...[name, library, ...units(counting, first.countRcu), ...ms(countTimes)],
        ...[total, total === ids.length ? 'yes' : 'no'],
      ])
    }
  }
  return { pages, counts }
}

function ratio(value: number, of: number): number {
  return rounded(value / of, value / of < 10 ? 2 : 0)
}

/** Median milliseconds of each, in turns. */
async function timesOf(
  peers: readonly Peer[],
  samples: number,
  ask: (peer: Peer) => Promise<unknown>,
): Promise<readonly number[]> {
  const taken = peers.map((): number[] => [])
  for (let sample = 0; sample < samples; sample++) {
    for (const [i, peer] of peers.entries()) taken[i]?.push((await timed(() => ask(peer))).ms)
  }
  return taken.map(median)
}

/** Whether the first pages are those of the naive answer, or all where there are fewer. */
async function pagesRight(store: ListingStore, search: Search, expected: readonly string[]): Promise<string> {
  const seen: string[] = []
  let next: string | null | undefined
  for (let page = 0; page < COMPARED && next !== null; page++) {
    const { ids, next: following } = await store.page(search, LIMIT, next)
    seen.push(...ids)
    next = following
  }
  return seen.join() === expected.slice(0, next === null ? expected.length : seen.length).join() ? 'yes' : 'no'
}

/** Write units of what is derived of new listings, a listing. */
async function derivedUnits(
  { listings, stream }: ReturnType<typeof openDatabase>,
  rows: readonly ListingRow[],
  meter: Meter,
): Promise<number> {
  for (const [i, row] of rows.slice(0, FOLLOWED).entries()) {
    await listings.create({ ...row, id: `new-${i}`, at: new Date(Date.UTC(2026, 0, 1) + i * 1_000).toISOString() })
  }
  meter.reset()
  await stream.catchUp()
  return rounded(meter.read().wcu / FOLLOWED, 2)
}
