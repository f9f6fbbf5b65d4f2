import type { ExplainedPlan } from '../planner/explain.ts'
import { type Plan, planSources } from '../planner/plan.ts'
import type { Figures } from '../table/observer.ts'
import type { ReadContext } from './context.ts'

/** Runs operations of a collection, and has each observed. */
export type Operations = <T>(name: string, run: () => Promise<T>, figures?: (result: T) => Figures) => Promise<T>

const untold = (): Figures => ({})

export function operationsOf({ table, collection }: Pick<ReadContext, 'table' | 'collection'>): Operations {
  return (name, run, figures = untold) =>
    table.observe({ kind: 'operation', name, collection: collection.name, table: table.tableName }, run, figures)
}

/** Returns what a page, or something with a plan like one, tells of the work that it took. */
export function pageFigures({ plan }: { readonly plan: ExplainedPlan }): Figures {
  const { text, actual, notes } = plan
  const stopped = notes.find((note) => note.kind === 'stopped')
  return {
    plan: text,
    ...(actual === null ? {} : { readUnits: actual.rcu, requests: actual.requests, rounds: actual.rounds }),
    ...(actual === null ? {} : { itemsRead: actual.itemsRead, itemsReturned: actual.itemsReturned }),
    ...(stopped === undefined ? {} : { stoppedBy: stopped.by }),
  }
}

export function planFigures(plan: Plan): Figures {
  return { plan: plan.text, lists: listsOf(plan) }
}

/** Names the lists that a plan reads, without values: `all`, `byRating filtered`, `merge of byRating`, `columns`, `nothing`. */
function listsOf({ root, ...plan }: Plan): string {
  if (root.kind === 'empty') return 'nothing'
  if (root.input.kind === 'columns') return 'columns'
  const sources = planSources({ root, ...plan })
  const names = [...new Set(sources.map(({ source }) => source.list.index ?? 'the table'))].sort().join(' and ')
  const isFiltered = sources.some(({ residual, also }) => also !== undefined || Object.keys(residual).length > 0)
  return `${root.input.kind === 'merge' ? 'merge of ' : ''}${names}${isFiltered ? ' filtered' : ''}`
}
