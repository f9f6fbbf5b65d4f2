import type { BenchContext } from './bench.ts'
import { countLag } from './count-lag.ts'
import { countedLists } from './counted-lists.ts'
import { hotProduct } from './hot-product.ts'
import { hotShards } from './hot-shards.ts'
import type { Report } from './report.ts'

/** What derived data costs, how far it is behind, and what plans gain from real counts. */
export async function derived({ random, quick }: BenchContext): Promise<Report> {
  const parts = [
    await hotProduct(random, quick),
    await hotShards(random, quick),
    await countLag(random, quick),
    ...(await countedLists(random, quick)),
  ]
  return {
    tables: parts.map(({ table }) => table),
    targets: parts.flatMap(({ targets }) => targets),
    figures: parts.map(({ figures }) => figures),
  }
}
