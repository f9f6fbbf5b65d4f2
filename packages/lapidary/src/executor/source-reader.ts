import { QueryCommand, type QueryCommandOutput } from '@aws-sdk/client-dynamodb'
import type { KeyCondition, List, Lists } from '../layouts/layout.ts'
import { type Entry, type EntryCodec, entryBytes } from '../model/entry.ts'
import { boundPast, isEmptyRange, type Position, type Range } from '../model/position.ts'
import type { Selection } from '../model/query.ts'
import type { SourceActual } from '../planner/actual.ts'
import { BLOCK_BYTES, BLOCK_RCU, type EntrySize, exactSize } from '../planner/entry-size.ts'
import type { SourceNode } from '../planner/plan.ts'
import { projection } from '../table/projection.ts'
import type { TableClient } from '../table/table-client.ts'
import { type FilterExpression, filterExpression } from './filter-expression.ts'

/** An index entry that waits to be emitted. */
export interface Head {
  readonly position: Position
  readonly entry: Entry
  /** The list that it was read from. */
  readonly source: SourceNode
}

interface SourceReaderOptions {
  readonly table: TableClient
  readonly lists: Lists
  readonly codec: EntryCodec
  readonly source: SourceNode
  readonly residual: Selection
  readonly range: Range
  readonly ascending: boolean
  /** Whether an entry comes to the page, of those that the filter lets through; all do when not given. */
  readonly having?: ((entry: Entry) => boolean) | undefined
  /** Whether an entry is of an item that has not expired; all are when not given. */
  readonly isLive?: ((entry: Entry) => boolean) | undefined
  /** Stored names of the attributes to read; all when not given. */
  readonly project?: ((list: List) => readonly string[]) | undefined
}

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
  /** Entries that came to the merge, those among them that another source gave too. */
  used = 0
  exhausted = false
  /** The last position evaluated: everything of this source before it is known. */
  frontier: Position | undefined
  readonly #options: SourceReaderOptions
  readonly #filter: FilterExpression | undefined
  #buffer: Head[] = []
  #next = 0

  constructor(options: SourceReaderOptions) {
    this.#options = options
    this.source = options.source
    this.#filter = filterExpression(options.residual, options.codec)
  }

  get head(): Head | undefined {
    return this.#buffer[this.#next]
  }

  get buffered(): number {
    return this.#buffer.length - this.#next
  }

  /** What is read and not given, the next first. */
  get waiting(): readonly Head[] {
    return this.#buffer.slice(this.#next)
  }

  /** Blocks the merge: its next item is unknown, and may come before every other. */
  get blocking(): boolean {
    return !this.exhausted && this.#next === this.#buffer.length
  }

  /** What entries weigh: as planned, or more where what was read so far was charged for as more. */
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
    const inOrder = ascending ? conditions : conditions.toReversed()
    let left = limit
    for (const condition of inOrder) {
      const { ScannedCount = 0, LastEvaluatedKey } = await this.#query(condition, left, signal)
      left -= ScannedCount
      if (LastEvaluatedKey !== undefined || (left <= 0 && condition !== inOrder.at(-1))) return
    }
    this.exhausted = true
  }

  async #query(condition: KeyCondition, Limit: number, signal: AbortSignal | undefined): Promise<QueryCommandOutput> {
    const { table, ascending, source, project } = this.#options
    const { ProjectionExpression, ExpressionAttributeNames } = projection(project?.(source.list))
    const output: QueryCommandOutput = await table.send(
      new QueryCommand({
        TableName: table.tableName,
        IndexName: source.list.index,
        KeyConditionExpression: condition.expression,
        FilterExpression: this.#filter?.expression,
        ProjectionExpression,
        ExpressionAttributeNames: { ...condition.names, ...this.#filter?.names, ...ExpressionAttributeNames },
        ExpressionAttributeValues: { ...condition.values, ...this.#filter?.values },
        ScanIndexForward: ascending !== (source.list.reversed === true),
        Limit,
        ReturnConsumedCapacity: 'TOTAL',
      }),
      signal === undefined ? undefined : { abortSignal: signal },
    )
    this.#accept(output)
    return output
  }

  #accept(output: QueryCommandOutput): void {
    const { lists, source, having, isLive } = this.#options
    this.actual.rcu += output.ConsumedCapacity?.CapacityUnits ?? 0
    this.actual.requests += 1
    this.actual.itemsRead += output.ScannedCount ?? 0
    const heads = this.#buffer.slice(this.#next)
    for (const entry of output.Items ?? []) {
      const bytes = entryBytes(entry)
      this.actual.bytes += bytes
      this.passed.entries += 1
      this.passed.squares += bytes * bytes
      if (isLive?.(entry) === false) continue
      this.actual.passed += 1
      if (having?.(entry) === false) {
        this.actual.withheld += 1
        continue
      }
      heads.push({ position: lists.positionOf(source.list, entry), entry, source })
    }
    this.#buffer = heads
    this.#next = 0
    const last: Entry | undefined = output.LastEvaluatedKey ?? output.Items?.at(-1)
    if (last !== undefined) this.frontier = lists.positionOf(source.list, last)
  }

  #remainingRange(): Range {
    const { range, ascending } = this.#options
    const { frontier } = this
    if (frontier === undefined) return range
    const seen = boundPast(frontier, ascending)
    return ascending ? { ...range, lower: seen } : { ...range, upper: seen }
  }
}
