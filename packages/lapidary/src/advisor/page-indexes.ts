import { byteLength } from '../model/key-text.ts'
import { BLOCK_BYTES, BLOCK_RCU } from '../planner/entry-size.ts'
import { OWN_INDEXES, PAGE_INDEXES, type PageIndexName } from './page-index-names.ts'
import type { Pricing } from './priced-layout.ts'
import { type MonthlyPrice, monthlyPrice, type StorePrices } from './prices.ts'
import type { CheckedWorkload, ScopeShare } from './workload.ts'

/** A page index with what it takes, beside the lists themselves. */
export interface PricedPageIndex {
  /** As `PAGE_INDEX` names it. */
  readonly name: PageIndexName
  /** Units of a write of the workload, on average, and of finding where a page begins. */
  readonly unitsPerWrite: number
  readonly unitsPerLookUp: number
  readonly writeUnitsPerSecond: number
  readonly readUnitsPerSecond: number
  readonly storedBytes: number
  /** Dollars a month; `onDemand` and `provisioned` hold what is beside DynamoDB too. */
  readonly price: MonthlyPrice & {
    /** A server, a disk, requests of S3. */
    readonly beside: number
  }
  /** Share of what one partition of DynamoDB takes that the index of the busiest scope takes; 0 outside of DynamoDB. */
  readonly hottest: number
}

/** A page index that does not do for the workload, and why. */
export interface RefusedPageIndex {
  readonly name: PageIndexName
  readonly reason: string
}

/** What page indexes cost, and which to use. */
export interface PageAdvice {
  readonly choice: PageIndexName
  readonly reason: string
  /** All that do, the cheapest first. */
  readonly indexes: readonly PricedPageIndex[]
  readonly refused: readonly RefusedPageIndex[]
}

/** Units of a scope in one store. */
interface StoreUnits {
  /** Write units of a batch of changes. */
  readonly batch: number
  readonly lookUp: number
  /** Bytes of an entry: in the table, or where the store is. */
  readonly entryBytes: number
  /** Dollars a month beside DynamoDB, of all scopes. */
  readonly beside?: number
}

const TRANSACTION = 2
/** How far a shard is taken in: an item of less than a KB in each transaction. */
const MARK = TRANSACTION
/** A leaf and a branch are 1 KB or less. */
const NODE = TRANSACTION
/** An entry is packed into its id and some bytes for its time and list. */
const BESIDE_ID = 8
/** A leaf is split before it is more than 1 KB; a branch of more leaves than the most is cut, and the older part is left with so many. */
const LEAF_BYTES = 980
const MOST_LEAVES = 128
const OLDER_LEAVES = 96
const BRANCH_BYTES = 150
/** Entries of a block of markers, and its bytes beside them. */
const BLOCK_ENTRIES = 50
const BLOCK_BESIDE = 100
const UNIT_BYTES = 1024
/** Blocks that a change further back may write anew. */
const MOST_MENDED = 40
const NAMES_AND_NEWEST = 1.5
/** A look-up reads the block that is guessed, those so far away on either side, and the middle. */
const DISTANCES = [1, 3, 9, 27, 81, 243]
/** Bytes of an entry in each store, as the bench `page-stores` finds them. */
const ENTRY_BYTES = { redis: 150, relational: 164, file: 62, s3: 62 } as const
/** Requests of S3 for a batch, and for a page of a process that knows its part of the index. */
const S3_BATCH = { puts: 2, gets: 1.5 } as const
const S3_GETS = 1
const PARTITION_WRITES = 1000
const PARTITION_READS = 3000
const GIGABYTE = 2 ** 30
const SECONDS_A_MONTH = 730 * 3600

