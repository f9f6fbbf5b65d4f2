import { type CursorPoint, isAscending } from '../cursor/cursor.ts'
import { keyEntry } from '../derived/guarded-write.ts'
import { type Execution, rangeOf } from '../executor/execute.ts'
import { isBefore } from '../executor/merge.ts'
import type { Head } from '../executor/source-reader.ts'
import { LapidaryError, shown, unprocessable } from '../model/errors.ts'
import { livenessOf } from '../model/expiry.ts'
import { keyProblem } from '../model/key-text.ts'
import { orderNamed } from '../model/order.ts'
import { ownValue } from '../model/own-value.ts'
import {
  hasPosition,
  idKeyIn,
  isInOrder,
  isWithin,
  type Positioned,
  positionOf,
  type Range,
} from '../model/position.ts'
import { answers, type Query, scopesOf } from '../model/query.ts'
import { shownNames } from '../model/shown-names.ts'
import { primaryKey } from '../model/stored-item.ts'
import type { UnreadableAttribute } from '../model/unreadable-item.ts'
import type { PlanEstimate } from '../planner/plan.ts'
import { readEntries } from '../table/read-entries.ts'
import type { ReadContext } from './context.ts'
import { judgeOf } from './having.ts'
import type { ReadOptions } from './list-options.ts'

/** The most items that a page is told of. */
const MOST_WRITTEN = 10

/** Items that the caller has written, as they are now: lists may show them later. */
export interface Written extends PlanEstimate {
  /** The positions' ids of all, found or not: whatever a list shows of them may be out of date. */
  readonly ids: ReadonlySet<string>
  /** Those that answer the query, with their places in it. */
  readonly heads: readonly Head[]
  readonly unreadable: readonly UnreadableAttribute[]
}

/** @throws {LapidaryError} `unprocessable` for what names no items. */
export function requireWritten(ids: readonly string[] | undefined): readonly string[] {
  if (ids === undefined) return []
  const isList = Array.isArray(ids) && ids.every((id) => typeof id === 'string')
  if (!isList || ids.length > MOST_WRITTEN) {
    const message = `must be a list of at most ${MOST_WRITTEN} ids, each a text, not ${isList ? ids.length : shown(ids)}`
    throw unprocessable('the query was refused', [{ path: 'written', message }])
  }
  return [...new Set(ids)].filter((id) => keyProblem(id) === undefined)
}

/** Expects that each item has at most 4 KB. */
export function expectedWritten(ids: readonly string[]): PlanEstimate {
  return { rcu: ids.length, requests: 1, rounds: 1 }
}

/** Reads items that the caller has written, consistently, and finds their places in a query. */
export async function readWritten(
  context: ReadContext,
  query: Query,
  ids: readonly string[],
  { having, signal }: Pick<ReadOptions, 'having' | 'signal'>,
): Promise<Written> {
  const { collection, codec, table, clock } = context
  const spent = { rcu: 0, requests: 0, rounds: 1 }
  const gaveUp = (left: number, tries: number): never => {
    throw new LapidaryError('unavailable', `DynamoDB left ${left} items unread ${tries} times in a row; try again`)
  }
  const onSpent = (rcu: number): void => {
    spent.rcu += rcu
    spent.requests += 1
  }
  const keys = ids.map((id) => keyEntry(primaryKey(collection, id)))
  const entries = await readEntries(table, keys, gaveUp, { names: namesOf(context), onSpent, signal })
  const positioned: Positioned = { ...collection, order: orderNamed(collection, query.by) }
  const scopes = scopesOf(query)
  const isLive = livenessOf(collection, codec, clock)
  const judge = judgeOf(codec, having)
  const heads: Head[] = []
  const unreadable: UnreadableAttribute[] = []
  for (const entry of entries) {
    const item = codec.plainItem(entry)
    const scope = String(ownValue(item, collection.scope.attribute))
    if ((scopes.length > 0 && !scopes.includes(scope)) || isLive?.(entry) === false) continue
    if (!isInOrder(positioned.order, item) || !hasPosition(positioned.order, item)) continue
    if (!answers(collection, query, item)) continue
    const [attribute] = codec.unreadable(entry)
    if (attribute !== undefined) unreadable.push(attribute)
    else if (judge?.(entry) !== false) heads.push({ position: positionOf(positioned, item), entry, source: undefined })
  }
  return { ...spent, ids: new Set(ids.map((id) => idKeyIn(collection, id))), heads, unreadable }
}

/** Lists show no attributes that only a look-up does. */
function namesOf({ collection, codec }: ReadContext): readonly string[] | undefined {
  const shownInLists = shownNames(collection)
  if (shownInLists === undefined) return undefined
  const { expires } = collection
  return [...new Set(['PK', 'SK', ...shownInLists, ...(expires === undefined ? [] : [codec.storedName(expires)])])]
}

/**
 * Puts items that the caller has written into a page, and leaves out whatever lists still show of them. The lists were read for as many items
 * more as were written, so that the page is full without them.
 */
export function withWritten(
  execution: Execution,
  query: Query,
  point: CursorPoint | undefined,
  { ids, heads, unreadable }: Written,
): Execution {
  const direction = point?.direction ?? 'forward'
  const ascending = isAscending(query, direction)
  const inReadOrder = <T>(all: readonly T[]): readonly T[] => (direction === 'backward' ? all.toReversed() : all)
  const listed = inReadOrder(execution.heads).filter(({ position }) => !ids.has(position.id))
  const range: Range = rangeOf(query, point, ascending)
  // Beyond the last item that was read, others may come first.
  const end = execution.more ? execution.frontier : undefined
  const own = heads.filter(
    ({ position }) => isWithin(position, range) && (end === undefined || !isBefore(end, position, ascending)),
  )
  const merged = [...listed, ...own].sort((a, b) => (isBefore(a.position, b.position, ascending) ? -1 : 1))
  const taken = merged.slice(0, query.limit)
  const isCut = merged.length > query.limit
  const { actual } = execution
  const itemsReturned = taken.filter((head) => !own.includes(head)).length
  const itemsDiscarded = actual.itemsRead - itemsReturned
  return {
    ...execution,
    heads: inReadOrder(taken),
    more: execution.more || isCut,
    frontier: isCut ? taken.at(-1)?.position : execution.frontier,
    unreadable: [...execution.unreadable, ...unreadable],
    actual: {
      ...actual,
      ...{ itemsReturned, itemsDiscarded, itemsReadAhead: itemsDiscarded - actual.itemsFilteredOut },
    },
  }
}
