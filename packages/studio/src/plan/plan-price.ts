import type { ExplainedPlan } from 'lapidary'
import { US_EAST_1 } from 'lapidary-adviser'

/** Returns what a million pages like this one cost in dollars, on demand. A plan that was not run costs what it expects. */
export function millionPages({ actual, estimated }: ExplainedPlan): number {
  return (actual ?? estimated).rcu * US_EAST_1.onDemand.millionReadUnits
}

export const PRICES: string = `${US_EAST_1.region}, on demand, prices of ${US_EAST_1.date}`
