import { fetchSizes } from '../planner/fetch-sizes.ts'
import { believedShare, believedShares } from '../planner/local-shares.ts'
import { type Plan, planSources } from '../planner/plan.ts'
import { HAVING_SHARE } from '../planner/price.ts'
import type { SourceReader } from './source-reader.ts'

/** A source as a page has shown it so far. */
export type SeenSource = Pick<SourceReader, 'source' | 'exhausted' | 'blocking' | 'used' | 'leftOut' | 'buffered'> & {
  readonly actual: Pick<SourceReader['actual'], 'itemsRead' | 'withheld'>
  readonly passed: Pick<SourceReader['passed'], 'entries'>
}

/** The plan's knowledge of items that no list shows, in items' worth: next to nothing. */
const UNKNOWING = 1

/**
 * Items to read from each source in one more round: what still blocks reads at least one, and whatever is low is topped up with
 * it. Sizes, trust and round price are the plan's; its shares are corrected by what the page has shown so far.
 */
export function topUp(plan: Plan, readers: readonly SeenSource[], wanted: number): readonly number[] {
  const { trust, roundPrice } = plan
  const live = planSources(plan)
    .map(({ hitRate }, i) => ({
      hitRate: plan.query.having ? hitRate * HAVING_SHARE : hitRate,
      reader: readers[i] as SeenSource,
    }))
    .filter(({ reader }) => !reader.exhausted)
  const shares = live.map(({ reader }) => reader.source.share)
  const given = live.map(({ reader }) => reader.used)
  const seen = given.reduce((sum, items) => sum + items, 0)
  const believed = believedShares(shares, given, trust)
  const sizes = fetchSizes(
    live.map(({ hitRate, reader: { actual, passed, leftOut, source, buffered } }, i) => ({
      share: believed[i] as number,
      // All should match, and items may lie between of another kind, that have expired, or that hold a value no longer declared.
      hitRate:
        hitRate >= 1 && passed.entries - leftOut === actual.itemsRead
          ? 1
          : believedShare(
              hitRate,
              hitRate >= 1 ? Math.min(trust, UNKNOWING) : trust,
              passed.entries - leftOut - actual.withheld,
              actual.itemsRead,
            ),
      trust: trust + seen,
      size: source.size,
      ahead: 0,
      buffered,
      remaining: undefined,
    })),
    wanted,
    roundPrice,
  )
  const sizeOf = new Map(live.map(({ reader }, i) => [reader, sizes.items[i]]))
  return readers.map((reader) => {
    const size = sizeOf.get(reader) ?? 0
    return reader.blocking ? Math.max(1, size) : size
  })
}