/** Prices every page index for the pages that are asked for by their number. */
export function pageAdvice(pricing: Pricing): PageAdvice {
  const { workload, mode } = pricing
  const { share, stores = OWN_INDEXES } = workload.pages
  const answers = PAGE_INDEXES.map((name) => ({ name, refused: refusalOf(name, workload) }))
  const refused = answers.flatMap(({ name, refused: reason }) => (reason === undefined ? [] : [{ name, reason }]))
  const indexes = answers
    .filter((answer) => answer.refused === undefined)
    .map(({ name }) => pricedIndex(pricing, name))
    .toSorted((a, b) => a.price[mode] - b.price[mode])
  const may = indexes.filter(({ name }) => stores.includes(name))
  const [choice] = may.filter(({ hottest }) => hottest <= 1).concat(may)
  if (share === 0) return { choice: 'none', reason: 'No page is asked for by its number.', indexes, refused }
  if (choice === undefined) {
    const reason = `None of ${stores.join(', ')} does; see what was refused.`
    return { choice: 'none', reason, indexes, refused }
  }
  const cheaper = indexes.filter((index) => !may.includes(index) && index.price[mode] < choice.price[mode])
  const besides = cheaper.map(({ name, price }) => `${name} at $${price[mode].toFixed(2)}`).join(', ')
  const asked = stores.filter((store) => store !== 'none').join(', ')
  const reason = `It is the cheapest of ${asked}${besides === '' ? '' : `; where they are there anyway, ${besides} would be cheaper`}.`
  return { choice: choice.name, reason, indexes, refused }
}

function refusalOf(name: PageIndexName, workload: CheckedWorkload): string | undefined {
  const { pages, scopes } = workload
  if (name === 'none') return pages.share > 0 ? 'pages that are asked for by their number have no answer' : undefined
  if (name !== 'page-markers' || inPlace(workload) === 0) return undefined
  const most = MOST_MENDED * BLOCK_ENTRIES
  const large = scopes.find(({ items, writes }) => writes > 0 && items > most)
  return large === undefined
    ? undefined
    : `what is edited or deleted more than ${most} items before the newest is refused, and scopes have ${large.items}`
}

