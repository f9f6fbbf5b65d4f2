import { DescribeTableCommand } from '@aws-sdk/client-dynamodb'
import type { Entry } from '../model/entry.ts'
import { LapidaryError } from '../model/errors.ts'
import { checkpointOf, readCheckpoint } from '../stream/checkpoint.ts'
import { countPoison } from '../stream/poison.ts'
import { streamArn } from '../stream/shards.ts'
import type { StreamsClient } from '../stream/streams-client.ts'
import type { TableClient } from '../table/table-client.ts'
import { type CapacityBudget, createCapacityBudget, requestShare, withinBudget } from './capacity-budget.ts'
import { type ChangeLog, followChanges } from './change-log.ts'
import { type Cut, groupTargets, inOrder, READ_UNITS, takeCut } from './cut.ts'
import { type Difference, isAsSeen } from './difference.ts'
import type { DerivedData, MaintenanceOptions, Verification } from './maintenance-options.ts'
import { createProbes, type Probes } from './probes.ts'
import { ProgressMeter } from './progress-meter.ts'
import { scanTable } from './scan-table.ts'
import { skipBacklog } from './skip-backlog.ts'
import { Tally, type Target } from './tally.ts'
import { Truth } from './truth.ts'

/** A shard that has lost records, and how often it was noted. */
export interface NotedGap {
  readonly shardId: string
  readonly gaps: number
}

const SEGMENTS = 2
const IDLE_MS = 200
const WATCH_MS = 200
const FOLD_MS = 2_000
/** Cuts that are read at once; they are put in their order afterwards. */
const CUTS_AT_ONCE = 6
const MOST_DIFFERENCES = 1_000
const STREAM_PARTITION = '~STREAM#'

/** Everything that verify, repair and rebuild have in common: the truth of the table at any cut, while it is written to. */
export class Inspection implements AsyncDisposable {
  readonly table: TableClient
  readonly budget: CapacityBudget
  readonly truth: Truth
  readonly meter: ProgressMeter
  readonly gaps: NotedGap[] = []
  readonly signal: AbortSignal
  readonly #options: MaintenanceOptions
  readonly #streams: StreamsClient
  readonly #clock: () => number
  readonly #differences: Difference[] = []
  readonly #abort = new AbortController()
  readonly #probes: Probes
  #log: ChangeLog | undefined
  #compared = 0
  #folding: Promise<void> = Promise.resolve()

  constructor({ table, streams, projections, clock, now }: DerivedData, options: MaintenanceOptions) {
    this.table = table
    this.budget = createCapacityBudget(options.capacity ?? Number.POSITIVE_INFINITY, now)
    this.truth = new Truth(new Tally(projections))
    this.signal =
      options.signal === undefined ? this.#abort.signal : AbortSignal.any([options.signal, this.#abort.signal])
    this.#options = options
    this.#probes = createProbes(withinBudget(table, this.budget, 1, this.signal), clock)
    this.#streams = streams
    this.#clock = clock
    this.meter = new ProgressMeter({ onProgress: options.onProgress, now, capacity: () => this.budget.spent })
  }

  get log(): ChangeLog {
    if (this.#log === undefined) throw new TypeError('the change stream is not followed yet')
    return this.#log
  }

  /** Stops it with an error of its own. */
  abort(reason: unknown): void {
    this.#abort.abort(reason)
  }

  /** Moves checkpoints over what no process counts, see {@link skipBacklog}. To be done before {@link begin}. */
  async skipBacklog(leaseMs: number): Promise<void> {
    this.meter.enter('settle')
    const { table, signal } = this
    await this.guarded(
      skipBacklog({
        ...{
          table,
          streams: this.#streams,
          clock: this.#clock,
          idleMs: this.#options.idleMs ?? IDLE_MS,
          leaseMs,
          signal,
        },
        onRecords: (records) => {
          this.meter.done = records
        },
      }),
    )
  }

  /** The log first, then the scan, then the log again past everything that the scan can have seen. */
  async begin(scan: () => Promise<void> = () => this.scan()): Promise<void> {
    this.meter.enter('scan')
    const arn = await streamArn(this.table)
    this.#log = await followChanges({
      table: this.table,
      streams: this.#streams,
      arn,
      truth: this.truth,
      probes: this.#probes,
      idleMs: this.#options.idleMs ?? IDLE_MS,
      clock: this.#clock,
    })
    const fold = setInterval(() => void this.fold().catch((error: unknown) => this.abort(error)), FOLD_MS)
    try {
      await this.guarded(scan())
    } finally {
      clearInterval(fold)
    }
    await this.guarded(this.#folding)
    await this.settle()
  }

