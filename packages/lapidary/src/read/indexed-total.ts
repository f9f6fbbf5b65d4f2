import { setTimeout as sleep } from 'node:timers/promises'
import { isCounted } from '../derived/counts/counts-shape.ts'
import { eachOfFacet } from '../model/facet-values.ts'
import { isSamePages } from '../model/page-declaration.ts'
import { isWhole, knownSelection, type Query, type Selection, scopesOf } from '../model/query.ts'
import { numberedBy } from '../pages/numbered-query.ts'
import type { PageIndex, PageStart } from '../pages/page-index.ts'
import type { LookUpPrice, LookUpShape } from '../pages/sorted-lists.ts'
import type { PlanEstimate } from '../planner/plan.ts'
import type { AskedTotal, IndexedTotal } from './asked-total.ts'
import type { ReadContext } from './context.ts'

/** RCU that a first page may take for its total. */
const CHEAP_RCU = 5
/** Milliseconds that a page waits for its total: a first page can do without, of a page by number it is a part. */
const PATIENCE_MS = { lacking: 300, always: 2_000 } as const

/** The page index that has a query's pages; undefined where none has. */
export function pageIndexOf({ collection, pages }: ReadContext, query: Query): PageIndex | undefined {
  if (pages.length === 0) return undefined
  const by = numberedBy(collection, query)
  return by.refused === undefined ? pages.find(({ declared }) => isSamePages(declared, by.declared)) : undefined
}

/** Prices a look-up in a page index. */
export function lookUpPrice(
  context: ReadContext,
  index: PageIndex,
  query: Query,
  { entry }: Pick<LookUpShape, 'entry'>,
): PlanEstimate {
  return spentBy(index.price(query, { entriesIn: (scope) => countedEntries(context, index, query, scope), entry }))
}

/** Entries of the lists of a scope that are looked into, where they are counted. */
function countedEntries(
  { collection, statistics }: ReadContext,
  { declared: { across, facet } }: PageIndex,
  query: Query,
  scope: string,
): number | undefined {
  const counted = across === true ? undefined : statistics?.known(scope)
  const values = facet === undefined ? undefined : knownSelection(query.where)[facet]
  const where = facet === undefined || values === undefined ? {} : { [facet]: values }
  return isCounted(collection, where) ? counted?.count(where) : undefined
}

/** Whether counts say how many items a query has: they are of whole lists of scopes, not of ranges, nor of all scopes. */
function countsTell({ collection, statistics }: ReadContext, query: Query): boolean {
  if (statistics === undefined || scopesOf(query).length === 0) return false
  const { where, also } = query
  return isWhole(collection, query) && isCounted(collection, { ...where, ...countedWhole(collection, query) }, also)
}

/** Picks the facets whose values are all named and of which counts can say how many items have another. */
function countedWhole({ facets }: ReadContext['collection'], { whole = {} }: Query): Selection {
  return Object.fromEntries(Object.entries(whole).filter(([facet]) => eachOfFacet(facets[facet]) === undefined))
}

/** Asks for the total of a first page, where counts do not tell it and asking the page index takes little. */
export function askLackingTotal(context: ReadContext, query: Query): AskedTotal | undefined {
  const index = pageIndexOf(context, query)
  if (index === undefined || countsTell(context, query)) return undefined
  const asked = askedTotal(context, index, query, PATIENCE_MS.lacking)
  return asked.estimated.rcu > CHEAP_RCU ? undefined : asked
}

/** Asks a page index how many items a query has. */
export function askedTotal(
  context: ReadContext,
  index: PageIndex,
  query: Query,
  patienceMs: number = PATIENCE_MS.always,
): AskedTotal {
  const estimated = lookUpPrice(context, index, query, { entry: false })
  return { estimated, ask: () => askTotal(index, query, patienceMs) }
}

/** How many items a query has by a page index; undefined where that is not built, or does not answer in time. */
async function askTotal(index: PageIndex, query: Query, patienceMs: number): Promise<IndexedTotal | undefined> {
  const ask = async (): Promise<IndexedTotal | undefined> => {
    const [state, found] = await Promise.all([index.state(), index.find(query, Number.MAX_SAFE_INTEGER)])
    return state === 'ready' ? indexedTotal(found) : undefined
  }
  const patience = new AbortController()
  return Promise.race([
    ask().catch(() => undefined),
    sleep(patienceMs, undefined, { signal: patience.signal, ref: false }).catch(() => undefined),
  ]).finally(() => patience.abort())
}

export function indexedTotal({ total, asOf, ...took }: PageStart): IndexedTotal {
  return { total, asOf, ...spentBy(took) }
}

/** Gives the cost of a look-up. A store outside DynamoDB takes none of its requests; a store that does not count them is taken to send one a round. */
export function spentBy({ rcu, rounds, requests = rcu > 0 ? rounds : 0 }: LookUpPrice): PlanEstimate {
  return { rcu, requests, rounds }
}
