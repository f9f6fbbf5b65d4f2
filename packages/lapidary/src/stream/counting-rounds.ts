import type { Batch } from './batch.ts'
import { noteCaughtUp } from './checkpoint.ts'
import { type Counted, isOutdated } from './counting.ts'
import { pauseUnless } from './pause-unless.ts'
import type { PolledShards } from './polled-shards.ts'
import type { Polling } from './polling.ts'
import type { ShardLane } from './shard-lane.ts'

/** Failures in a row after which a shard is given up. */
const MOST_FAILURES = 10

/** A commit of many checkpoints may come later by so many times than one of one checkpoint. */
export const MOST_TIMES = 3

/** A shard that takes longer to answer does not hold up the others. */
const SLOW_READ_MS = 1_000

/** Reads the shards that are due, and counts what they gave in one commit, again and again. */
export class CountingRounds {
  /** The table knows that the stream was counted to its end. */
  isKnown = false
  /** Reads that gave as much as one gives, or something of a shard that others follow. */
  backlogReads = 0
  readonly #polling: Polling
  readonly #shards: PolledShards
  /** While changes keep coming, the next commit is not before. */
  #commitAt = 0
  #readAt = 0
  /** Shards of which other processes can know that they were counted to their ends. */
  readonly #told = new Set<string>()

  constructor(polling: Polling, shards: PolledShards) {
    this.#polling = polling
    this.#shards = shards
  }

  async run(): Promise<void> {
    while (!this.#shards.isClosing || this.#uncounted().length > 0) {
      if (!this.#shards.isClosing) await this.#readDue()
      await this.#countOnce()
      await this.#shards.betweenRounds.pause(this.#untilNext())
    }
  }

  #uncounted(): readonly ShardLane[] {
    return this.#shards.lanes.filter(({ batch }) => batch !== undefined)
  }

  async #readDue(): Promise<void> {
    const now = this.#polling.clock()
    if (now < this.#readAt) {
      this.#commitAt = 0
      this.#shards.onClockPutBack()
    }
    this.#readAt = now
    const due = this.#shards.lanes.filter((lane) => !lane.isReading && lane.batch === undefined && lane.dueAt <= now)
    const inTime = new AbortController()
    void Promise.all(due.map((lane) => this.#attempt(lane, () => this.#read(lane)))).then(() => inTime.abort())
    await pauseUnless(inTime.signal, SLOW_READ_MS)
  }

  async #read(lane: ShardLane): Promise<void> {
    if (await lane.read()) this.backlogReads += 1
  }

  /** Counts what fits into one transaction; the rest goes into the next round. */
  async #countOnce(): Promise<void> {
    const { runner, freshness, gatherMs, clock, onError } = this.#polling
    const all = this.#uncounted()
    const kept = await Promise.all(all.map((lane) => this.#attempt(lane, () => lane.lease.keep())))
    for (const [i, lane] of all.entries()) if (kept[i] === false) await this.#shards.drop(lane)
    const held = all.filter((_, i) => kept[i] === true)
    const { counted, lanes, writes } = await runner.countNext(held.map(({ batch }) => batch as Batch))
    if (writes > 0) this.#commitAt = clock() + gatherMs * timesOf(lanes, writes)
    await Promise.all(held.map((lane) => this.#attempt(lane, () => this.#endRound(lane, counted.get(lane) as Counted))))
    const at = this.#shards.caughtUpAt
    if (at !== undefined) freshness?.caughtUp(at)
    else if (this.isKnown || !(await this.#isCaughtUpTogether(all))) return
    await runner.caughtUp().then(
      () => {
        this.isKnown = true
      },
      (error: unknown) => onError(error, undefined),
    )
  }

  /** Processes that share the shards from the start know only together that all were counted to their ends. */
  async #isCaughtUpTogether(lanes: readonly ShardLane[]): Promise<boolean> {
    if (this.#shards.others.length === 0) return false
    await Promise.all(lanes.map((lane) => this.#attempt(lane, () => this.#tellOthers(lane))))
    return this.#shards.isCaughtUpTogether
  }

  async #tellOthers({ shardId, owner, caughtUpAt }: ShardLane): Promise<void> {
    if (caughtUpAt === undefined || this.#told.has(shardId)) return
    if (await noteCaughtUp(this.#polling.runner.table, shardId, owner, caughtUpAt)) this.#told.add(shardId)
  }

  async #endRound(lane: ShardLane, counted: Counted): Promise<void> {
    lane.takeIn(counted)
    if (counted.left.length > 0) return
    const state = await lane.endRound(this.#commitAt)
    if (state === 'finished') this.#shards.noteFinished(lane.shardId)
    if (state !== 'open') await this.#shards.drop(lane)
  }

  async #attempt<T>(lane: ShardLane, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work()
    } catch (error) {
      // What is derived has changed: nothing of the lane went wrong.
      if (isOutdated(error)) {
        lane.beginAgain()
        return undefined
      }
      this.#polling.onError(error, lane.shardId)
      lane.fail()
      if (lane.failures >= MOST_FAILURES) await this.#shards.giveUp(lane)
      return undefined
    }
  }

  /** Milliseconds until the next round. All shards that have had changes are read when the next commit is due. */
  #untilNext(): number {
    const { idleMs, quietMs, gatherMs, clock } = this.#polling
    const idle = this.#shards.lanes.filter(({ isReading }) => !isReading)
    if (idle.some(({ isBusy }) => isBusy)) return 0
    if (idle.length === 0) return idleMs
    const next = Math.max(this.#commitAt, Math.min(...idle.map(({ dueAt }) => dueAt)))
    return Math.min(next - clock(), Math.max(quietMs, MOST_TIMES * gatherMs))
  }
}

/** The checkpoints of many shards cost as much as counters do. What they cost a change stays the same when they move less often. */
function timesOf(lanes: number, writes: number): number {
  const withOne = writes - lanes + 1
  return Math.min(MOST_TIMES, Math.max(1, writes / Math.max(1, withOne)))
}
