import type { Item } from '../model/collection.ts'
import { LapidaryError } from '../model/errors.ts'
import type { CollectionContext, WithContext } from '../operations/context.ts'
import { entriesOf } from '../writes/item-writes.ts'
import { BATCH_SIZE, type FailedWrite, type PendingWrite, writeBatch } from './import-batch.ts'
import { IMPORT_START, type ImportCheckpoint, SettledLines } from './import-progress.ts'
import { createRecordReader, type ImportRecord, problemText } from './import-record.ts'

/** How items are imported. */
export interface ImportOptions {
  /** BatchWriteItem requests in flight; 6 when not given. */
  readonly concurrency?: number
  /** Stops the import: what is under way is finished, and the result says how far it came. */
  readonly signal?: AbortSignal
  /** Validates and counts, and writes nothing. */
  readonly dryRun?: boolean
  /** Counts to go on from; records up to its line are expected to be left out already. */
  readonly from?: ImportCheckpoint
  /** Called after each batch and each refused line. */
  readonly onProgress?: (progress: ImportProgress) => void
  /** Called, and waited for, with each record that can't be stored, before anything after it is settled. */
  readonly onRejected?: (record: ImportRecord, reason: string) => Promise<void> | void
}

/** How far an import is. */
export interface ImportProgress {
  /** Number of the last line read. */
  readonly lines: number
  readonly written: number
  /** Items that a later line with the same id took the place of before they were sent. */
  readonly replaced: number
  /** Lines that can't be stored. */
  readonly rejected: number
  /** Valid lines that DynamoDB did not take. */
  readonly failed: number
  /** From where an interrupted import can go on. */
  readonly settled: ImportCheckpoint
}

/** How an import ended. */
export interface ImportResult extends ImportProgress {
  /** Whether the signal stopped it before the end. */
  readonly interrupted: boolean
  /** The lines behind `failed`, the first thousand. */
  readonly failures: readonly { readonly line: number; readonly reason: string }[]
}

const CONCURRENCY = 6
const MOST_FAILURES = 1000

/**
 * Stores many items with BatchWriteItem, each validated; an item with the id of a stored one replaces it. Of items with the
 * same id the last wins. A bad item is counted and handed to `onRejected`, and does not stop the rest. Memory stays flat.
 *
 * The whole entry is replaced, with what other programs stored in it.
 *
 * @throws {LapidaryError} `unavailable`, `table_mismatch`: when the table can't be written at all; `not_implemented` for a
 *   layout that gives an item many entries.
 * @example
 * ```ts run
 * const { written, rejected } = await importItems(lapidary.comments, [comment])
 * ```
 */
export function importItems<I>(
  into: WithContext<I>,
  items: Iterable<unknown> | AsyncIterable<unknown>,
  options: ImportOptions = {},
): Promise<ImportResult> {
  return importRecords(into, numbered(items), options)
}

async function* numbered(items: Iterable<unknown> | AsyncIterable<unknown>): AsyncGenerator<ImportRecord> {
  let line = 0
  for await (const value of items) yield { line: ++line, value }
}

/**
 * {@link importItems} of lines that were read from somewhere and know their numbers.
 *
 * @example
 * ```ts run
 * const { rejected } = await importRecords(lapidary.comments, [{ line: 1, value: comment }, { line: 2, problem: 'is not JSON' }])
 * ```
 */
export async function importRecords<I>(
  { context }: WithContext<I>,
  records: AsyncIterable<ImportRecord> | Iterable<ImportRecord>,
  options: ImportOptions = {},
): Promise<ImportResult> {
  const { signal, from = IMPORT_START } = options
  if (context.capabilities.entries !== 'one') {
    throw new LapidaryError(
      'not_implemented',
      'items of a layout with many entries an item are not imported yet; create them',
    )
  }
  // Higher than any count of changes: who read the item before it was replaced is told so.
  const version = context.clock()
  const reader = createRecordReader(context, version)
  const writer = new ImportWriter(context, from, options)
  for await (const record of records) {
    if (signal?.aborted === true || writer.broken) break
    writer.counts.lines = record.line
    let item: I
    try {
      item = await reader.read(record)
    } catch (error) {
      if (!(error instanceof LapidaryError) || error.code !== 'unprocessable') throw error
      await writer.reject(record, problemText(error))
      continue
    }
    const [entry] = entriesOf(context as CollectionContext, { item: item as Item, version })
    if (entry !== undefined) await writer.add({ record, entry })
  }
  await writer.finish()
  return writer.result(signal?.aborted === true)
}