  /** Reads the log past everything written by now. */
  async settle(): Promise<void> {
    this.meter.enter('settle')
    const { log } = this
    const watch = setInterval(() => {
      this.meter.done = log.records
    }, WATCH_MS)
    try {
      await this.guarded(log.readAll())
    } finally {
      clearInterval(watch)
    }
  }

  async scan(): Promise<void> {
    const { Table } = await this.table.send(new DescribeTableCommand({ TableName: this.table.tableName }))
    this.meter.total = Table?.ItemCount || undefined
    const { table, budget, signal } = this
    const segments = this.#options.segments ?? SEGMENTS
    await scanTable({ table, budget, segments, signal, onPage: (entries) => this.#takePage(entries) })
  }

  /**
   * Targets that may be wrong: all that the runner has written since, and those that did not look right. The rest is as the
   * scan saw it, also at the checkpoints of now.
   */
  async suspects(): Promise<readonly Target[]> {
    await this.guarded(this.fold())
    const { tally } = this.truth
    return tally.targets.filter((target) => target.touched || !isAsSeen(target, tally.amountsOf(target)))
  }

  /** Takes the steps that the runner has counted by now, so that a long scan does not keep them. */
  fold(): Promise<void> {
    this.#folding = this.#folding.then(async () => {
      for (let taken = false; !taken; ) {
        const open = this.log.open()
        const checkpoints = await Promise.all(open.map(({ shardId }) => readCheckpoint(this.table, shardId)))
        taken = await this.log.takeTo(
          new Map(open.map(({ shardId }, i) => [shardId, checkpoints[i] ?? checkpointOf(undefined)])),
        )
      }
    })
    return this.#folding
  }

  /**
   * Reads targets at exact cuts. While the caller holds a cut, the tally holds the truth at that very cut.
   */
  async *cutsOf(targets: readonly Target[]): AsyncGenerator<Cut> {
    this.meter.enter('compare', targets.length)
    let left = targets
    while (left.length > 0) {
      const shardIds = this.log.open().map(({ shardId }) => shardId)
      const groups = groupTargets(left, shardIds.length, requestShare(this.budget) / READ_UNITS)
      const batch = groups.slice(0, CUTS_AT_ONCE)
      const again: Target[] = []
      const cuts = await this.guarded(
        Promise.all(batch.map((group) => takeCut(this.table, shardIds, group, this.budget, this.signal))),
      )
      for (const cut of inOrder(cuts)) {
        if (!(await this.guarded(this.log.takeTo(cut.checkpoints)))) {
          again.push(...cut.targets)
          continue
        }
        yield cut
        this.#compared += cut.targets.length
        this.meter.done += cut.targets.length
      }
      left = [...again, ...groups.slice(CUTS_AT_ONCE).flat()]
    }
  }

  report(differences: readonly Difference[]): void {
    for (const difference of differences) {
      this.meter.differences++
      if (this.#differences.length < MOST_DIFFERENCES) this.#differences.push(difference)
      this.#options.onDifference?.(difference)
    }
  }

  async result(of: readonly Target[] = this.truth.tally.targets): Promise<Verification> {
    const { tally, items, uncountableKeys } = this.truth
    return {
      differences: this.#differences,
      differenceCount: this.meter.differences,
      items,
      targets: of.filter((target) => target.seen !== undefined || Object.keys(tally.amountsOf(target)).length > 0)
        .length,
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
    this.meter.stop()
    await this.#log?.[Symbol.asyncDispose]()
    await this.#probes[Symbol.asyncDispose]()
  }

  #takePage(entries: readonly Entry[]): void {
    this.meter.done += entries.length
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
}
