import { QueryCommand, type QueryCommandOutput } from '@aws-sdk/client-dynamodb'
import type { KeyCondition, List, Lists } from '../layouts/layout.ts'
import type { Condition } from '../model/condition.ts'
import { type Entry, entryBytes } from '../model/entry-bytes.ts'
import type { EntryReader } from '../model/entry-reader.ts'
import { boundPast, compareToBound, isEmptyRange, isWithin, type Position, type Range } from '../model/position.ts'
import type { Filter, Selection } from '../model/query.ts'
import type { UnreadableAttribute } from '../model/unreadable-item.ts'
import type { SentQuery, SourceActual, SourceRun } from '../planner/actual.ts'
import { BLOCK_BYTES, BLOCK_RCU, type EntrySize, exactSize, readPrice } from '../planner/entry-size.ts'
import type { SourceNode } from '../planner/plan.ts'
import { projection } from '../table/projection.ts'
import type { TableClient } from '../table/table-client.ts'
import { namedOnly } from './named-only.ts'
import { type SourceFilter, sourceFilter } from './source-filter.ts'

/** An index entry that waits to be emitted. */
export interface Head {
  readonly position: Position
  readonly entry: Entry
  /** The list that it was read from; undefined where columns have found it. */
  readonly source: SourceNode | undefined
}

/** An item that can't be read, where it would stand. */
export interface UnreadableHead {
  readonly position: Position
  readonly attribute: UnreadableAttribute
}

interface SourceReaderOptions {
  readonly table: TableClient
  readonly lists: Lists
  readonly codec: EntryReader
  readonly source: SourceNode
  readonly residual: Filter
  /** What items have to meet beside it; nothing when not given. */
  readonly also?: Condition | undefined
  /** Facets of which the query names all declared values; none when not given. */
  readonly whole?: Selection | undefined
  readonly range: Range
  readonly ascending: boolean
  /** Whether reads are larger than the page surely takes, so that one item less hardly matters. False when not given. */
  readonly hasSlack?: boolean | undefined
  /** Whether an entry comes to the page, of those that the filter lets through; all do when not given. */
  readonly having?: ((entry: Entry) => boolean) | undefined
  /** Whether an entry is of an item that has not expired; all are when not given. */
  readonly isLive?: ((entry: Entry) => boolean) | undefined
  /** Finds what of an entry's item can't be read; all can when not given. */
  readonly unreadable?: EntryReader['unreadable'] | undefined
  /** Stored names of the list's key attributes that are an item's own; none when not given. */
  readonly keyNames?: ((list: List) => readonly string[]) | undefined
  /** Stored names of the attributes to read; all when not given. */
  readonly project?: ((list: List) => readonly string[] | undefined) | undefined
}

/** Items of one order value for which there is room in a read that goes on from one of them, as far as it is nearly free. */
const MOST_TIES = 8
const NEARLY_FREE_RCU = 0.05
/** A read of fewer entries a block was sized for its last one. */
const ENTRIES_OF_A_BLOCK = 4

/**
 * Reads one list from a bound onwards, a Query at a time, and buffers what it has not given yet.
 *
 * It resumes by key condition past the last position that DynamoDB evaluated, never by a hand-made ExclusiveStartKey.
 */
export class SourceReader {
  readonly source: SourceNode
  readonly actual: SourceActual = {
    rcu: 0,
    requests: 0,
    itemsRead: 0,
    itemsReturned: 0,
    bytes: 0,
    passed: 0,
    withheld: 0,
  }
  /** Entries that the filter let through, and the sum of the squares of their bytes. */
  readonly passed = { entries: 0, squares: 0 }
  /** Entries that the filter let through and no list shows: of items that have expired, can't be read, or hold a value no longer declared. */
  leftOut = 0
  /** Items that can't be read, each by the first attribute that can't. */
  readonly unreadable: UnreadableHead[] = []
  /** Entries that came to the merge, those among them that another source gave too. */
  used = 0
  exhausted = false
  /** The last position evaluated: everything of this source before it is known. */
  frontier: Position | undefined
  readonly #options: SourceReaderOptions
  readonly #filter: SourceFilter
  readonly #isNamed: ((entry: Entry) => boolean) | undefined
  /** Whether a read gave nothing but items before the bound that share its order value. */
  #isCrowded = false
  #buffer: Head[] = []
  #next = 0
  #sent: SentQuery | undefined

