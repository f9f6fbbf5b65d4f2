import { OWN_INDEXES, PAGE_INDEXES, type PageIndexName } from './page-index-names.ts'
import { type ListLoad, type PageLists, pageListsOf } from './page-lists.ts'
import { MARK } from './page-units.ts'
import type { Pricing } from './priced-layout.ts'
import { type MonthlyPrice, monthlyPrice } from './prices.ts'
import { STORE_MODELS, type StoreModel } from './store-models.ts'

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

const PARTITION_WRITES = 1000
const PARTITION_READS = 3000
const GIGABYTE = 2 ** 30
const SECONDS_A_MONTH = 730 * 3600

/** Prices every page index for the pages that are asked by number. */
export function pageAdvice(pricing: Pricing): PageAdvice {
  const { workload, mode } = pricing
  const { share, stores = OWN_INDEXES } = workload.pages
  const all = pageListsOf(pricing)
  const answers = PAGE_INDEXES.map((name) => ({ name, refused: STORE_MODELS[name].refusal(pricing, all) }))
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

/** Prices all page indexes of the collection in one store. */
function pricedIndex(
  { workload, prices, utilisation }: Pricing,
  all: readonly PageLists[],
  name: PageIndexName,
): PricedPageIndex {
  const { pages, writesPerSecond, readsPerSecond } = workload
  const model = STORE_MODELS[name]
  const lookUps = readsPerSecond * pages.share
  const units = all.flatMap(({ changed, scopes, lists, asked }) =>
    scopes.map((scope) => {
      const batch = batchUnits(model, lists(scope))
      const read = asked(scope).reduce((sum, { share, list }) => sum + share * model.unitsOf(list).lookUp, 0)
      return { scope, write: (scope.writes * batch * changed) / pages.together, read: scope.reads * read }
    }),
  )
  const unitsPerWrite = units.reduce((sum, { write }) => sum + write, 0)
  const unitsPerLookUp = units.reduce((sum, { read }) => sum + read, 0)
  const bytes = all.reduce((sum, { entries, packed, scopes }) => {
    const items = scopes.reduce((count, scope) => count + scope.scopes * scope.items, 0)
    return sum + items * entries * model.entryBytes(packed)
  }, 0)
  const usage = {
    writeUnitsPerSecond: writesPerSecond * unitsPerWrite,
    readUnitsPerSecond: lookUps * unitsPerLookUp,
    storedBytes: model.isInTable ? bytes : 0,
  }
  const monthly = monthlyPrice(usage, prices, utilisation)
  const batches = all.reduce((sum, { changed }) => sum + changed / pages.together, 0)
  const beside = model.besidePrice(prices.stores, {
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
function batchUnits({ isInTable, unitsOf }: StoreModel, lists: readonly ListLoad[]): number {
  return isInTable ? lists.reduce((sum, list) => sum + unitsOf(list).batch, MARK) : 0
}
