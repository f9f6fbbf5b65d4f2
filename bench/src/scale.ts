import type { Bench } from './bench.ts'
import { LANGUAGE_SHARES, RATING_SHARES } from './comments.ts'
import { rowsOf } from './kept-tables.ts'
import { rounded } from './measure.ts'
import { dollars, monthOf } from './prices.ts'
import { pick, type Random } from './random.ts'

/** The load that the whole system is computed for. */
const LOAD = { items: 1e9, scopes: 1e6, writes: 20_000, pages: 200_000, hot: 0.1 } as const

/** DynamoDB's: units a second of one partition and bytes of its storage, and the quota of a table that nobody has raised. */
const PARTITION = { wcu: 1_000, rcu: 3_000, bytes: 10e9 } as const
const TABLE_QUOTA = 40_000
/** Lambda's, as an account begins. */
const CONCURRENCY = 1_000

/** Assumptions: milliseconds of a page in a warm function, of a read, and of a transaction of a few items. */
const PAGE_MS = 20
const READ_MS = 5
const TRANSACTION_MS = 15
/** A process reads the counts of a scope once a second. */
const READS_A_SECOND = 1
const LEAST_RCU = 0.5

const ITEM_BYTES = 600
const ENTRY_BYTES = 500
const INDEXES = 4
/** Items of counts that a commit of one busy scope writes: all, and each language and rating that changed. */
const COUNTED_ITEMS = 9
const SECONDS_A_MONTH = 30 * 86_400
/** The share of pages by what they ask. */
const ASKED = [
  ['all', 0.6],
  ['byLanguage', 0.2],
  ['byRating', 0.1],
  ['byLanguageAndRating', 0.1],
] as const
const SIMULATED_SECONDS = 20
/** Longer, so that a commit that is late at the end does not count. */
const LANE_SECONDS = 200

/** A limit of the system. */
interface Limit {
  readonly name: string
  /** What is counted against it. */
  readonly of: string
  /** Where it is reached. */
  readonly at: number
  /** The share that is refused at a load. */
  readonly refused: (load: number, random: Random) => number
  /** The load that the system was computed for. */
  readonly load: number
  readonly remedy: string
}

/** The whole system at a load that nobody here can make: what it takes, and what breaks first; each limit is simulated below and above it. */
export const scale: Bench = async ({ random }) => {
  const pageRcu = Number(rowsOf('lists', 'Families of data')[0]?.[6])
  const createUnits = Number(rowsOf('writes', 'Write units')[0]?.[1])
  const treeUnits = Number(rowsOf('page-scale', '2,000 new comments')[0]?.[1]) / 2_000
  const system = systemOf({ pageRcu, createUnits })
  const lanes = mostLanes(random)
  const limits = limitsOf({ pageRcu, createUnits, treeUnits, shards: system.shards, lanes })
  const rows = limits
    .map((limit) => ({ ...limit, share: limit.at / limit.load }))
    .sort((a, b) => a.share - b.share)
    .map(({ name, of, at, share, refused, remedy }) => [
      name,
      `${count(at)} ${of}`,
      rounded(share, 2),
      ...[0.9, 1.1, 2].map((times) => rounded(100 * refused(at * times, random), 1)),
      remedy,
    ])
  return {
    tables: [
      {
        title: `${count(LOAD.items)} comments of ${count(LOAD.scopes)} products, ${count(LOAD.writes)} writes and ${count(LOAD.pages)} pages a second, a tenth of all of one product`,
        columns: ['what', 'takes'],
        rows: system.rows,
      },
      {
        title:
          'What breaks first: where each limit is reached, in shares of that load, and the share that is refused at 0.9, 1.1 and 2 times that',
        columns: ['limit', 'reached at', 'of the load', 'at 0.9, %', 'at 1.1, %', 'at 2, %', 'what to set'],
        rows,
      },
    ],
    targets: [],
    figures: limits.map(({ name, at, load }) => ({ name, at, load })),
  }
}

