import { isAscending } from '../cursor/cursor.ts'
import { keyEntry } from '../derived/guarded-write.ts'
import { type Execution, rangeOf, type Stop } from '../executor/execute.ts'
import type { Head } from '../executor/source-reader.ts'
import { type Entry, entryBytes } from '../model/entry-bytes.ts'
import { LapidaryError } from '../model/errors.ts'
import { livenessOf } from '../model/expiry.ts'
import { ownValue } from '../model/own-value.ts'
import { boundPast, comparePositions, isInOrder, type Position, positionOf, type Range } from '../model/position.ts'
import { answers, type Query } from '../model/query.ts'
import { primaryKey } from '../model/stored-item.ts'
import type { UnreadableAttribute } from '../model/unreadable-item.ts'
import type { ColumnIndex, FoundItem } from '../pages/column-index.ts'
import type { ColumnsNode, Plan } from '../planner/plan.ts'
import { readEntries } from '../table/read-entries.ts'
import type { ColumnsOptions, ReadContext } from './context.ts'

/** DynamoDB's cap on one request. */
const MOST_KEYS = 100
const LEAST_ITEM_RCU = 0.5

/**
 * Runs a plan by columns: finds where the next items are that met the condition when their columns were written, reads them, and takes those
 * that meet it now. One that was changed or deleted since is replaced by the next.
 */
export async function runColumns(
  context: ReadContext,
  index: ColumnIndex,
  { query }: Plan,
  node: ColumnsNode,
  { point, signal, mostRcu }: ColumnsOptions,
): Promise<Execution> {
  const { now, codec } = context
  const startedAt = now()
  const ascending = isAscending(query, point?.direction ?? 'forward')
  const judge = judgeOf(context, query)
  const heads: Head[] = []
  const unreadable: UnreadableAttribute[] = []
  const spent = { rcu: 0, requests: 0, rounds: 0, itemsRead: 0, bytes: 0 }
  let range: Range = rangeOf(query, point, ascending)
  let more = true
  let frontier: Position | undefined
  let total: number | undefined
  let stoppedBy: Stop | undefined
  while (more && heads.length < query.limit && stoppedBy === undefined) {
    const lacking = query.limit - heads.length
    const left = mostRcu() - spent.rcu
    const found = await index.find(query, {
      ...{ range, ascending, offset: 0, size: lacking + 1, blocks: node.blocks, mostRcu: left },
    })
    for (const each of ['rcu', 'requests', 'rounds'] as const) spent[each] += found[each]
    if (point === undefined) total ??= found.total
    more = found.items.length > lacking
    const affordable = Math.max(0, Math.floor((mostRcu() - spent.rcu) / LEAST_ITEM_RCU))
    const wanted = found.items.slice(0, Math.min(lacking, affordable))
    if (signal?.aborted === true) stoppedBy = 'aborted'
    else if (found.isCut || wanted.length < Math.min(lacking, found.items.length)) stoppedBy = 'maxCapacity'
    if (stoppedBy === 'aborted' || wanted.length === 0) break
    const entries = await entriesOf(context, wanted, signal, spent)
    for (const { position, id } of wanted) {
      frontier = position
      const entry = entries.get(id)
      if (entry === undefined || !judge(entry, position)) continue
      const [attribute] = codec.unreadable(entry)
      if (attribute !== undefined) unreadable.push(attribute)
      else heads.push({ position, entry, source: undefined })
    }
    const past = boundPast(frontier as Position, ascending)
    range = ascending ? { ...range, lower: past } : { ...range, upper: past }
  }
  if (stoppedBy !== undefined && frontier === undefined) throw stoppedEmpty(stoppedBy, mostRcu(), signal)
  const itemsReturned = heads.length
  return {
    heads: point?.direction === 'backward' ? heads.reverse() : heads,
    more: more || stoppedBy !== undefined,
    ...{ frontier, stoppedBy, total },
    actual: {
      ...{ ...spent, itemsReturned, itemsDiscarded: spent.itemsRead - itemsReturned },
      ...{ itemsFilteredOut: spent.itemsRead - itemsReturned, itemsReadAhead: 0, ms: now() - startedAt },
    },
    sources: [{ ...spent, itemsReturned, passed: itemsReturned, withheld: 0, ahead: 0, sent: undefined }],
    unreadable,
    observed: [],
  }
}

/** Nothing was read, so there is no page to give and nowhere to go on from. */
function stoppedEmpty(stop: Stop, mostRcu: number, signal: AbortSignal | undefined): LapidaryError {
  return stop === 'aborted'
    ? new LapidaryError('aborted', 'the query was aborted before it read anything', { cause: signal?.reason })
    : new LapidaryError(
        'capacity_exhausted',
        `what is left of maxCapacity, ${mostRcu} RCU, is less than the columns of the filter take; raise it`,
      )
}

/** Tells whether an entry is at a position, and meets the query, as it is now. */
function judgeOf(
  { collection, codec, clock }: ReadContext,
  query: Query,
): (entry: Entry, position: Position) => boolean {
  const isLive = livenessOf(collection, codec, clock)
  return (entry, position) => {
    const item = codec.plainItem(entry)
    if (ownValue(item, collection.scope.attribute) !== query.scope || !isInOrder(collection.order, item)) return false
    if (comparePositions(positionOf(collection, item), position) !== 0) return false
    return isLive?.(entry) !== false && answers(collection, query, item)
  }
}

/** Reads items by their ids, all at once. */
async function entriesOf(
  { table, collection }: ReadContext,
  found: readonly FoundItem[],
  signal: AbortSignal | undefined,
  spent: { rcu: number; requests: number; rounds: number; itemsRead: number; bytes: number },
): Promise<ReadonlyMap<string, Entry>> {
  const keys = new Map(found.map(({ id }) => [primaryKey(collection, id).PK, id]))
  const gaveUp = (left: number, tries: number): never => {
    throw new LapidaryError('unavailable', `DynamoDB left ${left} items unread ${tries} times in a row; try again`)
  }
  const all = found.map(({ id }) => keyEntry(primaryKey(collection, id)))
  const onSpent = (rcu: number): void => {
    spent.rcu += rcu
    spent.requests += 1
  }
  const parts = await Promise.all(
    Array.from({ length: Math.ceil(all.length / MOST_KEYS) }, (_, i) =>
      readEntries(table, all.slice(i * MOST_KEYS, (i + 1) * MOST_KEYS), gaveUp, { consistent: false, onSpent, signal }),
    ),
  )
  spent.rounds += 1
  const entries = new Map<string, Entry>()
  for (const entry of parts.flat()) {
    spent.itemsRead += 1
    spent.bytes += entryBytes(entry)
    const id = keys.get(entry.PK?.S ?? '')
    if (id !== undefined) entries.set(id, entry)
  }
  return entries
}