  constructor(options: SourceReaderOptions) {
    this.#options = options
    this.source = options.source
    const { residual, also, codec, source, keyNames } = options
    this.#filter = sourceFilter({ residual, also }, codec, keyNames?.(source.list))
    this.#isNamed = namedOnly(options.whole, options.source.list, options.codec)
  }

  get head(): Head | undefined {
    return this.#buffer[this.#next]
  }

  get buffered(): number {
    return this.#buffer.length - this.#next
  }

  /** The source's run so far. */
  get run(): SourceRun {
    return { ...this.actual, ahead: this.buffered, sent: this.#sent }
  }

  /** Entries that are read and not given, the next first. */
  get waiting(): readonly Head[] {
    return this.#buffer.slice(this.#next)
  }

  /** Blocks the merge: its next item is unknown, and may come before every other. */
  get blocking(): boolean {
    return !this.exhausted && this.#next === this.#buffer.length
  }

  /** The weight of entries: as planned, or more where what was read so far was charged for as more. */
  get weight(): EntrySize {
    const { rcu, requests, itemsRead } = this.actual
    const charged = (((rcu - requests * BLOCK_RCU) / BLOCK_RCU) * BLOCK_BYTES) / itemsRead
    return charged > this.source.size.mean ? exactSize(charged) : this.source.size
  }

  drop(): void {
    this.#next++
    this.used++
  }

  take(): void {
    this.drop()
    this.actual.itemsReturned++
  }

  /** Evaluates at most `limit` items: one Query, or more where a list takes several conditions and the first ends early. */
  async fetch(limit: number, signal: AbortSignal | undefined): Promise<void> {
    const { lists, ascending, source } = this.#options
    const range = this.#remainingRange()
    const conditions = isEmptyRange(range) ? [] : lists.keyConditions(source.list, range)
    if (conditions.length > 1 && !this.#isCrowded && (await this.#fetchWithTies(range, limit, signal))) return
    const inOrder = ascending ? conditions : conditions.toReversed()
    let left = limit
    for (const condition of inOrder) {
      const { ScannedCount = 0, LastEvaluatedKey } = await this.#query(condition, left, signal)
      left -= ScannedCount
      if (LastEvaluatedKey !== undefined || (left <= 0 && condition !== inOrder.at(-1))) return
    }
    this.exhausted = true
  }

  /**
   * Reads with one condition what takes several: the items that share the order value of a bound with it, and are outside, are read too and
   * dropped. As a rule that is one, the item that a cursor stands at. Where they fill the whole read, the exact conditions are taken from then on.
   *
   * @returns Whether it got any further.
   */
  async #fetchWithTies(range: Range, limit: number, signal: AbortSignal | undefined): Promise<boolean> {
    const { lists, source, hasSlack = false } = this.#options
    const [condition, ...more] = lists.keyConditions(source.list, withTies(range))
    if (condition === undefined || more.length > 0) return false
    const before = this.frontier
    const room = roomForTies(limit, this.weight, hasSlack)
    const { LastEvaluatedKey } = await this.#query(condition, limit + room, signal, range)
    this.exhausted = LastEvaluatedKey === undefined
    this.#isCrowded = !this.exhausted && this.frontier === before
    return !this.#isCrowded
  }

  /** @param within Drops what is outside of it; everything that the condition gives is inside when not given. */
  async #query(
    condition: KeyCondition,
    Limit: number,
    signal: AbortSignal | undefined,
    within?: Range,
  ): Promise<QueryCommandOutput> {
    const { table, ascending, source, project } = this.#options
    this.#sent ??= { index: source.list.index, condition, limit: Limit }
    const { expression, local } = this.#filter
    const shown = project?.(source.list)
    const needed = shown && local ? local.names && [...new Set([...shown, ...local.names])] : shown
    const { ProjectionExpression, ExpressionAttributeNames } = projection(needed)
    const output: QueryCommandOutput = await table.send(
      new QueryCommand({
        TableName: table.tableName,
        IndexName: source.list.index,
        KeyConditionExpression: condition.expression,
        FilterExpression: expression?.expression,
        ProjectionExpression,
        ExpressionAttributeNames: { ...condition.names, ...expression?.names, ...ExpressionAttributeNames },
        ExpressionAttributeValues: { ...condition.values, ...expression?.values },
        ScanIndexForward: ascending !== (source.list.reversed === true),
        Limit,
        ReturnConsumedCapacity: 'TOTAL',
      }),
      signal === undefined ? undefined : { abortSignal: signal },
    )
    this.#accept(output, within)
    return output
  }

