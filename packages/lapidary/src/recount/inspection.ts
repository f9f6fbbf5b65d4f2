import { DescribeTableCommand } from '@aws-sdk/client-dynamodb'
import type { Difference } from '../derived/copy-inspection.ts'
import { sumsOf } from '../derived/projection.ts'
import type { Entry } from '../model/entry.ts'
import { LapidaryError } from '../model/errors.ts'
import { plainKeyOf } from '../model/stored-item.ts'
import { type Checkpoint, checkpointOf, countedShard, readCheckpoints, requireRevision } from '../stream/checkpoint.ts'
import { countDeadLetters } from '../stream/dead-letters.ts'
import { streamArn } from '../stream/shards.ts'
import { unlessAborted } from '../stream/unless-aborted.ts'
import { type CapacityBudget, createCapacityBudget, requestShare, withinBudget } from '../table/capacity-budget.ts'
import { scanTable } from '../table/scan-table.ts'
import type { TableClient } from '../table/table-client.ts'
import { type ChangeLog, followChanges } from './change-log.ts'
import type { ComparedCopy } from './compared-copy.ts'
import { type Differing, differingOf, isAsSeen } from './difference.ts'
import type { LogShard } from './log-shard.ts'
import type { DerivedData, MaintenanceOptions, Verification } from './maintenance-options.ts'
import { createProbes, type Probes } from './probes.ts'
import { ProgressMeter } from './progress-meter.ts'
import { READ_UNITS, type Snapshot, snapshotSize, takeSnapshot } from './snapshot.ts'
import { Tally, type Target } from './tally.ts'
import { Truth } from './truth.ts'

const SEGMENTS = 2
const IDLE_MS = 200
const FOLD_MS = 2_000
/** AWS's own adapter asks about as long for shards that are not listed. */
const LISTED_MS = 50_000
const MOST_DIFFERENCES = 1_000
/** Derived items of which one look at the stream's end proves the snapshots. */
const PROVEN_TOGETHER = 5_000
/** Shards close every few minutes where there are many, and snapshots from before are taken again. */
const PROVEN_WITHIN_MS = 30_000

interface Beginning {
  readonly scan?: () => Promise<void>
  /** Told of every page that the scan reads, and waited for. */
  readonly seen?: (entries: readonly Entry[]) => Promise<void> | void
}

/** Everything that verify, repair and rebuild have in common: the truth of the table at any snapshot, while it is written to. */
export class Inspection implements AsyncDisposable {
  readonly table: TableClient
  readonly budget: CapacityBudget
  readonly truth: Truth
  readonly meter: ProgressMeter
  /** Shards that have lost records, and how often that was noted. */
  readonly gaps: Map<string, number> = new Map()
  /** What is noted from now on may not be in what is mended, and is left to the next time. */
  areGapsKnown = false
  /** Shards of which the scan saw a checkpoint that is not at the end. */
  readonly #unfinished = new Set<string>()
  readonly signal: AbortSignal
  /** Milliseconds on a monotonic clock. */
  readonly now: () => number
  readonly #options: MaintenanceOptions
  readonly #derived: DerivedData
  readonly #copies: readonly ComparedCopy[]
  readonly #differences: Difference[] = []
  readonly #abort = new AbortController()
  readonly probes: Probes
  #log: ChangeLog | undefined
  #compared = 0
  #folding: Promise<void> = Promise.resolve()

