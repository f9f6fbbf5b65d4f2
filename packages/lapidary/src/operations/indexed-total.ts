import { setTimeout as sleep } from 'node:timers/promises'
import { isCounted } from '../derived/counts/counts-shape.ts'
import { isWhole, type Query, scopesOf } from '../model/query.ts'
import { isRanked } from '../pages/cells.ts'
import type { LookUpPrice, LookUpShape } from '../pages/sorted-lists.ts'
import type { PageLookUp } from '../planner/explain.ts'
import type { CollectionContext } from './context.ts'

/** What a page index says of a whole query, and what asking took. */
export interface IndexedTotal extends PageLookUp {
  readonly total: number
  readonly asOf?: number | undefined
}

/** RCU that a first page may take for its total. */
const CHEAP_RCU = 5
/** Milliseconds that a page waits for a total which it can do without. */
const PATIENCE_MS = 300

/** What a look-up should take; undefined without a page index. */
export function lookUpPrice(
  { collection, pages, statistics }: CollectionContext,
  query: Query,
  { entry }: Pick<LookUpShape, 'entry'>,
): LookUpPrice | undefined {
  if (scopesOf(query).length !== 1 || !isRanked(collection, query.where)) return undefined
  return pages?.price(query, { entries: statistics?.known(query.scope)?.count({}), entry })
}

/** Whether counts say how many items a query has: they are of whole lists, not of ranges. */
function countsTell({ collection, statistics }: CollectionContext, query: Query): boolean {
  return statistics !== undefined && isWhole(collection, query) && isCounted(collection, query.where)
}

/**
 * How many items a query has by the page index; undefined where it is not asked, is not built, or does not answer in time, since a page can
 * do without.
 *
 * @param when `lacking`: where counts do not tell, and asking takes little.
 */
export function askTotal(
  context: CollectionContext,
  query: Query,
  when: 'lacking' | 'always',
): Promise<IndexedTotal | undefined> | undefined {
  const { pages } = context
  const price = lookUpPrice(context, query, { entry: false })
  // Of another order it knows neither a place nor who is in it.
  if (pages === undefined || price === undefined || query.by !== undefined) return undefined
  if (when === 'lacking' && (countsTell(context, query) || price.rcu > CHEAP_RCU)) return undefined
  const ask = async (): Promise<IndexedTotal | undefined> => {
    const [state, { position: _, ...found }] = await Promise.all([
      pages.lists.state(),
      pages.find(query, Number.MAX_SAFE_INTEGER),
    ])
    return state === 'ready' ? found : undefined
  }
  const patience = new AbortController()
  return Promise.race([
    ask().catch(() => undefined),
    sleep(PATIENCE_MS, undefined, { signal: patience.signal, ref: false }).catch(() => undefined),
  ]).finally(() => patience.abort())
}