function pricedIndex(pricing: Pricing, name: PageIndexName): PricedPageIndex {
  const { workload, prices, utilisation } = pricing
  const packed = BESIDE_ID + idBytes(pricing)
  const { pages, scopes, writesPerSecond, readsPerSecond } = workload
  const changes = changed(workload)
  const batches = changes / pages.together
  const units = scopes.map((scope) => ({ scope, ...unitsOf(name, scope, workload, packed) }))
  const unitsPerWrite = units.reduce((sum, { scope, batch }) => sum + scope.writes * batch * batches, 0)
  const unitsPerLookUp = units.reduce((sum, { scope, lookUp }) => sum + scope.reads * lookUp, 0)
  const lookUps = readsPerSecond * pages.share
  const bytes = units.reduce((sum, { scope, entryBytes }) => sum + scope.scopes * scope.items * entryBytes, 0)
  const isOwn = OWN_INDEXES.includes(name)
  const usage = {
    writeUnitsPerSecond: writesPerSecond * unitsPerWrite,
    readUnitsPerSecond: lookUps * unitsPerLookUp,
    storedBytes: isOwn ? bytes : 0,
  }
  const monthly = monthlyPrice(usage, prices, utilisation)
  const beside = besidePrice(name, prices.stores, {
    gigabytes: bytes / GIGABYTE,
    batches: writesPerSecond * batches * SECONDS_A_MONTH,
    lookUps: lookUps * SECONDS_A_MONTH,
  })
  const hottest = units.map(({ scope, batch, lookUp }) =>
    Math.max(
      (writesPerSecond * scope.writes * batch * batches) / scope.scopes / PARTITION_WRITES,
      (lookUps * scope.reads * lookUp) / scope.scopes / PARTITION_READS,
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

function idBytes({ collection, population }: Pricing): number {
  const bytes = population.items.map(({ item, share }) => share * byteLength(String(item[collection.id])))
  return bytes.reduce((sum, of) => sum + of, 0)
}

/** Share of the writes that change the lists at all. */
function changed(workload: CheckedWorkload): number {
  return workload.create + inPlace(workload)
}

/** Of those, what is not at the newest end: deletions, and edits of facets and of the order. */
function inPlace({ delete: deletes, edit, listed }: CheckedWorkload): number {
  return edit.reduce((sum, [attribute, share]) => sum + (listed.includes(attribute) ? share : 0), deletes)
}

function unitsOf(name: PageIndexName, scope: ScopeShare, workload: CheckedWorkload, packed: number): StoreUnits {
  switch (name) {
    case 'dynamodb':
      return treeUnits(scope, workload, packed)
    case 'page-markers':
      return markerUnits(scope, workload, packed)
    case 'none':
      return { batch: 0, lookUp: 0, entryBytes: 0 }
    case 'redis':
      return { batch: 0, lookUp: 0, entryBytes: ENTRY_BYTES.redis }
    case 'postgres':
    case 'pglite':
      return { batch: 0, lookUp: 0, entryBytes: ENTRY_BYTES.relational }
    case 'file':
      return { batch: 0, lookUp: 0, entryBytes: ENTRY_BYTES.file }
    case 's3':
      return { batch: 0, lookUp: 0, entryBytes: ENTRY_BYTES.s3 }
  }
}

/** A batch writes the newest leaf for what is created, each other leaf that has a change, and the branch of each. */
function treeUnits({ items }: ScopeShare, workload: CheckedWorkload, packed: number): StoreUnits {
  const { together } = workload.pages
  const leafEntries = Math.max(1, Math.floor(LEAF_BYTES / packed))
  const leaves = Math.ceil(items / leafEntries)
  const older = Math.max(0, Math.ceil((leaves - MOST_LEAVES) / OLDER_LEAVES))
  const last = leaves - older * OLDER_LEAVES
  const branches = older + 1
  const read = (count: number): number => (count / leaves) * blocksOf(count * LEAF_BYTES)
  const lookUp = blocksOf((branches + 1) * BRANCH_BYTES) + older * read(OLDER_LEAVES) + read(last)
  const newest = (together * workload.create) / changed(workload) || 0
  const others = together - newest
  // What is anywhere meets the newest node, and itself, by chance.
  const written = (nodes: number): number => {
    const isNewest = 1 - (1 - newest / together) ** together
    return isNewest + (nodes - isNewest) * (1 - (1 - 1 / nodes) ** others)
  }
  const split = newest / leafEntries
  const batch = MARK + NODE * (written(leaves) + split + written(branches))
  return { batch, lookUp, entryBytes: packed }
}

/** RCU of a Query of so many bytes. */
function blocksOf(bytes: number): number {
  return BLOCK_RCU * Math.max(1, Math.ceil(bytes / BLOCK_BYTES))
}

/** A batch writes the newest block anew, or all from the oldest change on. */
function markerUnits({ items }: ScopeShare, workload: CheckedWorkload, packed: number): StoreUnits {
  const { together } = workload.pages
  const blocks = Math.max(1, Math.ceil(items / BLOCK_ENTRIES))
  const share = inPlace(workload) / changed(workload) || 0
  // Where a batch has any of them, the oldest of so many anywhere: all blocks from there to the last one.
  const isBack = 1 - (1 - share) ** together
  const others = isBack === 0 ? 1 : (together * share) / isBack
  const back = isBack * Math.max(0, (blocks * others) / (others + 1) - 0.5)
  const probes = DISTANCES.reduce((sum, distance) => sum + 2 * Math.max(0, 1 - distance / blocks), 2)
  const unitsWith = (entries: number): number => TRANSACTION * Math.ceil((BLOCK_BESIDE + entries * packed) / UNIT_BYTES)
  // The last one is being filled.
  const fillings = Array.from({ length: BLOCK_ENTRIES }, (_, i) => unitsWith(i + 1))
  const last = fillings.reduce((sum, units) => sum + units, 0) / BLOCK_ENTRIES
  const begun = (together * (1 - share)) / BLOCK_ENTRIES
  const batch = MARK + last + back * unitsWith(BLOCK_ENTRIES) + begun * unitsWith(1)
  return {
    batch,
    lookUp: NAMES_AND_NEWEST + (1 - 1 / blocks) * BLOCK_RCU * Math.min(blocks - 1, probes),
    entryBytes: packed,
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