function systemOf({ pageRcu, createUnits }: { readonly pageRcu: number; readonly createUnits: number }) {
  const baseBytes = LOAD.items * (ITEM_BYTES + 100)
  const indexBytes = LOAD.items * (ENTRY_BYTES + 100)
  const partitions = (bytes: number, wcu: number, rcu: number): number =>
    Math.ceil(Math.max(bytes / PARTITION.bytes, wcu / PARTITION.wcu, rcu / PARTITION.rcu))
  const shards = partitions(baseBytes, LOAD.writes * (createUnits - INDEXES), 0)
  const readUnits = LOAD.pages * pageRcu
  const writeUnits = LOAD.writes * createUnits
  const perIndex = ASKED.map(([name, share]) => [name, partitions(indexBytes, LOAD.writes, readUnits * share)] as const)
  const month = (share: number): number =>
    monthOf({
      ...{ items: LOAD.items, bytes: ENTRY_BYTES, indexes: INDEXES },
      readUnits: readUnits * SECONDS_A_MONTH * share,
      writeUnits: writeUnits * SECONDS_A_MONTH * share,
    })
  const rows: readonly (readonly [string, string])[] = [
    ['partitions of the table, and shards of its stream', count(shards)],
    ['partitions of the indexes', perIndex.map(([name, n]) => `${name} ${count(n)}`).join(', ')],
    ['storage, GB', count(Math.round((baseBytes + INDEXES * indexBytes) / 1e9))],
    ['write units a second, indexes included', count(writeUnits)],
    ['read units a second, without counts', count(readUnits)],
    ['functions that answer pages at a time', count((LOAD.pages * PAGE_MS) / 1_000)],
    ['changes of one shard a second', count(Math.round(LOAD.writes / shards))],
    ['dollars a month on demand, all day at that load', dollars(month(1))],
    ['the same at a tenth of it on average', dollars(month(0.1))],
  ]
  return { shards, rows }
}

interface Measured {
  readonly pageRcu: number
  readonly createUnits: number
  readonly treeUnits: number
  readonly shards: number
  /** Lanes of which nearly all commits are made in time. */
  readonly lanes: number
}

function limitsOf({ pageRcu, createUnits, treeUnits, shards, lanes }: Measured): readonly Limit[] {
  const hotWrites = LOAD.writes * LOAD.hot
  const hotPages = LOAD.pages * LOAD.hot
  const [, fiveStars] = RATING_SHARES[0]
  const [, english] = LANGUAGE_SHARES[0]
  const instances = (LOAD.pages * PAGE_MS) / 1_000
  const listOf = (name: string, share: number, keyOf: (random: Random) => string, remedy: string): Limit => ({
    ...{ name, of: 'writes a second of one product', at: PARTITION.wcu / share, load: hotWrites, remedy },
    refused: (load, random) => overflow(random, { load, keyOf, units: 1, most: PARTITION.wcu }),
  })
  const spread = 'shards of the index, as many as thousands of writes'
  const [, first] = ASKED[0]
  return [
    listOf('one list of the index all', 1, () => 'all', spread),
    listOf('one list of byRating: five stars', fiveStars, (random) => `${pick(RATING_SHARES, random)}`, spread),
    listOf('one list of byLanguage: English', english, (random) => pick(LANGUAGE_SHARES, random), spread),
    {
      ...{ name: 'reads of one list: the pages without a filter', of: 'pages a second of one product' },
      ...{ at: PARTITION.rcu / pageRcu / first, load: hotPages },
      refused: (load, random) =>
        overflow(random, { load, keyOf: () => pick(ASKED, random), units: pageRcu, most: PARTITION.rcu }),
      remedy: 'a cache of a second before first pages',
    },
    {
      ...{ name: 'the quota of the table, write units', of: 'writes a second', at: TABLE_QUOTA / createUnits },
      ...{ load: LOAD.writes, refused: (load) => over(load * createUnits, TABLE_QUOTA), remedy: 'a higher quota' },
    },
    {
      ...{ name: 'the quota of the table, read units', of: 'pages a second', at: TABLE_QUOTA / pageRcu },
      ...{ load: LOAD.pages, refused: (load) => over(load * pageRcu, TABLE_QUOTA), remedy: 'a higher quota' },
    },
    {
      ...{ name: 'Lambda’s concurrency', of: 'pages a second', at: (CONCURRENCY * 1_000) / PAGE_MS, load: LOAD.pages },
      refused: (load, random) => overflowOfFunctions(load, random),
      remedy: 'a higher quota, or servers',
    },
    {
      ...{ name: 'reads of one product’s counts', of: 'functions at a time' },
      ...{ at: PARTITION.rcu / (LEAST_RCU * READS_A_SECOND), load: instances },
      refused: (load) => over(load * LEAST_RCU * READS_A_SECOND, PARTITION.rcu),
      remedy: 'fewer, busier processes: servers, or a cache before',
    },
    {
      ...{ name: 'commits of one product’s counts, one lane a shard', of: 'shards, a commit a second each' },
      ...{
        at: lanes,
        load: shards,
        remedy: 'a batching window of seconds, or pollers: one commits for all its shards',
      },
      refused: (load, random) => unfinished(Math.round(load), random),
    },
    {
      ...{ name: 'write units of one product’s counts', of: 'commits a second' },
      ...{ at: PARTITION.wcu / (2 * COUNTED_ITEMS), load: shards, remedy: 'the same' },
      refused: (load) => over(load * 2 * COUNTED_ITEMS, PARTITION.wcu),
    },
    {
      ...{ name: 'the page index of one product, in the table', of: 'writes a second of one product' },
      ...{ at: Math.min(PARTITION.wcu / treeUnits, 30_000 / TRANSACTION_MS), load: hotWrites },
      refused: (load) => over(load, Math.min(PARTITION.wcu / treeUnits, 30_000 / TRANSACTION_MS)),
      remedy: 'Redis or files for page numbers',
    },
  ]
}

