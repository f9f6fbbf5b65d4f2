import type { Collection, IndexDeclaration, Layout } from 'lapidary'
import { type HotPartition, type Load, loadOf } from './load.ts'
import type { Population } from './population.ts'
import { type MonthlyPrice, monthlyPrice, type PricesOfAll } from './prices.ts'
import type { SearchTime } from './search-time.ts'
import type { CheckedWorkload } from './workload.ts'

/** The way in which capacity is paid. */
export type CapacityMode = 'onDemand' | 'provisioned'

/** A layout with the load and the price of the workload in it. */
export interface PricedLayout {
  /** A description in words: `indexes, the cheapest set`. */
  readonly name: string
  readonly layout: string
  /** The name of the codec that stores the items; undefined for items as they are. */
  readonly codec: string | undefined
  /** The indexes to declare, by name; undefined where the layout makes its own. */
  readonly indexes: Readonly<Record<string, IndexDeclaration>> | undefined
  /** Mean units of a write, and of a page. */
  readonly unitsPerWrite: number
  readonly unitsPerRead: number
  readonly writeUnitsPerSecond: number
  readonly readUnitsPerSecond: number
  readonly storedBytes: number
  /** Dollars a month. */
  readonly price: MonthlyPrice
  readonly hottest: HotPartition
}

/** A layout that was not priced, and why. */
export interface RefusedLayout {
  readonly name: string
  readonly layout: string
  readonly reason: string
}

/** The inputs of the pricing of layouts. */
export interface Pricing {
  readonly collection: Collection
  readonly workload: CheckedWorkload
  readonly population: Population
  readonly prices: PricesOfAll
  readonly mode: CapacityMode
  /** The share of provisioned capacity that the mean load uses. */
  readonly utilisation: number
  readonly time: SearchTime
}

/** @throws {LapidaryError} The layout's error for a collection that it can't hold. */
export function loadIn(
  { collection, workload, population, time }: Pricing,
  layout: Layout,
  indexes: Collection['indexes'] = collection.indexes,
): Promise<Load> {
  return loadOf({ ...collection, indexes }, layout, workload, population, time)
}

export function pricedLayout(
  pricing: Pricing,
  load: Load,
  named: Pick<PricedLayout, 'name' | 'layout' | 'codec' | 'indexes'>,
): PricedLayout {
  const { workload } = pricing
  const usage = {
    writeUnitsPerSecond: load.writeUnits * workload.writesPerSecond,
    readUnitsPerSecond: load.readUnits * workload.readsPerSecond,
    storedBytes: load.storedBytes * itemCount(workload),
  }
  return {
    ...named,
    unitsPerWrite: load.writeUnits,
    unitsPerRead: load.readUnits,
    ...usage,
    price: monthlyPrice(usage, pricing.prices, pricing.utilisation),
    hottest: load.hottest,
  }
}

/** Returns the number of items in all scopes. */
export function itemCount({ scopes }: CheckedWorkload): number {
  return scopes.reduce((sum, scope) => sum + scope.scopes * scope.items, 0)
}
