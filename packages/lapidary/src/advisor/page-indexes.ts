import { byteLength } from '../model/key-text.ts'
import { probesBetween } from '../pages/backends/markers/select-block.ts'
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

/** What a store keeps of an item. */
interface EntryShape {
  /** Bytes of it. */
  readonly packed: number
  /** How likely a new item is the first of its list. */
  readonly isNew: number
}

const TRANSACTION = 2
/** How far a shard is taken in: an item of less than a KB in each transaction. */
const MARK = TRANSACTION
/** A leaf and a branch are 1 KB or less. */
const NODE = TRANSACTION
/** An entry is packed into its id with the length, the number of its list, and the time since the one before: 3 bytes up to half an hour. */
const BESIDE_ID = 5
/** A leaf is split before it is more than 1 KB, of which its entries have so much; a branch of more leaves than the most is cut, and the older part is left with so many. */
const LEAF_BYTES = 970
const LEAF_ENTRIES_BYTES = 880
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
/** Of a scope as large as this compared with the usual one: what a look-up takes goes up and down as it grows. */
const GROWTHS = [0.9, 0.95, 1, 1.05, 1.1]
/** Blocks that are looked for, evenly spread. */
const LOOKED_FOR = 50
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
  const cells = cellShares(pricing)
  const units = scopes.map((scope) => {
    const isNew = cells.reduce((sum, share) => sum + share * (1 - share) ** scope.items, 0)
    return { scope, ...unitsOf(name, scope, workload, { packed, isNew }) }
  })
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

/** Shares of the items that have each combination of values: each is a list by itself, whose name is written when it has its first item. */
function cellShares({ collection: { facets }, population }: Pricing): readonly number[] {
  const found = new Map<string, number>()
  for (const { item, share } of population.items) {
    const cell = JSON.stringify(Object.keys(facets).map((facet) => item[facet] ?? null))
    found.set(cell, (found.get(cell) ?? 0) + share)
  }
  return [...found.values()]
}

/** Share of the writes that change the lists at all. */
function changed(workload: CheckedWorkload): number {
  return workload.create + inPlace(workload)
}

/** Of those, what is not at the newest end: deletions, and edits of facets and of the order. */
function inPlace({ delete: deletes, edit, listed }: CheckedWorkload): number {
  return edit.reduce((sum, [attribute, share]) => sum + (listed.includes(attribute) ? share : 0), deletes)
}

function unitsOf(name: PageIndexName, scope: ScopeShare, workload: CheckedWorkload, entry: EntryShape): StoreUnits {
  switch (name) {
    case 'dynamodb':
      return treeUnits(scope, workload, entry)
    case 'page-markers':
      return markerUnits(scope, workload, entry)
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
function treeUnits({ items }: ScopeShare, workload: CheckedWorkload, { packed, isNew }: EntryShape): StoreUnits {
  const { together } = workload.pages
  const leafEntries = Math.max(1, LEAF_ENTRIES_BYTES / packed)
  const { leaves, older } = treeOf(items / leafEntries)
  const newest = (together * workload.create) / changed(workload) || 0
  const others = together - newest
  // What is anywhere meets the newest node, and itself, by chance.
  const written = (nodes: number): number => {
    const isNewest = 1 - (1 - newest / together) ** together
    return isNewest + (nodes - isNewest) * (1 - (1 - 1 / nodes) ** others)
  }
  const split = newest / leafEntries
  const names = namesWritten(newest, isNew)
  const batch = MARK + NODE * (written(leaves) + split + written(older + 1)) + names
  const lookUps = GROWTHS.map((growth) => treeLookUp((items * growth) / leafEntries))
  return { batch, lookUp: meanOf(lookUps), entryBytes: packed }
}

/** Leaves of a tree, and how many of its branches are no longer the newest. */
function treeOf(filled: number): { readonly leaves: number; readonly older: number } {
  const leaves = Math.ceil(filled)
  return { leaves, older: Math.max(0, Math.ceil((leaves - MOST_LEAVES) / OLDER_LEAVES)) }
}

/** The branches, and the leaves of one. */
function treeLookUp(filled: number): number {
  const { leaves, older } = treeOf(filled)
  const last = leaves - older * OLDER_LEAVES
  const read = (count: number): number => (count / leaves) * blocksOf(count * LEAF_BYTES)
  return blocksOf((older + 2) * BRANCH_BYTES) + older * read(OLDER_LEAVES) + read(last)
}

/** Write units of the names of lists that a batch has the first items of. */
function namesWritten(added: number, isNew: number): number {
  return NODE * (1 - (1 - isNew) ** added)
}

/** RCU of a Query of so many bytes. */
function blocksOf(bytes: number): number {
  return BLOCK_RCU * Math.max(1, Math.ceil(bytes / BLOCK_BYTES))
}

/** A batch writes the newest block anew, or all from the oldest change on. */
function markerUnits({ items }: ScopeShare, workload: CheckedWorkload, { packed, isNew }: EntryShape): StoreUnits {
  const { together } = workload.pages
  // Half of the last one is filled.
  const full = Math.max(0, items / BLOCK_ENTRIES - 0.5)
  const share = inPlace(workload) / changed(workload) || 0
  // Where a batch has any of them, the oldest of so many anywhere: all blocks from there to the last one.
  const isBack = 1 - (1 - share) ** together
  const others = isBack === 0 ? 1 : (together * share) / isBack
  const isInFull = 1 - (0.5 / (full + 0.5)) ** others
  const back = isBack * isInFull * ((full * others) / (others + 1) + 0.5)
  const unitsWith = (entries: number): number => TRANSACTION * Math.ceil((BLOCK_BESIDE + entries * packed) / UNIT_BYTES)
  // What is appended fills the last one from wherever it is, and begins others.
  const appended = (count: number): number => {
    const costs = Array.from({ length: BLOCK_ENTRIES }, (_, from) => {
      const [whole, rest] = [Math.floor((from + count) / BLOCK_ENTRIES), (from + count) % BLOCK_ENTRIES]
      return whole * unitsWith(BLOCK_ENTRIES) + (rest === 0 ? 0 : unitsWith(rest)) + (from === 0 ? TRANSACTION : 0)
    })
    return meanOf(costs)
  }
  const newest = together * (1 - share)
  const last = appended(Math.max(1, Math.round(newest)))
  const batch = MARK + last + back * unitsWith(BLOCK_ENTRIES) + namesWritten(newest, isNew)
  const read = meanOf(GROWTHS.map((growth) => blocksRead((items * growth) / BLOCK_ENTRIES)))
  const lookUp = NAMES_AND_NEWEST + read * blocksOf(BLOCK_BESIDE + BLOCK_ENTRIES * packed)
  return { batch, lookUp, entryBytes: packed }
}

/** Blocks that finding one takes, on average, beside the newest: as the search goes where lists are mixed evenly. */
function blocksRead(filled: number): number {
  const last = Math.max(1, Math.ceil(filled)) - 1
  const looked = Array.from({ length: LOOKED_FOR }, (_, i) => (i + 0.5) / LOOKED_FOR)
  const read = looked.map((share) => {
    const wanted = Math.floor(share * filled)
    const known = new Set([last])
    let [low, high] = [0, last]
    while (wanted !== last && high - low > 1 && !known.has(wanted)) {
      for (const probe of probesBetween(low, high, (share * filled - low) / (high - low))) {
        known.add(probe)
        if (probe > wanted) high = Math.min(high, probe)
        else low = Math.max(low, probe)
      }
    }
    return known.add(wanted).size - 1
  })
  return meanOf(read)
}

function meanOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0) / numbers.length
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
