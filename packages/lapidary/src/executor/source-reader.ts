import { QueryCommand, type QueryCommandOutput } from '@aws-sdk/client-dynamodb'
import type { Bounds, Layout } from '../layouts/layout.ts'
import { compareBytes } from '../model/key-text.ts'
import type { Position } from '../model/position.ts'
import type { Selection } from '../model/query.ts'
import type { SourceNode } from '../planner/plan.ts'
import { type Entry, type EntryCodec, entryBytes } from '../table/entry.ts'
import type { TableClient } from '../table/table-client.ts'
import { type FilterExpression, filterExpression } from './filter-expression.ts'

/** An index entry that waits to be emitted. */
export interface Head {
  readonly position: Position
  readonly entry: Entry
}

/** What reading one source took. */
export interface SourceActual {
  rcu: number
  requests: number
  itemsRead: number
  itemsReturned: number
  bytes: number
}

interface SourceReaderOptions {
  readonly table: TableClient
  readonly layout: Layout
  readonly codec: EntryCodec
  readonly source: SourceNode
  readonly residual: Selection
  readonly bounds: Bounds
  readonly ascending: boolean
}

/**
 * Reads one list from a bound onwards, a Query at a time, and buffers what it has not given yet.
 *
 * It resumes by key condition past the last position that DynamoDB evaluated, never by a hand-made ExclusiveStartKey.
 */
export class SourceReader {
  readonly source: SourceNode
  readonly actual: SourceActual = { rcu: 0, requests: 0, itemsRead: 0, itemsReturned: 0, bytes: 0 }
  /** Entries that the filter let through, and the sum of the squares of their bytes. */
  readonly passed = { entries: 0, squares: 0 }
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

  drop(): void {
    this.#next++
  }

  take(): void {
    this.drop()
    this.actual.itemsReturned++
  }

  /** One Query of at most `limit` items evaluated. */
  async fetch(limit: number, signal: AbortSignal | undefined): Promise<void> {
    const bounds = this.#remainingBounds()
    if (bounds === undefined) {
      this.exhausted = true
      return
    }
    const { table, layout, ascending, source } = this.#options
    const condition = layout.keyCondition(source.list, bounds)
    const start = ascending ? bounds.lower : bounds.upper
    // Read again and dropped: were it the only item read, the reader would not move.
    const repeated = condition.inclusive && start?.inclusive === false ? 1 : 0
    const output: QueryCommandOutput = await table.send(
      new QueryCommand({
        TableName: table.tableName,
        IndexName: source.list.index,
        KeyConditionExpression: condition.expression,
        ...(this.#filter === undefined ? {} : { FilterExpression: this.#filter.expression }),
        ExpressionAttributeNames: { ...condition.names, ...this.#filter?.names },
        ExpressionAttributeValues: { ...texts(condition.values), ...this.#filter?.values },
        ScanIndexForward: ascending,
        Limit: limit + repeated,
        ReturnConsumedCapacity: 'TOTAL',
      }),
      signal === undefined ? undefined : { abortSignal: signal },
    )
    this.#accept(output, bounds)
  }

  #accept(output: QueryCommandOutput, bounds: Bounds): void {
    const { layout, source } = this.#options
    this.actual.rcu += output.ConsumedCapacity?.CapacityUnits ?? 0
    this.actual.requests += 1
    this.actual.itemsRead += output.ScannedCount ?? 0
    const heads = this.#buffer.slice(this.#next)
    for (const entry of output.Items ?? []) {
      const bytes = entryBytes(entry)
      this.actual.bytes += bytes
      this.passed.entries += 1
      this.passed.squares += bytes * bytes
      const position = layout.entryPosition(source.list, (name) => entry[name]?.S)
      if (!isExcluded(position, bounds)) heads.push({ position, entry })
    }
    this.#buffer = heads
    this.#next = 0
    if (output.LastEvaluatedKey === undefined) this.exhausted = true
    else {
      const last: Entry = output.LastEvaluatedKey
      this.frontier = layout.entryPosition(source.list, (name) => last[name]?.S)
    }
  }

  #remainingBounds(): Bounds | undefined {
    const { bounds, ascending } = this.#options
    const { frontier } = this
    const seen = frontier === undefined ? undefined : { position: frontier, inclusive: false }
    const remaining = seen === undefined ? bounds : ascending ? { ...bounds, lower: seen } : { ...bounds, upper: seen }
    const { lower, upper } = remaining
    const nothingLeft = lower !== undefined && upper !== undefined && compareBytes(lower.position, upper.position) >= 0
    return nothingLeft ? undefined : remaining
  }
}

function isExcluded(position: Position, { lower, upper }: Bounds): boolean {
  return (
    (lower !== undefined && !lower.inclusive && position === lower.position) ||
    (upper !== undefined && !upper.inclusive && position === upper.position)
  )
}

function texts(values: Readonly<Record<string, string>>): Record<string, { S: string }> {
  return Object.fromEntries(Object.entries(values).map(([name, S]) => [name, { S }]))
}