  #accept(output: QueryCommandOutput, within: Range | undefined): void {
    const { lists, source, having, isLive, unreadable, ascending } = this.#options
    this.actual.rcu += output.ConsumedCapacity?.CapacityUnits ?? 0
    this.actual.requests += 1
    this.actual.itemsRead += output.ScannedCount ?? 0
    const heads = this.#buffer.slice(this.#next)
    for (const entry of output.Items ?? []) {
      if (lists.membership?.has(source.list, entry) === false) continue
      if (this.#filter.local?.passes(entry) === false) continue
      const bytes = entryBytes(entry)
      this.actual.bytes += bytes
      this.passed.entries += 1
      this.passed.squares += bytes * bytes
      if (isLive?.(entry) === false || this.#isNamed?.(entry) === false) {
        this.leftOut += 1
        continue
      }
      const position = lists.positionOf(source.list, entry)
      if (within !== undefined && !isWithin(position, within)) continue
      const [attribute] = unreadable?.(entry) ?? []
      if (attribute !== undefined) {
        this.leftOut += 1
        this.unreadable.push({ position, attribute })
        continue
      }
      this.actual.passed += 1
      if (having?.(entry) === false) {
        this.actual.withheld += 1
        continue
      }
      heads.push({ position, entry, source })
    }
    this.#buffer = heads
    this.#next = 0
    const last: Entry | undefined = output.LastEvaluatedKey ?? output.Items?.at(-1)
    if (last === undefined) return
    const end = lists.positionOf(source.list, last)
    // Items outside are read before those inside, and tell nothing of how far the list is known.
    if (within === undefined || !isBehind(end, within, ascending)) this.frontier = end
  }

  #remainingRange(): Range {
    const { range, ascending } = this.#options
    const { frontier } = this
    if (frontier === undefined) return range
    const seen = boundPast(frontier, ascending)
    return ascending ? { ...range, lower: seen } : { ...range, upper: seen }
  }
}

/**
 * One for the item that the bound is at, and as many more as hardly cost anything: the rest of a block is free. A read that has slack and
 * just fills its blocks, of several entries each, gives up an item instead of beginning another block.
 */
function roomForTies(limit: number, size: EntrySize, hasSlack: boolean): number {
  const canDoWithLess = hasSlack && limit > ENTRIES_OF_A_BLOCK && size.mean * ENTRIES_OF_A_BLOCK <= BLOCK_BYTES
  const least = canDoWithLess ? 0 : 1
  const price = readPrice(limit + least, size)
  let room = least
  while (room < MOST_TIES && readPrice(limit + room + 1, size) - price < NEARLY_FREE_RCU) room++
  return room
}

/** The range with all items that share the order value of one of its bounds. */
function withTies({ lower, upper }: Range): Range {
  return {
    lower: lower && { ...lower, ...(lower.id === undefined ? {} : { id: undefined, side: 'before' }) },
    upper: upper && { ...upper, ...(upper.id === undefined ? {} : { id: undefined, side: 'after' }) },
  }
}

/** Whether a position comes before all of a range, as it is read. */
function isBehind(position: Position, { lower, upper }: Range, ascending: boolean): boolean {
  const bound = ascending ? lower : upper
  if (bound === undefined) return false
  return ascending ? compareToBound(position, bound) < 0 : compareToBound(position, bound) > 0
}
