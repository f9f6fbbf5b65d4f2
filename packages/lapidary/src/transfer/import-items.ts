import { settleAll } from '../duplicates/settle-duplicates.ts'
import type { Item } from '../model/collection.ts'
import type { Entry } from '../model/entry.ts'
import { type InputIssue, LapidaryError, shown, unprocessable } from '../model/errors.ts'
import { internalByChance } from '../model/internal-version.ts'
import { knownOptions, type OptionNames } from '../model/known-options.ts'
import { type CollectionContext, type WithContext, writeContext } from '../operations/context.ts'
import { declaredVersion } from '../operations/preconditions.ts'
import { NOTHING_KEPT } from '../schema/index-states.ts'
import { entriesOf, type WriteContext } from '../writes/item-writes.ts'
import { BATCH_SIZE, type BatchOutcome, type FailedWrite, type PendingWrite, writeBatch } from './import-batch.ts'
import { type InsertHistory, insertBatch, type OnConflict, type ReplaceRule } from './import-insert.ts'
import { FinishedLines, IMPORT_START, type ImportCheckpoint } from './import-progress.ts'
import { createRecordReader, type ImportRecord, issuesOf, problemText } from './import-record.ts'
import type { TextReading } from './import-texts.ts'

/** How items are imported. */
export interface ImportOptions {
  /** Batches of 25 in flight; 6 when not given. */
  readonly concurrency?: number
  /** Stops the import: what is under way is finished, and the result says how far it came. */
  readonly signal?: AbortSignal
  /**
   * What becomes of an item whose id is in the table already. `newer`: it takes the place of one with the same or a lower version;
   * `replace`: of any; `skip`: of none. `newer` when not given, where the collection keeps a version, else `replace`.
   */
  readonly onConflict?: OnConflict
  /**
   * When what is derived of the items is made. `now`: once all are written, from one scan of the table, which takes a part of what counting change by change
   * takes; into a table that is not used yet. `later`: by what follows the change stream. `later` when not given.
   */
  readonly derived?: 'now' | 'later'
  /** Validates and counts, and writes nothing. */
  readonly dryRun?: boolean
  /**
   * Whether equal items without an id are one. When not given they are as many as there are, and a file that is imported again brings no more of
   * them.
   */
  readonly dedupe?: boolean
  /** Further ways to read a text of a record of texts, tried in this order where the schema refuses it. */
  readonly readings?: readonly TextReading[]
  /**
   * Counts to go on from. Records up to its line are not stored again. They may be left out where every item has an id; else they tell which of
   * equal ones are left.
   */
  readonly from?: ImportCheckpoint
  /** Called after each batch and each refused line. */
  readonly onProgress?: (progress: ImportProgress) => void
  /** Called with each record that is valid, and its item as the schema makes it. */
  readonly onTaken?: (record: ImportRecord, item: unknown) => void
  /**
   * Called, and waited for, with each record that can't be stored, before anything after it is done; `issues` has what is wrong by attribute, where it
   * is an attribute.
   */
  readonly onRejected?: (record: ImportRecord, reason: string, issues: readonly InputIssue[]) => Promise<void> | void
}

const NAMES: OptionNames<ImportOptions> = {
  ...{
    concurrency: true,
    signal: true,
    onConflict: true,
    derived: true,
    dryRun: true,
    dedupe: true,
    readings: true,
    from: true,
    onProgress: true,
    onTaken: true,
    onRejected: true,
  },
}
const ON_CONFLICT: readonly unknown[] = ['newer', 'replace', 'skip'] satisfies OnConflict[]

