import { shownPages } from '../model/page-declaration.ts'
import { OWN_INDEXES, PAGE_INDEXES, type PageIndexName } from './page-index-names.ts'
import { type ListLoad, type PageLists, pageListsOf } from './page-lists.ts'
import { BLOCK_ENTRIES, type ListUnits, MARK, markerUnits, treeUnits } from './page-units.ts'
import type { Pricing } from './priced-layout.ts'
import { type MonthlyPrice, monthlyPrice, type StorePrices } from './prices.ts'

/** A page index with its load and price, beside the lists themselves. */
export interface PricedPageIndex {
  /** The name in `PAGE_INDEX`. */
  readonly name: PageIndexName
  /** Mean units of a write of the workload, and of finding where a page begins. */
  readonly unitsPerWrite: number
  readonly unitsPerLookUp: number
  readonly writeUnitsPerSecond: number
  readonly readUnitsPerSecond: number
  readonly storedBytes: number
  /** Dollars a month; `onDemand` and `provisioned` include what is paid beside DynamoDB. */
  readonly price: MonthlyPrice & {
    /** The price of a server, a disk, or requests of S3. */
    readonly beside: number
  }
  /** The share of one DynamoDB partition that the index of the busiest scope takes; 0 outside of DynamoDB. */
  readonly hottest: number
}

/** A page index that does not fit the workload, and why. */
export interface RefusedPageIndex {
  readonly name: PageIndexName
  readonly reason: string
}

/** The prices of page indexes, and the one to use. */
export interface PageAdvice {
  readonly choice: PageIndexName
  readonly reason: string
  /** All page indexes that fit, the cheapest first. */
  readonly indexes: readonly PricedPageIndex[]
  readonly refused: readonly RefusedPageIndex[]
}

/** The most blocks that a change further back may rewrite. */
const MOST_MENDED = 40
/** Bytes of an entry in each store, as the bench `page-stores` measures them. */
const ENTRY_BYTES = { redis: 150, relational: 164, file: 62, s3: 62 } as const
/** Requests of S3 for a batch, and for a page of a process that has read its part of the index. */
const S3_BATCH = { puts: 2, gets: 1.5 } as const
const S3_GETS = 1
const PARTITION_WRITES = 1000
const PARTITION_READS = 3000
const GIGABYTE = 2 ** 30
const SECONDS_A_MONTH = 730 * 3600

/** Prices every page index for the pages that are asked by number. */
export function pageAdvice(pricing: Pricing): PageAdvice {
  const { workload, mode } = pricing
  const { share, stores = OWN_INDEXES } = workload.pages
  const all = pageListsOf(pricing)
  const answers = PAGE_INDEXES.map((name) => ({ name, refused: pageIndexRefusal(name, pricing, all) }))
  const refused = answers.flatMap(({ name, refused: reason }) => (reason === undefined ? [] : [{ name, reason }]))
  const indexes = answers
    .filter((answer) => answer.refused === undefined)
    .map(({ name }) => pricedIndex(pricing, all, name))
    .toSorted((a, b) => a.price[mode] - b.price[mode])
  const may = indexes.filter(({ name }) => stores.includes(name))
  const [choice] = may.filter(({ hottest }) => hottest <= 1).concat(may)
  if (share === 0) return { choice: 'none', reason: 'No query asks for a page by number.', indexes, refused }
  if (choice === undefined) {
    const reason = `None of ${stores.join(', ')} fits; see the refused ones.`
    return { choice: 'none', reason, indexes, refused }
  }
  const cheaper = indexes.filter((index) => !may.includes(index) && index.price[mode] < choice.price[mode])
  const besides = cheaper.map(({ name, price }) => `${name} at $${price[mode].toFixed(2)}`).join(', ')
  const asked = stores.filter((store) => store !== 'none').join(', ')
  const reason = `It is the cheapest of ${asked}${besides === '' ? '' : `; where they run anyway, ${besides} would be cheaper`}.`
  return { choice: choice.name, reason, indexes, refused }
}

function pageIndexRefusal(
  name: PageIndexName,
  { collection, workload }: Pricing,
  all: readonly PageLists[],
): string | undefined {
  const { pages } = workload
  if (name === 'none') return pages.share > 0 ? 'pages by number would have no answer' : undefined
  if (name !== 'page-markers') return undefined
  const inOrder = collection.pages.find(({ order }) => order !== undefined)
  if (inOrder !== undefined) return `it keeps only the default order, and pages has ${shownPages(inOrder)}`
  const most = MOST_MENDED * BLOCK_ENTRIES
  const sizes = all.flatMap(({ inPlace, scopes, lists }) =>
    inPlace === 0 ? [] : scopes.filter(({ writes }) => writes > 0).flatMap(lists),
  )
  const large = sizes.find(({ items }) => items > most)
  return large === undefined
    ? undefined
    : `it refuses to edit or delete an item more than ${most} before the newest, and scopes have ${Math.round(large.items)}`
}

