import type { BenchContext } from './bench.ts'
import { type Comment, ENTRY_BYTES, generateComments, PRODUCT } from './comments.ts'
import { countsRegister } from './counts-register.ts'
import { FAMILIES, familyComments } from './families.ts'
import { type FamilyFigures, meanFigures, measureFamily } from './family-lists.ts'
import { FAMILY_COLUMNS, familyRow } from './family-report.ts'
import { mean, rounded } from './measure.ts'
import { memoryLists } from './memory-lists.ts'
import { seededRandom } from './random.ts'
import { ratingFilters, whereOf } from './rating-filters.ts'
import type { Report } from './report.ts'
import { simulatedClient } from './simulated-lists.ts'
import { statisticsItems } from './statistics-items.ts'
import { openLapidary } from './stored-comments.ts'

const PAGE = 20
const BLOCK_BYTES = 4096
const ROUND_PRICES = [0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 6, 10]
/** Away from the data that anything was chosen by. */
const OTHER_SEEDS = [11, 12, 13]

/** Shows what the price of a round buys: capacity against rounds, over all filters, on simulated lists of the J shape. */
export async function fetchSimulation({ random, quick }: BenchContext): Promise<Report> {
  const comments = generateComments(quick ? 4_000 : 40_000, random)
  const pages = quick ? 20 : 100
  const rows: (readonly (string | number)[])[] = []
  for (const roundPrice of ROUND_PRICES) {
    const { ratio, rounds, worst } = await simulate(comments, roundPrice, pages)
    rows.push([roundPrice, rounded(ratio), rounded(rounds), rounded(worst.ratio, 2), worst.filter])
  }
  const families = await otherFamilies(quick)
  return {
    tables: [
      {
        title: `Price of a round against capacity and rounds, 31 rating sets, ${pages} pages of ${PAGE} each, simulated`,
        columns: ['RCU a round', 'RCU / least', 'rounds', 'worst filter', 'which'],
        rows,
      },
      {
        title: `The families of data drawn by ${OTHER_SEEDS.length} other seeds, simulated`,
        columns: FAMILY_COLUMNS,
        rows: families.map(familyRow),
      },
    ],
    targets: [],
    figures: { roundPrices: rows, families },
  }
}

/** Means over the seeds of what each family takes. */
async function otherFamilies(quick: boolean): Promise<readonly FamilyFigures[]> {
  const figures: FamilyFigures[] = []
  const { items, partition } = await countsRegister()
  for (const family of FAMILIES) {
    for (const counted of family.counted) {
      const drawn = []
      for (const seed of quick ? OTHER_SEEDS.slice(0, 1) : OTHER_SEEDS) {
        const comments = familyComments(family, quick ? 2_000 : 20_000, seededRandom(seed))
        const lists = memoryLists(comments)
        const client = simulatedClient(
          lists,
          counted ? [...items, ...statisticsItems(comments, partition(PRODUCT))] : [],
        )
        const options = { client, lists, counted, pages: quick ? 2 : 10, random: seededRandom(seed + 100) }
        drawn.push(await measureFamily(family, options))
      }
      figures.push(meanFigures(drawn))
    }
  }
  return figures
}

async function simulate(comments: readonly Comment[], roundPrice: number, pages: number) {
  const { comments: list } = openLapidary(simulatedClient(memoryLists(comments)), { roundPrice })
  const least = 0.5 * Math.ceil((PAGE * ENTRY_BYTES) / BLOCK_BYTES)
  const filters: { readonly filter: string; readonly ratio: number; readonly rounds: number }[] = []
  for (const filter of ratingFilters([undefined])) {
    const query = { scope: PRODUCT, where: whereOf(filter) }
    const actuals: { readonly rcu: number; readonly rounds: number }[] = []
    let cursor: string | undefined
    while (actuals.length < pages) {
      const page = await list.list({ ...query, limit: PAGE, cursor })
      cursor = page.cursors.next ?? undefined
      if (page.items.length === PAGE && page.plan.actual !== null) actuals.push(page.plan.actual)
    }
    filters.push({
      filter: filter.name,
      ratio: mean(actuals.map(({ rcu }) => rcu)) / least,
      rounds: mean(actuals.map(({ rounds }) => rounds)),
    })
  }
  const worst = filters.reduce((a, b) => (b.ratio > a.ratio ? b : a))
  return {
    ratio: mean(filters.map(({ ratio }) => ratio)),
    rounds: mean(filters.map(({ rounds }) => rounds)),
    worst,
  }
}
