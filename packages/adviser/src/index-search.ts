import type { IndexDeclaration, Layout } from 'lapidary'
import type { CandidateIndex } from './candidate-indexes.ts'
import { type CheapestSet, cheapestSet, type MemberPrice } from './cheapest-set.ts'
import type { Load } from './load.ts'
import { itemCount, loadIn, type Pricing } from './priced-layout.ts'
import { monthlyPrice } from './prices.ts'

/** The most secondary indexes of a table, a limit of DynamoDB. */
const MOST_INDEXES = 20
const MOST_PROJECTED = 100

/** The cheapest set found, and how many of the candidates it was chosen from. */
export interface IndexSearch extends CheapestSet<Load> {
  /** How many candidates there was time for; the first ones. */
  readonly considered: number
}

/** Returns the cheapest set of the candidates, with its load. */
export async function cheapestIndexes(
  pricing: Pricing,
  layout: Layout,
  candidates: readonly CandidateIndex[],
  onSet: () => void,
): Promise<IndexSearch> {
  const { workload, time } = pricing
  const bare = await loadIn(pricing, layout, {})
  const dollars = (writeUnits: number, readUnits: number, bytes: number): number =>
    monthlyPrice(
      {
        writeUnitsPerSecond: writeUnits * workload.writesPerSecond,
        readUnitsPerSecond: readUnits * workload.readsPerSecond,
        storedBytes: bytes * itemCount(workload),
      },
      pricing.prices,
      pricing.utilisation,
    )[pricing.mode]
  const members: MemberPrice[] = []
  for (const { name, declaration } of candidates) {
    // At least one is priced, so that there is a set.
    if (members.length > 0 && time.isOver()) break
    const alone = await loadIn(pricing, layout, { [name]: declaration })
    const jobs = workload.queries.map(({ share }, i) => {
      const units = alone.unitsOfQueries[i] ?? Number.POSITIVE_INFINITY
      return units === Number.POSITIVE_INFINITY ? units : dollars(0, share * units, 0)
    })
    members.push({
      standing: dollars(alone.unitsOfIndexes.get(name) ?? 0, 0, alone.bytesOfIndexes.get(name) ?? 0),
      jobs,
    })
  }
  const found = await cheapestSet({
    members,
    base: dollars(bare.writeUnits, 0, bare.storedBytes),
    most: mostIndexes(pricing),
    time,
    async priceOf(taken) {
      onSet()
      const load = await loadIn(pricing, layout, declarations(taken.map((i) => candidates[i] as CandidateIndex)))
      if (!load.answersAll) return undefined
      return { price: dollars(load.writeUnits, load.readUnits, load.storedBytes), priced: load }
    },
  })
  const considered = members.length
  return { ...found, considered, proven: found.proven && considered === candidates.length }
}

export function declarations(indexes: readonly CandidateIndex[]): Readonly<Record<string, IndexDeclaration>> {
  return Object.fromEntries(indexes.map(({ name, declaration }) => [name, declaration]))
}

function mostIndexes({ collection }: Pricing): number {
  const shown = Object.values(collection.attributes ?? {}).filter(({ shownIn }) => shownIn === 'list').length
  return Math.min(MOST_INDEXES, shown === 0 ? MOST_INDEXES : Math.floor(MOST_PROJECTED / shown))
}