type ImportContext = Pick<CollectionContext, 'table' | 'statistics' | 'codec' | 'collection'>

/** Puts writes into batches and keeps several in flight, never two with the same id. */
class ImportWriter {
  readonly counts: { lines: number; sent: number; written: number; replaced: number; rejected: number; failed: number }
  readonly #context: ImportContext
  readonly #options: ImportOptions
  readonly #settled = new SettledLines()
  readonly #running = new Set<Promise<void>>()
  readonly #inFlight = new Map<string, Promise<void>>()
  readonly #failures: { line: number; reason: string }[] = []
  #batch = new Map<string, PendingWrite>()
  #mark: ReturnType<SettledLines['begin']> | undefined
  #error: unknown

  constructor(context: ImportContext, from: ImportCheckpoint, options: ImportOptions) {
    this.#context = context
    this.#options = options
    this.counts = { ...from, sent: from.written, failed: 0 }
  }

  /** Whether a batch failed in a way that the next would too. */
  get broken(): boolean {
    return this.#error !== undefined
  }

  async reject(record: ImportRecord, reason: string): Promise<void> {
    this.counts.rejected++
    await this.#options.onRejected?.(record, reason)
    this.#report()
  }

  async add(write: PendingWrite): Promise<void> {
    const key = write.entry.PK?.S ?? ''
    // A later line must not be overtaken by an earlier one of the same id that is still on its way.
    await this.#inFlight.get(key)
    this.#mark ??= this.#settled.begin({ ...this.#current(), lines: write.record.line - 1 })
    if (this.#batch.has(key)) this.counts.replaced++
    this.#batch.set(key, write)
    if (this.#batch.size === BATCH_SIZE) await this.#send()
  }

  /** Sends what is left, waits for everything, and raises what broke the import. */
  async finish(): Promise<void> {
    if (!this.broken && this.#batch.size > 0) await this.#send()
    await Promise.all(this.#running)
    if (this.#error !== undefined) throw this.#error
    this.#report()
  }

  result(interrupted: boolean): ImportResult {
    return { ...this.#progress(), interrupted, failures: this.#failures }
  }

  async #send(): Promise<void> {
    const mark = this.#mark
    const batch = this.#batch
    this.#batch = new Map()
    this.#mark = undefined
    if (mark === undefined) return
    this.counts.sent += batch.size
    while (this.#running.size >= (this.#options.concurrency ?? CONCURRENCY)) await Promise.race(this.#running)
    const run = this.#write([...batch.values()]).then(
      (failed) => this.#settled.end(mark, failed),
      (error: unknown) => {
        this.#error ??= error
      },
    )
    const running = run.then(() => {
      this.#running.delete(running)
      for (const key of batch.keys()) this.#inFlight.delete(key)
      this.#report()
    })
    this.#running.add(running)
    for (const key of batch.keys()) this.#inFlight.set(key, running)
  }

  /** Whether something is left to be tried again. */
  async #write(writes: readonly PendingWrite[]): Promise<boolean> {
    const failed = this.#options.dryRun === true ? [] : await this.#put(writes)
    this.counts.written += writes.length - failed.length
    for (const write of failed) await this.#fail(write)
    return failed.some(({ kind }) => kind === 'unprocessed')
  }

  /** Whatever comes of it, counts from before are out of date. */
  async #put(writes: readonly PendingWrite[]): Promise<readonly FailedWrite[]> {
    const { table, statistics, codec, collection } = this.#context
    try {
      return await writeBatch(table, writes)
    } finally {
      const name = codec.storedName(collection.scope.attribute)
      for (const scope of new Set(writes.map(({ entry }) => entry[name]?.S ?? ''))) statistics?.wrote(scope)
    }
  }

  async #fail({ record, kind, reason }: FailedWrite): Promise<void> {
    if (kind === 'refused') return this.reject(record, reason)
    this.counts.failed++
    if (this.#failures.length < MOST_FAILURES) this.#failures.push({ line: record.line, reason })
  }

  /** Counts as they are once everything sent is written. */
  #current(): ImportCheckpoint {
    const { lines, sent, replaced, rejected } = this.counts
    return { lines, written: sent, replaced, rejected }
  }

  #progress(): ImportProgress {
    const { lines, written, replaced, rejected, failed } = this.counts
    return { lines, written, replaced, rejected, failed, settled: this.#settled.checkpoint(this.#current()) }
  }

  #report(): void {
    this.#options.onProgress?.(this.#progress())
  }
}
