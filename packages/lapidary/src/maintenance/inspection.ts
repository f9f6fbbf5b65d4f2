import { DescribeTableCommand } from '@aws-sdk/client-dynamodb'
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams'
import { LapidaryError } from '../model/errors.ts'
import { checkpointOf, readCheckpoint } from '../streams/checkpoint.ts'
import { streamArn } from '../streams/shards.ts'
import type { Entry } from '../table/entry.ts'
import type { TableClient } from '../table/table-client.ts'
import { type CapacityBudget, createCapacityBudget, requestShare } from './capacity-budget.ts'
import { type ChangeLog, followChanges } from './change-log.ts'
import { type Cut, groupUnits, READ_UNITS, takeCut } from './cut.ts'
import { type Difference, isAsSeen } from './difference.ts'
import type { MaintenanceOptions, MaintenanceProgress, Verification, WithContext } from './maintenance-options.ts'
import { countPoison } from './poison-cover.ts'
import { scanTable } from './scan-table.ts'
import { derivedCollection } from './statistics-unit.ts'
import { Tally, type Unit } from './tally.ts'
import { Truth } from './truth.ts'

/** A shard that has lost records, and how often it was noted. */
export interface NotedGap {
  readonly shardId: string
  readonly gaps: number
}

const SEGMENTS = 4
const SETTLE_MS = 2_000
const IDLE_MS = 200
const PROGRESS_MS = 500
const FOLD_MS = 2_000
const CATCH_UP_MS = 200
const STANDSTILL_MS = 60_000
/** Cuts that are read at once; they are put in their order afterwards. */
const CUTS_AT_ONCE = 6
const MOST_DIFFERENCES = 1_000
const STREAM_PARTITION = '~STREAM#'

/** Everything that verify, repair and rebuild have in common: the truth of the table at any cut, while it is written to. */
export class Inspection implements AsyncDisposable {
  readonly table: TableClient
  readonly budget: CapacityBudget
  readonly truth: Truth
  readonly gaps: NotedGap[] = []
  readonly signal: AbortSignal
  readonly #options: MaintenanceOptions
  readonly #streams: DynamoDBStreamsClient
  readonly #clock: () => number
  readonly #now: () => number
  readonly #differences: Difference[] = []
  readonly #abort = new AbortController()
  #log: ChangeLog | undefined
  #differenceCount = 0
  #compared = 0
  #phase: MaintenanceProgress['phase'] = 'scan'
  #phaseBegan = 0
  #done = 0
  #total: number | undefined
  #ticker: ReturnType<typeof setInterval> | undefined

  constructor(clients: readonly WithContext[], options: MaintenanceOptions) {
    const [first] = clients
    if (first === undefined) throw new TypeError('maintenance needs at least one collection')
    const { table, clock, now } = first.context
    this.table = table
    this.budget = createCapacityBudget(options.capacity ?? Number.POSITIVE_INFINITY, now)
    this.truth = new Truth(new Tally(clients.map(({ context }) => derivedCollection(context))))
    this.signal =
      options.signal === undefined ? this.#abort.signal : AbortSignal.any([options.signal, this.#abort.signal])
    this.#options = options
    this.#streams = options.streams ?? new DynamoDBStreamsClient(options.clientConfig)
    this.#clock = clock
    this.#now = now
  }

  get log(): ChangeLog {
    if (this.#log === undefined) throw new TypeError('the change stream is not followed yet')
    return this.#log
  }

  /** Stops it with an error of its own. */
  abort(reason: unknown): void {
    this.#abort.abort(reason)
  }

  /** The log first, then the scan, then the log again past everything that the scan can have seen. */
  async begin(scan: () => Promise<void> = () => this.scan()): Promise<void> {
    this.#enter('scan')
    const { onProgress } = this.#options
    if (onProgress !== undefined) this.#ticker = setInterval(() => onProgress(this.#progress()), PROGRESS_MS)
    const arn = await streamArn(this.table)
    this.#log = await followChanges({
      table: this.table,
      streams: this.#streams,
      arn,
      truth: this.truth,
      idleMs: this.#options.idleMs ?? IDLE_MS,
      clock: this.#clock,
    })
    const fold = setInterval(() => void this.#fold().catch((error: unknown) => this.abort(error)), FOLD_MS)
    try {
      await this.guarded(scan())
    } finally {
      clearInterval(fold)
      await this.#folding
    }
    await this.settle()
  }