/** Prices all page indexes of the collection in one store. */
function pricedIndex(
  { workload, prices, utilisation }: Pricing,
  all: readonly PageLists[],
  name: PageIndexName,
): PricedPageIndex {
  const { pages, writesPerSecond, readsPerSecond } = workload
  const lookUps = readsPerSecond * pages.share
  const units = all.flatMap(({ changed, scopes, lists, asked }) =>
    scopes.map((scope) => {
      const batch = batchUnits(name, lists(scope))
      const read = asked(scope).reduce((sum, { share, list }) => sum + share * listUnits(name, list).lookUp, 0)
      return { scope, write: (scope.writes * batch * changed) / pages.together, read: scope.reads * read }
    }),
  )
  const unitsPerWrite = units.reduce((sum, { write }) => sum + write, 0)
  const unitsPerLookUp = units.reduce((sum, { read }) => sum + read, 0)
  const bytes = all.reduce((sum, { entries, packed, scopes }) => {
    const items = scopes.reduce((count, scope) => count + scope.scopes * scope.items, 0)
    return sum + items * entries * storeEntryBytes(name, packed)
  }, 0)
  const isOwn = OWN_INDEXES.includes(name)
  const usage = {
    writeUnitsPerSecond: writesPerSecond * unitsPerWrite,
    readUnitsPerSecond: lookUps * unitsPerLookUp,
    storedBytes: isOwn ? bytes : 0,
  }
  const monthly = monthlyPrice(usage, prices, utilisation)
  const batches = all.reduce((sum, { changed }) => sum + changed / pages.together, 0)
  const beside = besidePrice(name, prices.stores, {
    gigabytes: bytes / GIGABYTE,
    batches: writesPerSecond * batches * SECONDS_A_MONTH,
    lookUps: lookUps * SECONDS_A_MONTH,
  })
  const hottest = units.map(({ scope, write, read }) =>
    Math.max(
      (writesPerSecond * write) / scope.scopes / PARTITION_WRITES,
      (lookUps * read) / scope.scopes / PARTITION_READS,
    ),
  )
  return {
    ...{ name, unitsPerWrite, unitsPerLookUp, ...usage },
    price: {
      ...monthly,
      onDemand: monthly.onDemand + beside,
      provisioned: monthly.provisioned + beside,
      beside,
    },
    hottest: Math.max(0, ...hottest),
  }
}

/** Returns the write units of a batch of changes: the writes of each list, and the mark of how far the shard is. */
function batchUnits(name: PageIndexName, lists: readonly ListLoad[]): number {
  const written = lists.map((list) => listUnits(name, list).batch)
  return isInTable(name) ? written.reduce((sum, each) => sum + each, MARK) : 0
}

function listUnits(name: PageIndexName, list: ListLoad): ListUnits {
  if (name === 'dynamodb') return treeUnits(list)
  return name === 'page-markers' ? markerUnits(list) : { batch: 0, lookUp: 0 }
}

function isInTable(name: PageIndexName): boolean {
  return name === 'dynamodb' || name === 'page-markers'
}

function storeEntryBytes(name: PageIndexName, packed: number): number {
  switch (name) {
    case 'dynamodb':
    case 'page-markers':
      return packed
    case 'none':
      return 0
    case 'redis':
      return ENTRY_BYTES.redis
    case 'postgres':
    case 'pglite':
      return ENTRY_BYTES.relational
    case 'file':
      return ENTRY_BYTES.file
    case 's3':
      return ENTRY_BYTES.s3
  }
}

interface Beside {
  readonly gigabytes: number
  readonly batches: number
  readonly lookUps: number
}

function besidePrice(name: PageIndexName, stores: StorePrices, { gigabytes, batches, lookUps }: Beside): number {
  switch (name) {
    case 'redis':
      return Math.max(1, Math.ceil(gigabytes / stores.redis.gigabytes)) * stores.redis.month
    case 'postgres':
      return stores.postgres.month + gigabytes * stores.postgres.gigabyteMonth
    case 'pglite':
    case 'file':
      return gigabytes * stores.disk.gigabyteMonth
    case 's3': {
      const gets = batches * S3_BATCH.gets + lookUps * S3_GETS
      return (
        gigabytes * stores.s3.gigabyteMonth +
        (batches * S3_BATCH.puts * stores.s3.thousandPuts + gets * stores.s3.thousandGets) / 1000
      )
    }
    default:
      return 0
  }
}
