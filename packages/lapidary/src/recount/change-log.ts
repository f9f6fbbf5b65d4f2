import type { Change } from '../derived/change.ts'
import { LapidaryError } from '../model/errors.ts'
import { answering } from '../stream/answering.ts'
import { type Checkpoint, checkpointOf, readCheckpoint } from '../stream/checkpoint.ts'
import { Lineage } from '../stream/lineage.ts'
import { pauseUnless } from '../stream/pause-unless.ts'
import { createShardReader, type ShardRead } from '../stream/shard-reader.ts'
import { beganAt, listShards, openedAt } from '../stream/shards.ts'
import type { StreamsClient } from '../stream/streams-client.ts'
import { waitUntil } from '../stream/wait-until.ts'
import type { TableClient } from '../table/table-client.ts'
import { EndOfLog } from './end-of-log.ts'
import { LogShard } from './log-shard.ts'
import type { Probes } from './probes.ts'
import { snapshotCut } from './snapshot-cut.ts'
import type { Truth } from './truth.ts'

export interface ChangeLogOptions {
  readonly table: TableClient
  readonly streams: StreamsClient
  readonly arn: string
  readonly truth: Truth
  readonly probes: Probes
  /** Told of every change that is read. */
  readonly logged?: ((change: Change, shardId: string) => void) | undefined
  /** Milliseconds between reads of a shard that has nothing new. */
  readonly idleMs: number
  readonly clock: () => number
  /** Milliseconds on a monotonic clock, for what is waited for. */
  readonly now: () => number
  /** Milliseconds by which a shard may be listed later than the other half of the one before it. */
  readonly listedMs: number
  /** Ends it. */
  readonly signal?: AbortSignal
}

const MOST_FAILURES = 50
const MOST_FAILING_MS = 60_000
const RETRY_MS = 200
const LOOK_MS = 5
/** A shard that was opened longer ago and is not listed is forgotten, or of another table that this one was copied from. */
const LISTED_WITHIN_MS = 10 * 60_000
/** Between looks for shards that were not listed yet. */
const FIND_MS = 500
const NOTHING_COUNTED = checkpointOf(undefined)

export async function followChanges(options: ChangeLogOptions): Promise<ChangeLog> {
  const log = new ChangeLog(options)
  await log.begin()
  return log
}

/**
 * The change stream from where the runner's checkpoints stand, followed in the background. Changes are kept as steps and
 * taken into the truth up to the checkpoints of a snapshot, never beyond.
 */
export class ChangeLog implements AsyncDisposable {
  /** All shards that were listed since it began. */
  lineage: Lineage<LogShard> = new Lineage<LogShard>([])
  /** Records read so far, of whatever was written. */
  records = 0
  /** When the last change that was read was made, by DynamoDB's clock. */
  latestAt = 0
  readonly #options: ChangeLogOptions
  readonly #streams: StreamsClient
  readonly #stop = new AbortController()
  readonly #forgotten = new Set<string>()
  readonly #loops = new Set<Promise<void>>()
  #failure: unknown
  #isBegun = false
  /** Under way. */
  readonly #looks = new Set<EndOfLog>()
  #lookNumber = 0