  /** Reads the log past everything written by now, and as long as the change stream may take to tell of it. */
  async settle(): Promise<void> {
    this.#enter('settle')
    await this.guarded(this.log.readPast(this.#clock() + (this.#options.settleMs ?? SETTLE_MS)))
  }

  async scan(): Promise<void> {
    const { Table } = await this.table.send(new DescribeTableCommand({ TableName: this.table.tableName }))
    this.#total = Table?.ItemCount || undefined
    const { table, budget, signal } = this
    const segments = this.#options.segments ?? SEGMENTS
    await scanTable({ table, budget, segments, signal, onPage: (entries) => this.#takePage(entries) })
  }

  /**
   * Units that may be wrong: all that the runner has written since, and those that did not look right. The rest is as the
   * scan saw it, also at the checkpoints of now.
   */
  async suspects(): Promise<readonly Unit[]> {
    await this.guarded(this.#fold())
    const { tally } = this.truth
    return tally.units.filter((unit) => unit.touched || !isAsSeen(unit, tally.countsOf(unit)))
  }

  /**
   * Reads units at exact cuts. While the caller holds a cut, the tally holds the truth at that very cut.
   */
  async *cutsOf(units: readonly Unit[]): AsyncGenerator<Cut> {
    this.#enter('compare')
    this.#total = units.length
    let left = units
    while (left.length > 0) {
      const shardIds = this.log.open().map(({ shardId }) => shardId)
      const groups = groupUnits(left, shardIds.length, requestShare(this.budget) / READ_UNITS)
      const batch = groups.slice(0, CUTS_AT_ONCE)
      const again: Unit[] = []
      const cuts = await this.guarded(
        Promise.all(batch.map((group) => takeCut(this.table, shardIds, group, this.budget, this.signal))),
      )
      for (const cut of inOrder(cuts)) {
        if (!(await this.guarded(this.log.takeTo(cut.checkpoints)))) {
          again.push(...cut.units)
          continue
        }
        yield cut
        this.#compared += cut.units.length
        this.#done += cut.units.length
      }
      left = [...again, ...groups.slice(CUTS_AT_ONCE).flat()]
    }
  }

  /** Waits until the runner has counted everything that was written by now. */
  async catchUp(): Promise<void> {
    await this.settle()
    this.#enter('count')
    await this.guarded(this.#fold())
    const last = new Map(
      this.log.open().flatMap(({ shardId, steps }) => {
        const step = steps.at(-1)
        return step === undefined ? [] : [[shardId, step] as const]
      }),
    )
    this.#total = this.log.pending
    const isBehind = (): boolean =>
      this.log.open().some(({ shardId, steps }) => {
        const step = last.get(shardId)
        return step !== undefined && steps.includes(step)
      })
    let moved = { at: this.#clock(), pending: this.log.pending }
    while (isBehind()) {
      await this.guarded(this.table.sleep(CATCH_UP_MS))
      await this.guarded(this.#fold())
      const { pending } = this.log
      this.#done = Math.max(0, (this.#total ?? 0) - pending)
      if (pending < moved.pending) moved = { at: this.#clock(), pending }
      if (this.#clock() - moved.at > STANDSTILL_MS) {
        throw new LapidaryError(
          'unavailable',
          `nobody counts the ${pending} changes that are left; run the projections (lapidary stream, or the server)`,
        )
      }
    }
  }

  report(differences: readonly Difference[]): void {
    for (const difference of differences) {
      this.#differenceCount++
      if (this.#differences.length < MOST_DIFFERENCES) this.#differences.push(difference)
      this.#options.onDifference?.(difference)
    }
  }

  async result(of: readonly Unit[] = this.truth.tally.units): Promise<Verification> {
    const { tally, items, uncountableKeys } = this.truth
    return {
      differences: this.#differences,
      differenceCount: this.#differenceCount,
      items,
      units: of.filter((unit) => unit.seen.size > 0 || Object.keys(tally.countsOf(unit)).length > 0).length,
      compared: this.#compared,
      uncountable: tally.uncountable,
      uncountableKeys,
      pending: this.log.pending,
      poison: await countPoison(this.table),
      gaps: this.gaps.map(({ shardId }) => shardId),
      capacity: Math.round(this.budget.spent),
    }
  }

  /** The time for counts that were made anew: when everything before was counted. */
  countedUntil(): number {
    return Math.min(this.#clock(), this.log.pendingSince ?? Number.POSITIVE_INFINITY)
  }

  /** What is awaited, unless it is stopped before. */
  async guarded<T>(work: Promise<T>): Promise<T> {
    work.catch(() => undefined)
    const { signal } = this
    let stop: (() => void) | undefined
    try {
      if (signal.aborted) throw signal.reason
      const stopped = new Promise<never>((_, reject) => {
        stop = () => reject(signal.reason)
        signal.addEventListener('abort', stop)
      })
      return await Promise.race([work, stopped])
    } catch (error) {
      if (this.#options.signal?.aborted === true) {
        throw new LapidaryError('aborted', 'it was stopped; run it again to go on', { cause: error })
      }
      throw this.#abort.signal.aborted ? this.#abort.signal.reason : error
    } finally {
      if (stop !== undefined) signal.removeEventListener('abort', stop)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#ticker)
    await this.#log?.[Symbol.asyncDispose]()
    if (this.#options.streams === undefined) this.#streams.destroy()
  }

  #takePage(entries: readonly Entry[]): void {
    this.#done += entries.length
    for (const entry of entries) {
      const key = { PK: entry.PK?.S ?? '', SK: entry.SK?.S ?? '' }
      if (key.PK.startsWith(STREAM_PARTITION)) this.#noteGap(key.PK.slice(STREAM_PARTITION.length), entry)
      else if (!this.truth.tally.see(key, entry)) this.truth.scanned(key, entry)
    }
  }

  #noteGap(shardId: string, entry: Entry): void {
    const { gap, gaps } = checkpointOf(entry)
    if (gap) this.gaps.push({ shardId, gaps })
  }

  #folding: Promise<void> = Promise.resolve()

  /** Takes the steps that are counted already, so that a long scan does not keep them. */
  #fold(): Promise<void> {
    this.#folding = this.#folding.then(async () => {
      const open = this.log.open()
      const checkpoints = await Promise.all(open.map(({ shardId }) => readCheckpoint(this.table, shardId)))
      await this.log.takeTo(new Map(open.map(({ shardId }, i) => [shardId, checkpoints[i] ?? checkpointOf(undefined)])))
    })
    return this.#folding
  }

  #enter(phase: MaintenanceProgress['phase']): void {
    this.#phase = phase
    this.#phaseBegan = this.#now()
    this.#done = 0
    this.#total = undefined
  }

  #progress(): MaintenanceProgress {
    const total = this.#total === undefined || this.#done > this.#total ? undefined : this.#total
    const elapsed = this.#now() - this.#phaseBegan
    return {
      phase: this.#phase,
      done: this.#phase === 'settle' ? (this.#log?.records ?? 0) : this.#done,
      total,
      leftMs: total === undefined || this.#done === 0 ? undefined : (elapsed / this.#done) * (total - this.#done),
      capacity: Math.round(this.budget.spent),
      differences: this.#differenceCount,
    }
  }
}

/** Snapshots are one after another, whatever the order of their answers; checkpoints only go ahead. */
function inOrder(cuts: readonly Cut[]): readonly Cut[] {
  return [...cuts].sort((a, b) => {
    for (const [shardId, one] of a.checkpoints) {
      const other = b.checkpoints.get(shardId)
      const order = placeOf(one).localeCompare(placeOf(other))
      if (order !== 0) return order
    }
    return 0
  })
}

function placeOf(checkpoint: { sequenceNumber: string | undefined; finished: boolean } | undefined): string {
  const digits = checkpoint?.sequenceNumber ?? ''
  return `${checkpoint?.finished === true ? 1 : 0}${String(digits.length).padStart(3, '0')}${digits}`
}
