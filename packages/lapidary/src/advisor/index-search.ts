import type { Layout } from '../layouts/layout.ts'
import type { IndexDeclaration } from '../model/index-declaration.ts'
import type { CandidateIndex } from './candidate-indexes.ts'
import { type CheapestSet, cheapestSet } from './cheapest-set.ts'
import type { Load } from './load.ts'
import { itemsOf, loadIn, type Pricing } from './priced-layout.ts'
import { monthlyPrice } from './prices.ts'

/** Of a table: DynamoDB's limits. */
const MOST_INDEXES = 20
const MOST_PROJECTED = 100

/** The cheapest set of the candidates, with what it takes. */
export function cheapestIndexes(
  pricing: Pricing,
  layout: Layout,
  candidates: readonly CandidateIndex[],
): CheapestSet<Load> {
  const { workload } = pricing
  const bare = loadIn(pricing, layout, {})
  const dollars = (writeUnits: number, readUnits: number, bytes: number): number =>
    monthlyPrice(
      {
        writeUnitsPerSecond: writeUnits * workload.writesPerSecond,
        readUnitsPerSecond: readUnits * workload.readsPerSecond,
        storedBytes: bytes * itemsOf(workload),
      },
      pricing.prices,
      pricing.utilisation,
    )[pricing.mode]
  const members = candidates.map(({ name, declaration }) => {
    const alone = loadIn(pricing, layout, { [name]: declaration })
    const jobs = workload.queries.map(({ share }, i) => {
      const units = alone.unitsOfQueries[i] ?? Number.POSITIVE_INFINITY
      return units === Number.POSITIVE_INFINITY ? units : dollars(0, share * units, 0)
    })
    return {
      standing: dollars(alone.unitsOfIndexes.get(name) ?? 0, 0, alone.bytesOfIndexes.get(name) ?? 0),
      jobs,
    }
  })
  return cheapestSet({
    members,
    base: dollars(bare.writeUnits, 0, bare.storedBytes),
    most: mostIndexes(pricing),
    priceOf(taken) {
      const load = loadIn(pricing, layout, declarations(taken.map((i) => candidates[i] as CandidateIndex)))
      if (!load.answersAll) return undefined
      return { price: dollars(load.writeUnits, load.readUnits, load.storedBytes), priced: load }
    },
  })
}

export function declarations(indexes: readonly CandidateIndex[]): Readonly<Record<string, IndexDeclaration>> {
  return Object.fromEntries(indexes.map(({ name, declaration }) => [name, declaration]))
}

function mostIndexes({ collection }: Pricing): number {
  const shown = Object.values(collection.attributes ?? {}).filter(({ shownIn }) => shownIn === 'list').length
  return Math.min(MOST_INDEXES, shown === 0 ? MOST_INDEXES : Math.floor(MOST_PROJECTED / shown))
}
