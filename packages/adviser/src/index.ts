/** @module lapidary-adviser */

export {
  type Advice,
  type AdviseOptions,
  type AdviseProgress,
  advise,
  priceLayout,
  type SearchCoverage,
} from './advise.ts'
export { TIED } from './choice.ts'
export type { HotPartition } from './load.ts'
export type { PageIndexName } from './page-index-names.ts'
export type { PageAdvice, PricedPageIndex, RefusedPageIndex } from './page-indexes.ts'
export type { CapacityMode, PricedLayout, RefusedLayout } from './priced-layout.ts'
export {
  checkedPrices,
  type MonthlyPrice,
  type Prices,
  type PricesOfAll,
  type StorePrices,
  US_EAST_1,
} from './prices.ts'
export type { NumberedPages, QueryShare, ScopeShare, Workload, WriteShares } from './workload.ts'
