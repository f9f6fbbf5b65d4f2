import { execute } from '../executor/execute.ts'
import type { Lists } from '../layouts/layout.ts'
import type { Entry } from '../model/entry.ts'
import { LapidaryError } from '../model/errors.ts'
import { livenessOf } from '../model/expiry.ts'
import { parseQuery, type QueryInput } from '../model/query.ts'
import { isItemKey, plainKeyOf } from '../model/stored-item.ts'
import { explainPlan } from '../planner/explain.ts'
import { noteText, type PlanNote } from '../planner/plan-note.ts'
import { planQuery } from '../planner/plan-query.ts'
import type { CollectionContext } from './context.ts'
import { cursorsOf, listPage, type Page, totalsOf } from './list.ts'
import { getItems } from './look-up.ts'
import { pageEstimates } from './page-estimates.ts'
import { knownEstimates, oneScope, readCounts } from './query-counts.ts'

/** A page with the parent, which its scope is. */
export interface PageWithParent<I, P> extends Page<I> {
  /** The parent; null where there is none, undefined on a page that a cursor led to, which does not read it. */
  readonly parent?: P | null
}

/** Reads the first page of the newest items around a parent, and the parent, by one Query. `list` gives the later pages. */
export async function listWithParent<I, P>(
  context: CollectionContext<I>,
  parent: CollectionContext<P>,
  input: QueryInput,
  cursor: string | null | undefined,
): Promise<PageWithParent<I, P>> {
  const assembly = assemblyOf(context as CollectionContext, parent as CollectionContext)
  if (cursor !== undefined && cursor !== null) return listPage(context, input, { cursor })
  const states = await Promise.all([context.states.unusable(), parent.states.unusable()])
  const refusal = states.map((unusable) => unusable.get(assembly.index)).find((found) => found !== undefined)
  if (refusal !== undefined)
    return readApart(context, parent, input, { kind: 'refused', index: assembly.index, refusal })

  const { collection, table, codec, now, maxSources, roundPrice } = context
  const query = oneScope(parseQuery(collection, input), 'a parent is')
  const estimates = pageEstimates(context, knownEstimates(context, query))
  const whole = { ...query, limit: query.limit + 1 }
  const plan = planQuery(assembly.lists, whole, estimates, { maxSources, roundPrice })
  const isOfParent = (entry: Entry): boolean => isItemKey(parent.collection, plainKeyOf(entry))
  const [isParentLive, isChildLive] = [parent, context].map((of) => livenessOf(of.collection, of.codec, of.clock))
  const isLive = (entry: Entry): boolean => (isOfParent(entry) ? isParentLive : isChildLive)?.(entry) !== false
  const [execution, counted] = await Promise.all([
    execute(plan, {
      table,
      lists: assembly.lists,
      codec,
      now,
      point: undefined,
      isLive,
      unreadable: (entry) => (isOfParent(entry) ? [] : codec.unreadable(entry)),
    }),
    readCounts(context, query),
  ])
  const found = execution.heads.find(({ entry }) => isOfParent(entry))
  const all = execution.heads.filter(({ entry }) => !isOfParent(entry))
  const heads = all.slice(0, query.limit)
  const more = execution.more || heads.length < all.length
  const read = { ...execution, heads, more, frontier: heads.at(-1)?.position }
  const { total, count, facets, asOf } = totalsOf(context, query, counted, read, { isFirst: true, indexed: undefined })
  return {
    parent: found === undefined ? null : (parent.codec.toItem(found.entry) as P),
    items: heads.map(({ entry }) => codec.toItem(entry) as I),
    page: { number: 1, about: null, count, total, size: query.limit },
    cursors: cursorsOf(context, query, undefined, read, { skipped: 0, offset: 0 }),
    facets,
    asOf,
    plan: explainPlan(plan, execution, { statisticsRcu: counted?.rcu ?? null }),
  }
}

/** Returns the index that both collections declare, one as the parents and the other around them. */
function assemblyOf(
  context: CollectionContext,
  parent: CollectionContext,
): { readonly index: string; readonly lists: Lists } {
  const [own = [], others = []] = [context.layout.assemblies, parent.layout.assemblies]
  for (const { index, lists } of own) {
    if (lists !== undefined && others.some((other) => other.index === index && other.lists === undefined))
      return { index, lists }
  }
  throw new LapidaryError(
    'not_implemented',
    `no index assembles ${context.collection.name} around ${parent.collection.name}; declare one in both: indexes: { around: { around: 'parent' } } and { around: { around: 'below' } }`,
  )
}

/** Reads page and parent apart, while the index is not complete for both. */
async function readApart<I, P>(
  context: CollectionContext<I>,
  parent: CollectionContext<P>,
  input: QueryInput,
  note: PlanNote,
): Promise<PageWithParent<I, P>> {
  const { scope } = oneScope(parseQuery(context.collection, input), 'a parent is')
  const [page, [found = null]] = await Promise.all([listPage(context, input), getItems(parent, [scope])])
  const { limits, notes } = page.plan
  const plan = { ...page.plan, limits: [...limits, noteText(note)], notes: [...notes, note] }
  return { ...page, parent: found, plan }
}
