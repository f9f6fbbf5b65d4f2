import { QueryCommand, ScanCommand } from '@aws-sdk/client-dynamodb'
import type { CursorPoint } from '../cursor/cursor.ts'
import { execute } from '../executor/execute.ts'
import { unescapeComponent } from '../model/key-text.ts'
import { MAX_LIMIT, parseQuery } from '../model/query.ts'
import { scopeKey } from '../model/stored-item.ts'
import type { CollectionContext } from '../operations/context.ts'
import { declaredEstimates } from '../planner/estimates.ts'
import { planQuery } from '../planner/plan-query.ts'
import type { Entry } from '../table/entry.ts'
import type { CapacityBudget } from './capacity-budget.ts'
import { derivedCollection } from './statistics-unit.ts'
import type { Truth } from './truth.ts'

/** A scope that is verified by itself. */
export interface SampledScope {
  readonly context: CollectionContext
  readonly scope: string
  /** The partition key of its derived data: `PRODUCT#42`. */
  readonly partition: string
}

const LEAST_SEGMENTS = 16
const MOST_SEGMENTS = 1024
const SEGMENTS_PER_SCOPE = 8
const PAGE_ITEMS = 200
/** RCU of a request that reads a few items. */
const FEW_UNITS = 2

/** Scopes from parts of the table chosen by chance, so those with many items come more often; all when there are fewer. */
export async function chooseScopes(
  contexts: readonly CollectionContext[],
  most: number,
  budget: CapacityBudget,
  signal: AbortSignal,
): Promise<readonly SampledScope[]> {
  const found = new Map<string, SampledScope>()
  const [first] = contexts
  if (first === undefined) return []
  const { table } = first
  const collections = contexts.map((context) => ({ context, derived: derivedCollection(context) }))
  const TotalSegments = Math.min(MOST_SEGMENTS, Math.max(LEAST_SEGMENTS, most * SEGMENTS_PER_SCOPE))
  for (const Segment of shuffled(TotalSegments, table.random)) {
    let after: Entry | undefined
    do {
      await budget.reserve(FEW_UNITS, signal)
      const page = await table.send(
        new ScanCommand({
          TableName: table.tableName,
          Segment,
          TotalSegments,
          Limit: PAGE_ITEMS,
          ReturnConsumedCapacity: 'TOTAL',
          ...(after === undefined ? {} : { ExclusiveStartKey: after }),
        }),
        { abortSignal: signal },
      )
      budget.settle(FEW_UNITS, page.ConsumedCapacity?.CapacityUnits)
      for (const entry of page.Items ?? []) {
        const key = { PK: entry.PK?.S ?? '', SK: entry.SK?.S ?? '' }
        for (const { context, derived } of collections) {
          const partition = derived.isItem(key) ? partitionOf(context, entry) : derived.unitOf(key)?.PK
          if (partition === undefined || found.has(partition)) continue
          const scope = unescapeComponent(partition.slice(context.collection.scope.name.length + 1))
          found.set(partition, { context, scope, partition })
          if (found.size >= most) return [...found.values()]
        }
      }
      after = page.LastEvaluatedKey
    } while (after !== undefined)
  }
  return [...found.values()]
}

/** Reads a scope's derived data consistently, and its items from their list. */
export async function readScope(
  { context, scope, partition }: SampledScope,
  truth: Truth,
  budget: CapacityBudget,
  signal: AbortSignal,
): Promise<void> {
  const { table, collection, codec, layout, now } = context
  for (const prefix of ['S', 'L#']) {
    let after: Entry | undefined
    do {
      await budget.reserve(FEW_UNITS, signal)
      const page = await table.send(
        new QueryCommand({
          TableName: table.tableName,
          KeyConditionExpression: 'PK = :scope AND begins_with(SK, :prefix)',
          ExpressionAttributeValues: { ':scope': { S: partition }, ':prefix': { S: prefix } },
          ConsistentRead: true,
          ReturnConsumedCapacity: 'TOTAL',
          ...(after === undefined ? {} : { ExclusiveStartKey: after }),
        }),
      )
      budget.settle(FEW_UNITS, page.ConsumedCapacity?.CapacityUnits)
      for (const entry of page.Items ?? []) truth.tally.see({ PK: partition, SK: entry.SK?.S ?? '' }, entry)
      after = page.LastEvaluatedKey
    } while (after !== undefined)
  }
  // Without counts, since plans that go by counts would leave out lists that are counted empty.
  const query = parseQuery(collection, { scope, limit: MAX_LIMIT })
  const plan = planQuery(layout, query, declaredEstimates(collection))
  let point: CursorPoint | undefined
  do {
    await budget.reserve(FEW_UNITS, signal)
    const { heads, actual, more, frontier } = await execute(plan, { table, layout, codec, now, point, signal })
    budget.settle(FEW_UNITS, actual.rcu)
    for (const { entry } of heads) truth.scanned({ PK: entry.PK?.S ?? '', SK: entry.SK?.S ?? '' }, entry)
    point = more && frontier !== undefined ? { direction: 'forward', position: frontier, inclusive: false } : undefined
  } while (point !== undefined)
}

function partitionOf(context: CollectionContext, entry: Entry): string | undefined {
  const { collection, codec } = context
  const scope = codec.toItem(entry)[collection.scope.attribute]
  return typeof scope === 'string' ? scopeKey(collection, scope) : undefined
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