/** How far an import is. */
export interface ImportProgress {
  /** Number of the last line read. */
  readonly lines: number
  readonly written: number
  /** Items that a later line with the same id took the place of before they were sent. */
  readonly replaced: number
  /** Items that the table has already, and that stayed as they are; see `onConflict`. */
  readonly skipped: number
  /** Lines that can't be stored. */
  readonly rejected: number
  /** Valid lines that DynamoDB did not take. */
  readonly failed: number
  /** From where an interrupted import can go on. */
  readonly checkpoint: ImportCheckpoint
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
 * Stores many items, each validated, in batches. An item takes the place of a stored one with its id unless that one is newer, see
 * `onConflict`. Of items with the same id the last wins. A bad item is counted and handed to `onRejected`, and does not stop the
 * rest. Memory stays flat.
 *
 * The whole entry is replaced, with what other programs stored in it. An item that was deleted since it was exported comes back:
 * the table does not know of deletions.
 *
 * @throws {LapidaryError} `unavailable`, `table_mismatch`: when the table can't be written at all; `unprocessable` for `newer`
 *   without a version; `not_implemented` for a layout of many entries an item without `duplicates`.
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
  return importRecords(into, numbered(items, options.from?.lines ?? 0), options)
}

/** @param after What is done already, and left out of the items. */
async function* numbered(
  items: Iterable<unknown> | AsyncIterable<unknown>,
  after: number,
): AsyncGenerator<ImportRecord> {
  let line = after
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
  const known = knownOptions('the import', options, NAMES)
  const { signal, from = IMPORT_START, onConflict, derived, dryRun, dedupe = false, readings = [], onTaken } = known
  if (onConflict !== undefined && !ON_CONFLICT.includes(onConflict)) {
    const message = `must be ${ON_CONFLICT.join(', ')}, not ${shown(onConflict)}`
    throw unprocessable('the import was refused', [{ path: 'onConflict', message }])
  }
  if (derived !== undefined && derived !== 'now' && derived !== 'later') {
    const message = `must be now or later, not ${shown(derived)}`
    throw unprocessable('the import was refused', [{ path: 'derived', message }])
  }
  if (derived === 'now' && context.makeDerived === undefined) {
    throw new LapidaryError('not_implemented', 'nothing is derived of an attached table; leave out derived')
  }
  if (context.layout.entries !== 'one' && context.layout.duplicates === undefined) {
    throw new LapidaryError(
      'not_implemented',
      'items of a layout that does not tell its further entries apart can not be imported; create them',
    )
  }
  const now = context.clock()
  const reader = createRecordReader(context, { now, dedupe, readings })
  const writer = new ImportWriter(context, from, options, replaceRule(context, options.onConflict))
  for await (const record of records) {
    if (signal?.aborted === true || writer.broken) break
    if (record.line <= from.lines) {
      await reader.pass(record)
      continue
    }
    writer.counts.lines = record.line
    let entry: Entry | undefined
    try {
      const { item, stays } = await reader.read(record)
      const keeping = options.dryRun === true ? { ...context, kept: NOTHING_KEPT } : await writeContext(context)
      // A process that read the item before it is replaced is told so.
      const version = internalByChance(context.table.random, declaredVersion(context.collection, item as Item))
      entry = entriesOf(keeping as WriteContext, { item: item as Item, stays, version })[0]
      if (entry !== undefined) onTaken?.(record, item)
    } catch (error) {
      if (!(error instanceof LapidaryError) || error.code !== 'unprocessable') throw error
      await writer.reject(record, problemText(error), issuesOf(error))
      continue
    }
    if (entry !== undefined) await writer.add({ record, entry })
  }
  await writer.finish()
  const result = writer.result(signal?.aborted === true)
  // What is interrupted goes on later, and is counted then.
  if (derived === 'now' && dryRun !== true && !result.interrupted)
    await context.makeDerived?.(signal === undefined ? {} : { signal })
  return result
}

/** @returns undefined where whatever is stored is replaced. */
function replaceRule(
  { collection, codec, clock }: Pick<CollectionContext, 'collection' | 'codec' | 'clock'>,
  given: OnConflict | undefined,
): ReplaceRule | undefined {
  const { name, version, expires } = collection
  const onConflict = given ?? (version === undefined ? 'replace' : 'newer')
  if (onConflict === 'newer' && version === undefined) {
    throw new LapidaryError(
      'unprocessable',
      `${name} declares no version, so nothing says which of two items is newer; choose replace or skip`,
    )
  }
  if (onConflict === 'replace') return undefined
  return {
    onConflict,
    version: version === undefined ? undefined : codec.storedName(version),
    expires: expires === undefined ? undefined : codec.storedName(expires),
    clock,
  }
}

