import { execute } from '../executor/execute.ts'
import type { Lists } from '../layouts/layout.ts'
import type { Item } from '../model/collection.ts'
import type { Entry } from '../model/entry-bytes.ts'
import { LapidaryError } from '../model/errors.ts'
import { livenessOf } from '../model/expiry.ts'
import { parseQuery, type Query, type QueryInput } from '../model/query.ts'
import { isItemKey, plainKeyOf } from '../model/stored-item.ts'
import { noteText, type PlanNote } from '../planner/plan-note.ts'
import { planQuery } from '../planner/plan-query.ts'
import { readAlong } from './along.ts'
import type { ReadContext } from './context.ts'
import { listPage } from './list.ts'
import { getItems } from './look-up.ts'
import { type Page, pageOf } from './page.ts'
import { pageEstimates } from './page-estimates.ts'
import { knownEstimates, oneScope } from './query-counts.ts'
import type { Run } from './run.ts'
import type { First } from './start.ts'

/** A page with the parent that its scope is. */
export interface PageWithParent<I, P> extends Page<I> {
  /** Null where there is none; undefined on a page that a cursor led to, which does not read it. */
  readonly parent?: P | null
}

const FIRST: First = { kind: 'first' }

/** The first page of the newest items around a parent, and the parent, by one Query; later ones as `list` gives them. */
export async function listWithParent(
  context: ReadContext,
  parent: ReadContext,
  input: QueryInput,
  cursor: string | null | undefined,
): Promise<PageWithParent<Item, unknown>> {
  const { index, lists } = assemblyOf(context, parent)
  if (cursor !== undefined && cursor !== null) return listPage(context, input, { cursor })
  const states = await Promise.all([context.states.unusable(), parent.states.unusable()])
  const refusal = states.map((unusable) => unusable.get(index)).find((found) => found !== undefined)
  if (refusal !== undefined) return readApart(context, parent, input, { kind: 'refused', index, refusal })

  const query = oneScope(parseQuery(context.collection, input), 'a parent is')
  const reads = readAlong(context, query, FIRST, undefined, {})
  const running = runAround(context, parent, lists, query)
  const listsRcu = async (): Promise<number> => (await running).run.execution.actual.rcu
  const [{ run, found }, along] = await Promise.all([running, reads.end(listsRcu)])
  return { ...pageOf(context, query, FIRST, run, along, context.codec.toItem), parent: found }
}

/** Reads the list in which a parent stands before the newest of its items. */
async function runAround(
  context: ReadContext,
  parent: ReadContext,
  lists: Lists,
  query: Query,
): Promise<{ readonly run: Run; readonly found: unknown }> {
  const { table, codec, now, maxSources, roundPrice } = context
  const estimates = pageEstimates(context, knownEstimates(context, query))
  const plan = planQuery(lists, { ...query, limit: query.limit + 1 }, estimates, { maxSources, roundPrice })
  const isOfParent = (entry: Entry): boolean => isItemKey(parent.collection, plainKeyOf(entry))
  const [isParentLive, isChildLive] = [parent, context].map((of) => livenessOf(of.collection, of.codec, of.clock))
  const execution = await execute(plan, {
    ...{ table, lists, codec, now, point: undefined },
    isLive: (entry) => (isOfParent(entry) ? isParentLive : isChildLive)?.(entry) !== false,
    unreadable: (entry) => (isOfParent(entry) ? [] : codec.unreadable(entry)),
  })
  const found = execution.heads.find(({ entry }) => isOfParent(entry))
  const all = execution.heads.filter(({ entry }) => !isOfParent(entry))
  const heads = all.slice(0, query.limit)
  const more = execution.more || heads.length < all.length
  return {
    run: { plan, execution: { ...execution, heads, more, frontier: heads.at(-1)?.position } },
    found: found === undefined ? null : parent.codec.toItem(found.entry),
  }
}

/** The index that both declare, one as the parents and the other around them. */
function assemblyOf(context: ReadContext, parent: ReadContext): { readonly index: string; readonly lists: Lists } {
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

/** As long as the index is not complete for both. */
async function readApart(
  context: ReadContext,
  parent: ReadContext,
  input: QueryInput,
  note: PlanNote,
): Promise<PageWithParent<Item, unknown>> {
  const { scope } = oneScope(parseQuery(context.collection, input), 'a parent is')
  const [page, [found = null]] = await Promise.all([listPage(context, input), getItems(parent, [scope])])
  const { limits, notes } = page.plan
  const plan = { ...page.plan, limits: [...limits, noteText(note)], notes: [...notes, note] }
  return { ...page, parent: found, plan }
}