/** The most lanes that keep up, but for 1 commit of 100. */
function mostLanes(random: Random): number {
  let lanes = 1
  while (unfinished(lanes + 1, random) <= 0.01) lanes += 1
  return lanes
}

/** The share of a load that is over what is given. */
function over(load: number, most: number): number {
  return Math.max(0, load - most) / load
}

interface Keyed {
  readonly load: number
  readonly keyOf: (random: Random) => string
  readonly units: number
  readonly most: number
}

/** Draws some seconds of requests to keys, of which each has its partition's units a second and no more. */
function overflow(random: Random, { load, keyOf, units, most }: Keyed): number {
  let [asked, refused] = [0, 0]
  for (let second = 0; second < SIMULATED_SECONDS; second++) {
    const spent = new Map<string, number>()
    for (let i = 0; i < Math.round(load); i++) {
      const key = keyOf(random)
      const after = (spent.get(key) ?? 0) + units
      asked += 1
      if (after > most) refused += 1
      else spent.set(key, after)
    }
  }
  return refused / asked
}

/** Draws a second of pages that come at any moment and take an exponential time, each in a function of its own. */
function overflowOfFunctions(load: number, random: Random): number {
  const free = new Float64Array(CONCURRENCY)
  let [refused, now] = [0, 0]
  const requests = Math.round(load)
  let busy: number[] = []
  for (let i = 0; i < requests; i++) {
    now += (-Math.log(1 - random()) * 1_000) / load
    if (busy.length >= free.length) busy = busy.filter((until) => until > now)
    if (busy.length >= free.length) refused += 1
    else busy.push(now - Math.log(1 - random()) * PAGE_MS)
  }
  return refused / requests
}

/**
 * Lets lanes commit to the same counters, each a second after its last began: a commit reads, then writes, and is refused where another was made in
 * between. It is tried again after a random pause. Returns the share of commits that are not made for lack of time.
 */
function unfinished(lanes: number, random: Random): number {
  const end = LANE_SECONDS * 1_000
  const all = Array.from({ length: lanes }, () => {
    const due = random() * 1_000
    return { due, at: due, tries: 0 }
  })
  let [made, last] = [0, Number.NEGATIVE_INFINITY]
  for (;;) {
    const next = all.reduce((first, lane) => (lane.at < first.at ? lane : first))
    if (next.at > end) return Math.max(0, 1 - made / (lanes * LANE_SECONDS))
    const written = next.at + READ_MS + TRANSACTION_MS
    if (last > next.at) {
      next.tries += 1
      next.at = written + random() * 20 * 2 ** Math.min(next.tries, 5)
      continue
    }
    made += 1
    last = written
    next.due = Math.max(next.due + 1_000, written)
    next.at = next.due
    next.tries = 0
  }
}

function count(n: number): string {
  return Number(n.toPrecision(3)).toLocaleString('en')
}
