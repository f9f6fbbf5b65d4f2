import { type IndexDeclaration, indexes, type Layout, nativeKeys, powerSet } from 'lapidary'
import { primaryKey, settleDuplicates } from 'lapidary/internal'
import { type Advice, type PricedLayout, priceLayout } from 'lapidary-adviser'
import { measuredLoad, type Scenario } from '../../../bench/src/adviser/measured-load.ts'
import type { WorkloadCase } from '../../../bench/src/adviser/workload-case.ts'
import type { TestEngine } from '../../../test/engines/index.ts'
import { charged } from './charged.ts'

/** A layout that could have been chosen instead, with what it should cost. */
export interface Rival {
  readonly name: string
  readonly layout: Layout
  readonly indexes: PricedLayout['indexes']
  /** Dollars a month of reads and writes. */
  readonly expected: number
}

/** Layouts of which each has its best among the rivals. */
export const LAYOUTS: Readonly<Record<string, Layout>> = {
  'native keys': nativeKeys(),
  'power set': powerSet(),
  'power set, by the stream': powerSet({ kept: 'stream' }),
}

/**
 * The choice first; then the cheapest set of every layout that has sets, every other layout, the default indexes, one index for everything,
 * and the choice without each of its indexes.
 */
export async function rivalsOf({ collection, workload }: WorkloadCase, advice: Advice): Promise<readonly Rival[]> {
  const chosen = Object.entries(advice.choice.indexes ?? {})
  const layoutOf = (name: string): Layout =>
    Object.entries(LAYOUTS).find(([called]) => name.startsWith(called))?.[1] ?? indexes()
  const own = layoutOf(advice.choice.name)
  const sets: readonly (readonly [string, Readonly<Record<string, IndexDeclaration>> | undefined])[] = [
    ['the default indexes', undefined],
    ['one index for everything', { all: {} }],
    ...chosen.map(
      ([name]) => [`without ${name}`, Object.fromEntries(chosen.filter(([other]) => other !== name))] as const,
    ),
  ]
  const fewer: Rival[] = []
  for (const [name, set] of sets) {
    // A layout that can't answer all queries is no rival.
    const priced = await priceLayout({ ...collection, indexes: set }, own, workload).catch(() => undefined)
    if (priced !== undefined) fewer.push({ name, layout: own, indexes: set, expected: capacityPrice(priced) })
  }
  // A layout of the same name in which the collection declares no index is among the sets.
  const best = [
    advice.choice,
    ...advice.layouts.filter((one) => one !== advice.choice && !one.name.includes('by default')),
  ]
  const layouts = best.map((one) => ({
    ...{ name: one.name, layout: layoutOf(one.name), indexes: one.indexes },
    expected: capacityPrice(one),
  }))
  const found = new Map<string, Rival>()
  for (const rival of [...layouts, ...fewer]) {
    const id = `${rival.layout === own ? '' : rival.name} ${contentsOf(rival.indexes)}`
    if (!found.has(id)) found.set(id, rival)
  }
  return [...found.values()]
}

function contentsOf(set: PricedLayout['indexes']): string {
  const parts = ([, { partition = [], only = {} }]: readonly [string, IndexDeclaration]): string =>
    JSON.stringify([partition, only])
  return JSON.stringify(set && Object.entries(set).map(parts).toSorted())
}

function capacityPrice({ price }: PricedLayout): number {
  return price.writes + price.reads
}

/** Dollars a month of reads and writes, as an engine counts their units. */
export async function measuredPrice(
  engine: TestEngine,
  { prices }: Advice,
  scenario: Scenario,
  { layout, indexes: declared }: Rival,
): Promise<number> {
  const { writesPerSecond, readsPerSecond } = scenario.made.workload
  const { unitsPerWrite, unitsPerRead } = await measuredLoad(
    charged(engine),
    scenario,
    { layout, indexes: declared },
    (context, id) => settleDuplicates(context, primaryKey(context.collection, id).PK),
  )
  const { millionWriteUnits, millionReadUnits } = prices.onDemand
  const perSecond =
    unitsPerWrite * writesPerSecond * millionWriteUnits + unitsPerRead * readsPerSecond * millionReadUnits
  return (perSecond * 730 * 3600) / 1e6
}