type ImportContext = Pick<CollectionContext, 'table' | 'statistics' | 'codec' | 'collection' | 'layout' | 'states'>

/** Puts writes into batches and keeps several in flight, never two with the same id. */
class ImportWriter {
  readonly counts: Record<'lines' | 'sent' | 'written' | 'replaced' | 'skipped' | 'rejected' | 'failed', number>
  readonly #rule: ReplaceRule | undefined
  readonly #history: InsertHistory = { mostlyNew: true, canInsert: true }
  readonly #context: ImportContext
  readonly #options: ImportOptions
  readonly #finished = new FinishedLines()
  readonly #running = new Set<Promise<void>>()
  readonly #inFlight = new Map<string, Promise<void>>()
  readonly #failures: { line: number; reason: string }[] = []
  #batch = new Map<string, PendingWrite>()
  #mark: ReturnType<FinishedLines['begin']> | undefined
  #error: unknown

  constructor(context: ImportContext, from: ImportCheckpoint, options: ImportOptions, rule: ReplaceRule | undefined) {
    this.#context = context
    this.#options = options
    this.#rule = rule
    this.counts = { ...from, sent: from.written + from.skipped, failed: 0 }
  }

  /** Whether a batch failed in a way that the next would too. */
  get broken(): boolean {
    return this.#error !== undefined
  }

  async reject(record: ImportRecord, reason: string, issues: readonly InputIssue[] = []): Promise<void> {
    this.counts.rejected++
    await this.#options.onRejected?.(record, reason, issues)
    this.#report()
  }

  async add(write: PendingWrite): Promise<void> {
    const key = write.entry.PK?.S ?? ''
    // A later line must not be overtaken by an earlier one of the same id that is still on its way.
    await this.#inFlight.get(key)
    this.#mark ??= this.#finished.begin({ ...this.#current(), lines: write.record.line - 1 })
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
      ({ isLeft, skipped }) => this.#finished.end(mark, isLeft, skipped),
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

  /** Whether something is left to be tried again, and how many items stayed as they are. */
  async #write(writes: readonly PendingWrite[]): Promise<{ readonly isLeft: boolean; readonly skipped: number }> {
    const { failed, skipped } = this.#options.dryRun === true ? { failed: [], skipped: 0 } : await this.#put(writes)
    this.counts.written += writes.length - failed.length - skipped
    this.counts.skipped += skipped
    for (const write of failed) await this.#fail(write)
    return { isLeft: failed.some(({ kind }) => kind === 'unprocessed'), skipped }
  }

  /** Whatever comes of it, counts from before are out of date. */
  async #put(writes: readonly PendingWrite[]): Promise<BatchOutcome> {
    const { table, statistics, codec, collection } = this.#context
    try {
      const outcome =
        this.#rule === undefined
          ? { failed: await writeBatch(table, writes), skipped: 0 }
          : await insertBatch(table, writes, this.#rule, this.#history)
      // Also of items that stayed: an import that was killed may have left them without.
      const { layout } = await writeContext(this.#context)
      if (layout.duplicates?.kept === 'write') {
        await settleAll(
          { ...this.#context, layout },
          writes.map(({ entry }) => entry.PK?.S ?? ''),
        )
      }
      return outcome
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
    const { lines, sent, replaced, rejected, skipped } = this.counts
    return { lines, written: sent - skipped, replaced, rejected, skipped }
  }

  #progress(): ImportProgress {
    const { lines, written, replaced, skipped, rejected, failed } = this.counts
    return {
      lines,
      written,
      replaced,
      skipped,
      rejected,
      failed,
      checkpoint: this.#finished.checkpoint(this.#current()),
    }
  }

  #report(): void {
    this.#options.onProgress?.(this.#progress())
  }
}