  constructor(derived: DerivedData, options: MaintenanceOptions) {
    const { table, projections, compared = [], clock, now } = derived
    this.table = table
    this.budget = createCapacityBudget(options.capacity ?? Number.POSITIVE_INFINITY, now)
    this.truth = new Truth(new Tally(sumsOf(projections)))
    this.signal =
      options.signal === undefined ? this.#abort.signal : AbortSignal.any([options.signal, this.#abort.signal])
    this.#options = options
    this.probes = createProbes(withinBudget(table, this.budget, 1, this.signal), table, clock)
    this.#derived = derived
    this.#copies = compared
    this.now = now
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

  /** Opens the log, scans the table, then reads the log past everything that the scan can have seen. */
  async begin({ seen, scan = () => this.scan(seen) }: Beginning = {}): Promise<void> {
    this.meter.enter('scan')
    const following = followChanges({
      ...{ listedMs: LISTED_MS, ...this.#derived, truth: this.truth, probes: this.probes, signal: this.signal },
      arn: await streamArn(this.table),
      logged: (change, shardId) => {
        for (const each of this.#copies) each.logged(change, shardId)
      },
      idleMs: this.#options.idleMs ?? IDLE_MS,
    })
    this.#log = await this.guarded(following)
    for (const each of this.#copies) await this.guarded(each.begin())
    let isFolding = false
    const fold = setInterval(() => {
      if (isFolding) return
      isFolding = true
      void this.fold()
        .catch((error: unknown) => this.abort(error))
        .finally(() => {
          isFolding = false
        })
    }, FOLD_MS)
    try {
      await this.guarded(scan())
    } finally {
      clearInterval(fold)
    }
    await this.guarded(this.#folding)
    await this.guarded(this.log.untilListed([...this.#unfinished]))
    await this.readLog()
    await this.guarded(this.fold())
  }

  /** How far shards are counted. */
  readCheckpoints(shards: readonly LogShard[]): Promise<ReadonlyMap<string, Checkpoint>> {
    const { table, budget, signal } = this
    return readCheckpoints(withinBudget(table, budget, Math.max(1, shards.length), signal), shards)
  }

  /** Reads the log past everything written by now. */
  async readLog(): Promise<void> {
    this.meter.enter('stream', undefined, () => this.log.records)
    await this.guarded(this.log.readAll())
  }

  async scan(seen: NonNullable<Beginning['seen']> = () => {}): Promise<void> {
    const { Table } = await this.table.send(new DescribeTableCommand({ TableName: this.table.tableName }))
    this.meter.total = Table?.ItemCount || undefined
    await this.#scan((entries) => {
      this.#takePage(entries)
      return seen(entries)
    })
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
        taken = await this.#takeTo(await this.readCheckpoints(this.log.open()))
      }
    })
    return this.#folding
  }

  /**
   * Compares targets at exact snapshots, reports those that differ there, and gives them, many at a time. Before any are given it is proven
   * that no process has counted what the snapshots do not tell of: Lambda goes on to the next shard without a word, maybe before it is
   * known here that one is closed. A shard that is still open after a snapshot had no next one.
   *
   * @param isProven Whether it is proven also that nothing differs.
   */
  async *differing(targets: readonly Target[], isProven: boolean): AsyncGenerator<readonly Differing[]> {
    this.meter.enter('compare', targets.length)
    for (let compared = 0; compared < targets.length; ) {
      const found: Differing[] = []
      const unproven = new Set<LogShard>()
      const until = this.now() + PROVEN_WITHIN_MS
      const end = Math.min(targets.length, compared + PROVEN_TOGETHER)
      let next = compared
      while (next === compared || (next < end && this.now() < until)) {
        const snapshot = await this.#snapshotOf(targets, next, unproven)
        if (snapshot === undefined) continue
        found.push(...differingOf(snapshot, this.truth.tally))
        next += snapshot.targets.length
        this.meter.done = next
      }
      if (isProven || found.length > 0) {
        const wasOpen = await this.guarded(this.log.readAll())
        if (![...unproven].every(wasOpen)) continue
      }
      this.#compared += next - compared
      compared = next
      this.report(found.flatMap(({ differences }) => differences))
      yield found
    }
  }

  /**
   * Shards that some process may still count, and that are not of the stream, or that it has forgotten. To be asked after
   * {@link begin}: by then every shard is listed that was there at the scan.
   */
  get foreignShards(): readonly string[] {
    return [...this.#unfinished].filter((shardId) => !this.log.knows(shardId))
  }

  /** Looks at derived items again: what the log does not tell of was counted in them since the scan saw them. */
  async seeAgain(): Promise<void> {
    const { tally } = this.truth
    for (const target of tally.targets) target.seen = undefined
    this.meter.enter('scan')
    const again = this.#scan((entries) => {
      for (const entry of entries) tally.see(plainKeyOf(entry), entry)
    })
    await this.guarded(again)
  }

  /** A gap is made up for by what snapshots show that are of checkpoints past it. */
  noteGap(shardId: string, { gap, gaps }: Checkpoint): void {
    if (gap && !this.areGapsKnown) this.gaps.set(shardId, Math.max(gaps, this.gaps.get(shardId) ?? 0))
  }

  readonly report = (differences: readonly Difference[]): void => {
    for (const difference of differences) {
      this.meter.differences++
      if (this.#differences.length < MOST_DIFFERENCES) this.#differences.push(difference)
      this.#options.onDifference?.(difference)
    }
  }

  /** Compares copies with the items, and mends them if told to. Gives how many pieces were mended. */
  async compare(how: { readonly mends: boolean }): Promise<number> {
    let mended = 0
    for (const each of this.#copies) mended += await each.compare(this, how)
    return mended
  }

  async result(of: readonly Target[] = this.truth.tally.targets): Promise<Verification> {
    const { tally, items, uncountableItems } = this.truth
    return {
      differences: this.#differences,
      differenceCount: this.meter.differences,
      items,
      targets: of.filter((target) => target.seen !== undefined || Object.keys(tally.amountsOf(target)).length > 0)
        .length,
      compared: this.#compared,
      uncountable: tally.uncountable,
      uncountableItems,
      pending: this.log.pending,
      deadLetters: await countDeadLetters(this.table),
      gaps: [...this.gaps.keys()],
      notVerified: this.#copies.flatMap(({ notVerified }) => notVerified),
      capacity: Math.round(this.budget.spent),
    }
  }

  /** The time for counts that were made anew: when everything before was counted. */
  countedUntil(): number {
    return Math.min(this.#derived.clock(), this.log.pendingSince ?? Number.POSITIVE_INFINITY)
  }

  /** What is awaited, unless it is stopped before. */
  async guarded<T>(work: Promise<T>): Promise<T> {
    try {
      return await unlessAborted(work, this.signal)
    } catch (error) {
      if (this.#options.signal?.aborted === true) {
        throw new LapidaryError('aborted', 'it was stopped; run it again to go on', { cause: error })
      }
      throw this.#abort.signal.aborted ? this.#abort.signal.reason : error
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.meter.stop()
    await this.#log?.[Symbol.asyncDispose]()
    await this.probes[Symbol.asyncDispose]()
  }

  /**
   * Reads as many targets at one moment as can be, and brings the tally to what was true then.
   *
   * @param unproven Given the shards that may have been closed by then, with others behind them.
   * @returns undefined where it is not known what follows a shard that is counted: its checkpoint belongs into the snapshot too.
   */
  async #snapshotOf(targets: readonly Target[], from: number, unproven: Set<LogShard>): Promise<Snapshot | undefined> {
    const shardIds = this.log.open().map(({ shardId }) => shardId)
    const before = this.log.unproven()
    const size = snapshotSize(shardIds.length, requestShare(this.budget) / READ_UNITS)
    const group = targets.slice(from, from + size)
    const snapshot = await this.guarded(takeSnapshot(this.table, shardIds, group, this.budget, this.signal))
    if (!(await this.guarded(this.#takeTo(snapshot.checkpoints)))) return undefined
    if (await this.guarded(this.#raise(snapshot.checkpoints))) return undefined
    for (const shard of before) unproven.add(shard)
    return snapshot
  }

  /** A shard that is finished by now is not looked at again. */
  #takeTo(checkpoints: ReadonlyMap<string, Checkpoint>): Promise<boolean> {
    for (const [shardId, checkpoint] of checkpoints) this.noteGap(shardId, checkpoint)
    return this.log.takeTo(checkpoints)
  }

  /**
   * Has every shard counted by processes that keep what is mended, and reads what was counted before: from then on an item of derived data
   * that no target stands for is counted by them.
   */
  async requireKept(): Promise<void> {
    if (this.#derived.keptSince === undefined) return
    await this.guarded(this.#raise(await this.readCheckpoints(this.log.open())))
    await this.readLog()
    await this.guarded(this.fold())
  }

  /** Whether a shard of a snapshot could be counted by a process that does not keep what is mended; from now on none can. */
  async #raise(checkpoints: ReadonlyMap<string, Checkpoint>): Promise<boolean> {
    const { keptSince = 0 } = this.#derived
    const earlier = [...checkpoints].filter(([, { register, finished }]) => !finished && register < keptSince)
    for (const [shardId] of earlier) await requireRevision(this.table, shardId, keptSince)
    return earlier.length > 0
  }

  #scan(take: (entries: readonly Entry[]) => Promise<void> | void): Promise<void> {
    const { table, budget, signal } = this
    return scanTable({
      ...{ table, budget, signal, segments: this.#options.segments ?? SEGMENTS },
      onPage: (entries) => {
        this.meter.done += entries.length
        return take(entries)
      },
    })
  }

  #takePage(entries: readonly Entry[]): void {
    for (const entry of entries) {
      for (const each of this.#copies) each.see(entry, this.report)
      const key = plainKeyOf(entry)
      const shardId = countedShard(key.PK)
      if (shardId !== undefined) {
        const checkpoint = checkpointOf(entry)
        if (!checkpoint.finished) this.#unfinished.add(shardId)
        this.noteGap(shardId, checkpoint)
      } else if (!this.truth.tally.see(key, entry)) this.truth.scanned(key, entry)
    }
  }
}