  constructor(options: ChangeLogOptions) {
    this.#options = options
    this.#streams = answering(options.streams, { signal: this.#stop.signal })
    options.signal?.addEventListener('abort', this.#end)
    if (options.signal?.aborted === true) this.#end()
  }

  readonly #end = (): void => this.#stop.abort(this.#options.signal?.reason)

  /** Finds the shards; those that are found later are read from their first records. */
  async begin(): Promise<void> {
    await this.#discover()
    this.#isBegun = true
  }

  /** Shards of which the runner may have something left to count, whose checkpoints belong into a snapshot. */
  open(): readonly LogShard[] {
    return this.lineage.shards.filter(({ finished, isOver }) => !finished && !isOver)
  }

  /** Whether a shard is of this stream, and is listed: once everything is read, all are that have been counted from. */
  knows(shardId: string): boolean {
    return this.lineage.get(shardId) !== undefined
  }

  /** Closed shards that are read to their end, and of which nothing is left to count, wherever their checkpoints are. */
  over(): readonly LogShard[] {
    return this.lineage.shards.filter(({ finished, isOver }) => !finished && isOver)
  }

  /** Shards of which it is not known what follows them, or whether they are closed, see {@link EndOfLog}. */
  unproven(): readonly LogShard[] {
    return this.lineage.shards.filter(({ isProven }) => !isProven)
  }

  /** Steps that the runner has not counted yet. */
  get pending(): number {
    return this.lineage.shards.reduce((sum, { steps }) => sum + steps.length, 0)
  }

  /** When the first of them was made, in milliseconds since 1970. */
  get pendingSince(): number | undefined {
    const times = this.lineage.shards.flatMap(({ steps: [first] }) => (first === undefined ? [] : [first.at]))
    return times.length === 0 ? undefined : Math.min(...times)
  }

  /**
   * Waits until shards are listed of which a checkpoint tells, where they were opened a moment ago, since this stream began.
   *
   * @throws {LapidaryError} `unavailable` when one is not listed for a minute.
   */
  async untilListed(shardIds: readonly string[]): Promise<void> {
    const { arn, clock } = this.#options
    const oldest = Math.max(beganAt(arn), Math.max(clock(), this.latestAt) - LISTED_WITHIN_MS)
    const awaited = shardIds.filter((shardId) => openedAt(shardId) > oldest)
    const missing = (): readonly string[] => awaited.filter((shardId) => !this.knows(shardId))
    const gaveUp = `the change stream ${arn} does not list ${missing().join(', ')}, of which something is counted; run it again`
    await this.#until(() => (missing().length === 0 ? undefined : `${this.lineage.shards.length}`), undefined, gaveUp)
  }

  /**
   * Reads everything that was written by now, proven by an {@link EndOfLog}.
   *
   * @returns Tells of a shard whether it was still open when this began.
   * @throws {LapidaryError} `unavailable` when the stream tells nothing of them for a minute.
   */
  async readAll(): Promise<(shard: LogShard) => boolean> {
    this.#lookNumber += 1
    const look = new EndOfLog(this, this.#options, this.#lookNumber)
    this.#looks.add(look)
    try {
      await look.write()
      await this.#until(
        () => look.left(),
        () => look.writeMore(),
      )
    } finally {
      this.#looks.delete(look)
    }
    look.prove()
    return (shard) => look.wasOpen(shard)
  }

  /**
   * Takes every step up to the checkpoints, exactly.
   *
   * @returns false when what follows a shard that is counted was not known: its checkpoint belongs into the snapshot too.
   */
  async takeTo(checkpoints: ReadonlyMap<string, Checkpoint>): Promise<boolean> {
    const isLast = ({ shardId }: LogShard): boolean => !this.lineage.isFollowed(shardId)
    if (this.lineage.shards.some((shard) => shard.isClosed && isLast(shard))) await this.#discover()
    const cut = snapshotCut(this.lineage, checkpoints)
    if (cut === 'unproven') {
      await this.#discover()
      await this.readAll()
    }
    if (cut !== 'whole') return false
    const taken = [...checkpoints].map(([shardId, checkpoint]) => ({
      shard: this.lineage.get(shardId) as LogShard,
      checkpoint,
    }))
    const isRead = (): boolean => taken.every(({ shard, checkpoint }) => shard.hasRead(checkpoint))
    await this.#until(() => (isRead() ? undefined : taken.map(({ shard }) => shard.position).join()))
    for (const { shard, checkpoint } of taken) {
      for (const step of shard.steps.splice(0, shard.countedAt(checkpoint))) this.#options.truth.take(step)
      shard.finished = checkpoint.finished
    }
    this.#followReadable()
    return true
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#options.signal?.removeEventListener('abort', this.#end)
    this.#stop.abort()
    await Promise.all(this.#loops)
  }

  async #discover(): Promise<void> {
    const { table, arn, now } = this.#options
    const listed = await this.#answerOf(() => listShards(this.#streams, arn, this.#forgotten))
    for (const shard of new Lineage(listed).parentsFirst) {
      if (this.knows(shard.shardId)) continue
      // What is listed later may be counted already, beyond what the scan has seen. And a child whose parent was not finished when
      // it was looked at may be counted by now: of an item that changed in both, the child's log would tell only the end.
      const fromStart = this.#isBegun || this.lineage.parentOf(shard)?.finished === false
      const checkpoint = fromStart ? NOTHING_COUNTED : await readCheckpoint(table, shard.shardId)
      const found = new LogShard(shard, { late: this.#isBegun, at: now() }, checkpoint)
      this.lineage = new Lineage([...this.lineage.shards, found])
    }
    this.#followReadable()
  }

  #followReadable(): void {
    const { lineage } = this
    for (const shard of lineage.shards) {
      if (shard.begun || lineage.standing(shard, (shardId) => lineage.get(shardId)?.known) !== 'readable') continue
      shard.begun = true
      const loop = this.#follow(shard)
        .catch((error: unknown) => {
          this.#failure ??= error
        })
        .finally(() => this.#loops.delete(loop))
      this.#loops.add(loop)
    }
  }

  async #follow(shard: LogShard): Promise<void> {
    const { arn, idleMs } = this.#options
    const reader = createShardReader({ streams: this.#streams, arn, shard: shard.shard }, shard.from)
    while (!this.#stop.signal.aborted && !shard.ended) {
      const read = await this.#answerOf(() => reader.next())
      this.#take(shard, read)
      if (!shard.ended) await pauseUnless(this.#stop.signal, read.full ? 0 : idleMs)
    }
    if (shard.ended) await this.#discover()
  }

  #take(shard: LogShard, read: ShardRead): void {
    const { truth, probes, logged } = this.#options
    shard.took(read)
    for (const change of read.changes) {
      logged?.(change, shard.shardId)
      const step = truth.logged(change)
      if (step !== undefined) shard.steps.push(step)
      const look = probes.seen(change)
      shard.met(look)
      for (const each of this.#looks) each.see(change, look)
      this.latestAt = Math.max(this.latestAt, change.at)
    }
    this.records += read.records
  }

  /** Asks the stream again where it fails, as long as that is a matter of seconds. */
  async #answerOf<T>(ask: () => Promise<T>): Promise<T> {
    const { now } = this.#options
    const { signal } = this.#stop
    const began = now()
    for (let failures = 1; ; failures++) {
      try {
        return await ask()
      } catch (error) {
        if (failures > MOST_FAILURES || now() - began > MOST_FAILING_MS || signal.aborted) throw error
        await pauseUnless(signal, RETRY_MS)
      }
    }
  }

  /** Waits, and looks for shards that were not listed yet; gives up when there is no sign of what is waited for for long. */
  #until(
    left: () => string | undefined,
    waiting: () => Promise<void> = async () => {},
    gaveUp = `the change stream ${this.#options.arn} tells nothing of what was written a minute ago; is it enabled? Run it again`,
  ): Promise<void> {
    const { now } = this.#options
    const { signal } = this.#stop
    let foundAt = now()
    return waitUntil({
      left: () => {
        if (this.#failure !== undefined) throw this.#failure
        if (signal.aborted) throw new LapidaryError('aborted', 'the change stream is not followed any more')
        return left()
      },
      pause: async () => {
        await pauseUnless(signal, LOOK_MS)
        await waiting()
        if (now() - foundAt < FIND_MS) return
        foundAt = now()
        await this.#discover()
      },
      now,
      gaveUp: () => gaveUp,
    })
  }
}
