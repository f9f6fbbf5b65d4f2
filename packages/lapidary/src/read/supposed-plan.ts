import { scopeStatistics } from '../derived/counts/scope-counts.ts'
import type { CollectionLayout } from '../layouts/layout.ts'
import type { Collection } from '../model/collection.ts'
import { type Entry, entryBytes } from '../model/entry.ts'
import { parseQuery, type Query, scopesOf } from '../model/query.ts'
import { plannedColumns } from '../pages/planned-columns.ts'
import type { Beside } from '../planner/beside.ts'
import { exactSize, readPrice } from '../planner/entry-size.ts'
import { type ExplainedPlan, explainPlan } from '../planner/explain.ts'
import { MAX_SOURCES } from '../planner/plan-query.ts'
import { LIST_OPTION_NAMES, type ListOptions } from './list-options.ts'
import { takenApart } from './options.ts'
import { planKnown } from './plan-known.ts'
import { countedEstimates } from './statistics.ts'

/** What a plan supposes of a table that nothing reads. */
export interface Supposition {
  /** The counts of each scope that the query names; undefined where none are kept. */
  readonly counts?: readonly Entry[] | undefined
  /** Whether every facet has a column; false when not given. */
  readonly columns?: boolean
  readonly maxSources?: number | undefined
  readonly roundPrice?: number | undefined
}

/**
 * Explains the plan of a first page as a new process would make it, with nothing read: for tools that show plans without a table.
 *
 * @param given What `list` takes.
 * @throws {LapidaryError} `unprocessable` for a query that can't be, `query_not_plannable` where no index can answer.
 */
export function supposedPlan(
  collection: Collection,
  layout: CollectionLayout,
  given: object,
  { counts, columns = false, maxSources = MAX_SOURCES, roundPrice }: Supposition = {},
): ExplainedPlan {
  const { query: input, options } = takenApart<ListOptions>('the query', given, LIST_OPTION_NAMES)
  const asked = parseQuery(collection, input)
  const query: Query = options.having === undefined ? asked : Object.freeze({ ...asked, having: true })
  const known = counts && countedEstimates(collection, scopeStatistics(collection, counts))
  const { way } = plannedColumns(collection)
  const plan = planKnown(
    {
      ...{ collection, layout, maxSources, roundPrice },
      // No index is refused here, so that no error names the table.
      table: { tableName: collection.name },
      statistics: known && { known: () => known },
      columns: columns ? { index: { way, refusal: () => undefined } } : undefined,
    },
    query,
    new Map(),
    undefined,
    options,
  )
  const scopes = scopesOf(query).length
  const bytes = (counts ?? []).reduce((sum, entry) => sum + entryBytes(entry), 0)
  const estimated = { rcu: scopes * readPrice(1, exactSize(bytes)), requests: scopes, rounds: 1 }
  const besides: readonly Beside[] =
    counts === undefined || scopes === 0 || options.counts === false || query.having === true
      ? []
      : [{ kind: 'counts', text: 'COUNTS', when: 'along', estimated }]
  return explainPlan(plan, undefined, { besides })
}
