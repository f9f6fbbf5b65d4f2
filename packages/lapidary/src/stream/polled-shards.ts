import { Lineage } from './lineage.ts'
import { pauseUnless } from './pause-unless.ts'
import type { Polling } from './polling.ts'
import type { ShardLane } from './shard-lane.ts'
import type { Shard } from './shards.ts'

/** What a poller knows of the shards of its stream: looks for shards add to it, and rounds of counting. */
export class PolledShards {
  /** As they were listed last. */
  lineage: Lineage<Shard> = new Lineage([])
  /** Listed shards that are not processed to their ends. */
  open: readonly string[] = []
  /** Those of them that other processes have the lease of. */
  others: readonly string[] = []
  /** Those of them, or of others that are free, that a process has counted to their ends once. */
  caughtUpElsewhere: ReadonlySet<string> = new Set()
  isClosing = false
  readonly betweenLooks: Pause = new Pause()
  readonly betweenRounds: Pause = new Pause()
  readonly #polling: Polling
  readonly #lanes = new Map<string, ShardLane>()
  readonly #finished = new Set<string>()
  /** Of shards that were given up or lost, how far they were known to be. */
  readonly #dropped = new Map<string, Pick<ShardLane, 'caughtUpAt' | 'lastRecordAt'>>()
  /** Of shards that were given up, until when they are left to others. */
  readonly #leftUntil = new Map<string, number>()

  constructor(polling: Polling) {
    this.#polling = polling
  }

  /** Shards that this process has the lease of. */
  get lanes(): readonly ShardLane[] {
    return [...this.#lanes.values()]
  }

  /** When everything was counted that the stream had told of; undefined while this process has not read all shards to their ends. */
  get caughtUpAt(): number | undefined {
    const times = this.open.map((shardId) => this.#lanes.get(shardId)?.caughtUpAt)
    return times.length > 0 && times.every((time) => time !== undefined) ? Math.min(...times) : undefined
  }

  /** Whether all shards were counted to their ends, some by this process and the rest by others. */
  get isCaughtUpTogether(): boolean {
    return (
      this.lanes.length > 0 &&
      this.open.every((shardId) => {
        const lane = this.#lanes.get(shardId)
        return lane === undefined ? this.caughtUpElsewhere.has(shardId) : lane.caughtUpAt !== undefined
      })
    )
  }

  has(shardId: string): boolean {
    return this.#lanes.has(shardId)
  }

  isFinished(shardId: string): boolean {
    return this.#finished.has(shardId)
  }

  noteFinished(shardId: string): void {
    this.#finished.add(shardId)
    this.#dropped.delete(shardId)
  }

  add(lane: ShardLane): void {
    Object.assign(lane, this.#dropped.get(lane.shardId))
    this.#lanes.set(lane.shardId, lane)
    this.betweenRounds.end()
  }

  /** A shard that ends has children, which should not have to wait to be discovered. */
  async drop({ shardId, lease, caughtUpAt, lastRecordAt }: ShardLane): Promise<void> {
    this.#lanes.delete(shardId)
    if (!this.isFinished(shardId)) this.#dropped.set(shardId, { caughtUpAt, lastRecordAt })
    this.betweenLooks.end()
    if (this.isFinished(shardId)) return
    await lease.release().catch((error: unknown) => this.#polling.onError(error, shardId))
  }

  async dropAll(): Promise<void> {
    await Promise.all(this.lanes.map((lane) => this.drop(lane)))
  }

  /** Gives a shard up, for another process to try; this one does not for as long as a lease is. */
  async giveUp(lane: ShardLane): Promise<void> {
    this.#leftUntil.set(lane.shardId, this.#polling.clock() + this.#polling.leaseMs)
    await this.drop(lane)
  }

  isLeft(shardId: string): boolean {
    return (this.#leftUntil.get(shardId) ?? 0) > this.#polling.clock()
  }

  /** By a clock that was put back nothing would be due until it is as late again. */
  onClockPutBack(): void {
    for (const lane of this.lanes) lane.dueAt = 0
    this.#leftUntil.clear()
  }

  close(): void {
    this.isClosing = true
    this.betweenRounds.end()
    this.betweenLooks.end()
  }
}

/** A pause that can be ended; one that was ended before it began is over at once. */
class Pause {
  #over = new AbortController()

  async pause(milliseconds: number): Promise<void> {
    await pauseUnless(this.#over.signal, milliseconds)
    this.#over = new AbortController()
  }

  end(): void {
    this.#over.abort()
  }
}
