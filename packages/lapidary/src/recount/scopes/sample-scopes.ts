import { boundBeyond, type CursorPoint } from '../../cursor/cursor.ts'
import { LIBRARY_SUMS } from '../../derived/collection-projections.ts'
import type { SumProjection } from '../../derived/sum-projection.ts'
import type { TargetKey } from '../../derived/target-key.ts'
import { execute } from '../../executor/execute.ts'
import type { Entry } from '../../model/entry.ts'
import { LapidaryError } from '../../model/errors.ts'
import { ownValue } from '../../model/own-value.ts'
import { MAX_LIMIT, parseQuery } from '../../model/query.ts'
import { scopeOfPartition } from '../../model/reserved-keys.ts'
import { statisticsAttributes } from '../../model/statistics-attributes.ts'
import { isItemKey, PRIMARY_SORT_KEY, plainKeyOf } from '../../model/stored-item.ts'
import type { CollectionContext } from '../../operations/context.ts'
import { declaredEstimates } from '../../planner/estimates.ts'
import type { Plan } from '../../planner/plan.ts'
import { planQuery } from '../../planner/plan-query.ts'
import type { UnusableIndexes } from '../../schema/index-states.ts'
import { withinBudget } from '../../table/capacity-budget.ts'
import { queryPages, scanPages, wholePartition } from '../../table/paging.ts'
import { readEntries } from '../../table/read-entries.ts'
import type { TableClient } from '../../table/table-client.ts'
import type { Inspection } from '../inspection.ts'

/** A collection and what is derived from it. */
export interface SampledCollection {
  readonly context: CollectionContext
  readonly projections: readonly SumProjection[]
}

/** A scope that is verified by itself. */
export interface SampledScope extends SampledCollection {
  readonly scope: string
  /** Where its derived data is; see {@link Projection.partitionOf}. */
  readonly partitions: readonly string[]
}

const LEAST_SEGMENTS = 16
const MOST_SEGMENTS = 1024
const SEGMENTS_PER_SCOPE = 8
const PAGE_ITEMS = 200
/** RCU of a request that reads a few items. */
const FEW_UNITS = 2

/** Scopes from parts of the table chosen by chance, so those with many items come more often; all when there are fewer. */
export async function chooseScopes(
  collections: readonly SampledCollection[],
  most: number,
  { table, budget, signal }: Inspection,
): Promise<readonly SampledScope[]> {
  const found = new Map<string, SampledScope>()
  const reader = withinBudget(table, budget, FEW_UNITS, signal)
  const TotalSegments = Math.min(MOST_SEGMENTS, Math.max(LEAST_SEGMENTS, most * SEGMENTS_PER_SCOPE))
  for (const Segment of shuffled(TotalSegments, table.random)) {
    for await (const { Items = [] } of scanPages(reader, { Segment, TotalSegments, Limit: PAGE_ITEMS }, signal)) {
      for (const entry of Items) {
        for (const collection of collections) {
          const scope = scopeOf(collection, entry)
          const id = `${collection.context.collection.name}#${scope}`
          if (scope === undefined || found.has(id)) continue
          found.set(id, sampledScope(collection, scope))
          if (found.size >= most) return [...found.values()]
        }
      }
    }
  }
  return [...found.values()]
}

/** A scope with where its derived data is. */
export function sampledScope(collection: SampledCollection, scope: string): SampledScope {
  const partitions = collection.projections.flatMap((projection) => projection.partitionOf?.(scope) ?? [])
  return { ...collection, scope, partitions }
}

/** Reads a scope's derived data, and the items that are in its list, consistently. */
export async function readScope(
  scope: SampledScope,
  { table, budget, signal, truth }: Inspection,
  seen: (key: TargetKey) => void,
): Promise<void> {
  const reader = withinBudget(table, budget, FEW_UNITS, signal)
  for (const partition of scope.partitions) {
    for await (const { Items = [] } of queryPages(reader, { ...wholePartition(partition), ConsistentRead: true })) {
      for (const entry of Items) truth.tally.see({ PK: partition, SK: entry.SK?.S ?? '' }, entry)
    }
  }
  for await (const listed of pagesOf(scope, reader, signal)) {
    const whole = withinBudget(table, budget, listed.length, signal)
    for (const entry of needsWholeItems(scope) ? await wholeItems(whole, listed) : listed) {
      const key = plainKeyOf(entry)
      truth.scanned(key, entry)
      seen(key)
    }
  }
}

/**
 * Lists hold all that the library's own projections look at, but for what only a look-up shows, and for layouts in which they may hold other
 * entries.
 */
function needsWholeItems({ context: { collection, layout }, projections }: SampledCollection): boolean {
  const { attributes = {} } = collection
  return (
    layout.entries === 'many' ||
    projections.some(({ name }) => !LIBRARY_SUMS.includes(name)) ||
    statisticsAttributes(collection).some((attribute) => ownValue(attributes, attribute)?.shownIn === 'lookup')
  )
}

function wholeItems(table: TableClient, listed: readonly Entry[]): Promise<readonly Entry[]> {
  const keys = listed.flatMap(({ PK }) => (PK === undefined ? [] : [{ PK, SK: { S: PRIMARY_SORT_KEY } }]))
  return readEntries(table, keys, (left, tries) => {
    throw new LapidaryError('unavailable', `DynamoDB left ${left} items unread ${tries} times; run it again`)
  })
}

/** The entries of a scope's items as its list holds them: what they weigh is counted too, so items alone would not do. */
async function* pagesOf(
  { context, scope }: SampledScope,
  table: TableClient,
  signal: AbortSignal,
): AsyncGenerator<readonly Entry[]> {
  const { layout, codec, now } = context
  const plan = wholeScopePlan(context, scope, await context.states.unusable())
  const { query } = plan
  let point: CursorPoint | undefined
  do {
    const { heads, more, frontier } = await execute(plan, { table, lists: layout, codec, now, point, signal })
    yield heads.map(({ entry }) => entry)
    const bound = more && frontier !== undefined ? boundBeyond(query, 'forward', frontier) : undefined
    point = bound && { direction: 'forward', bound }
  } while (point !== undefined)
}

/** Plans by the declaration, so that what is verified does not go by the counts that it verifies. */
function wholeScopePlan({ collection, layout }: CollectionContext, scope: string, unusable: UnusableIndexes): Plan {
  try {
    const query = parseQuery(collection, { scope, limit: MAX_LIMIT })
    return planQuery(layout, query, declaredEstimates(collection), { unusable })
  } catch (cause) {
    throw new LapidaryError(
      'query_not_plannable',
      `no lists of ${collection.name} hold all items of one ${collection.scope.name}, so a sample can't be verified; verify all, without a sample`,
      { cause },
    )
  }
}

/** The scope of an item, or of an item of derived data. */
export function scopeOf({ context, projections }: SampledCollection, entry: Entry): string | undefined {
  const { collection, codec } = context
  const key = plainKeyOf(entry)
  if (projections.some((projection) => projection.owns(key))) return scopeOfPartition(key.PK)
  if (!isItemKey(collection, key)) return undefined
  const scope = codec.plainItem(entry)[collection.scope.attribute]
  return typeof scope === 'string' ? scope : undefined
}

/** The numbers below a limit, in an order by chance (Fisher and Yates). */
function shuffled(limit: number, random: () => number): readonly number[] {
  const numbers = Array.from({ length: limit }, (_, i) => i)
  for (let i = limit - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1))
    ;[numbers[i], numbers[j]] = [numbers[j] ?? 0, numbers[i] ?? 0]
  }
  return numbers
}
