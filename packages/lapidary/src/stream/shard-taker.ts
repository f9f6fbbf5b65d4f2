import { jitteredDelay } from '../table/retrying.ts'
import { type Checkpoint, checkpointKey, noteGap, readCheckpoints } from './checkpoint.ts'
import { noteStream } from './counted-stream.ts'
import { type HeldLease, leaseOf, watchLeases } from './lease.ts'
import { type Known, type KnownOf, knownBy, Lineage } from './lineage.ts'
import type { PolledShards } from './polled-shards.ts'
import type { Polling } from './polling.ts'
import { ShardLane } from './shard-lane.ts'
import { listShards, type Shard, streamArn } from './shards.ts'

type Checkpoints = ReadonlyMap<string, Checkpoint>

const ENDED: Known = { isEnded: true, isNew: false, byLambda: false }

/** Looks for shards again and again, and takes those that are free. */
export class ShardTaker {
  readonly #polling: Polling
  readonly #shards: PolledShards
  readonly #owner: string
  readonly #isDead: (shardId: string, held: HeldLease) => boolean
  readonly #forgotten = new Set<string>()
  /** The stream that is noted as the one that is counted. */
  #counted: string | undefined

  constructor(polling: Polling, shards: PolledShards, owner: string) {
    this.#polling = polling
    this.#shards = shards
    this.#owner = owner
    this.#isDead = watchLeases(polling.clock)
  }

  async run(): Promise<void> {
    const { runner, discoverMs, leaseMs, onError } = this.#polling
    const { betweenLooks } = this.#shards
    for (let failures = 0; !this.#shards.isClosing; ) {
      try {
        await this.#look()
        failures = 0
        const isWaiting = this.#shards.open.some((shardId) => !this.#shards.has(shardId))
        const isSoon = isWaiting || this.#shards.lanes.length === 0
        await betweenLooks.pause(isSoon ? Math.min(discoverMs, leaseMs / 4) : discoverMs)
      } catch (error) {
        failures += 1
        onError(error, undefined)
        await betweenLooks.pause(100 + jitteredDelay(failures, runner.table.random))
      }
    }
  }

  async #look(): Promise<void> {
    const { streams, runner } = this.#polling
    // Asked anew each time: a stream that was switched off and on again is another stream.
    const arn = await streamArn(runner.table)
    const listed = await listShards(streams, arn, this.#forgotten)
    if (arn !== this.#counted && listed.length > 0) {
      const stream = await noteStream(runner.table, arn, listed)
      if (stream !== 'earlier') this.#counted = arn
      // Of an earlier stream nothing is counted any more.
      for (const lane of this.#shards.lanes) if (lane.arn !== this.#counted) await this.#shards.drop(lane)
    }
    if (arn === this.#counted) await this.#takeAll(arn, listed)
  }

  async #takeAll(arn: string, listed: readonly Shard[]): Promise<void> {
    const { runner, clock, onError } = this.#polling
    const shards = this.#shards
    shards.lineage = new Lineage(listed)
    const open: string[] = []
    const leased: string[] = []
    const unknown = listed.filter(({ shardId }) => !shards.has(shardId) && !shards.isFinished(shardId))
    const checkpoints = await readCheckpoints(runner.table, unknown)
    for (const shard of listed) {
      if (shards.isClosing) return
      const { shardId } = shard
      // One that can't be taken now does not hold up the others.
      const isOpen = await this.#take(arn, shard, checkpoints).catch((error: unknown) => {
        onError(error, shardId)
        return true
      })
      if (isOpen) open.push(shardId)
      const isLeased = (checkpoints.get(shardId)?.leasedUntil ?? 0) >= clock()
      if (isOpen && isLeased && !shards.has(shardId)) leased.push(shardId)
    }
    shards.open = open
    shards.others = leased
    shards.caughtUpElsewhere = new Set(open.filter((shardId) => checkpoints.get(shardId)?.isCaughtUp))
  }

  /** Whether the shard is still to be processed to its end, here or by another process. */
  async #take(arn: string, shard: Shard, checkpoints: Checkpoints): Promise<boolean> {
    const { streams, runner, idleMs, quietMs, leaseMs, clock } = this.#polling
    const shards = this.#shards
    const { shardId } = shard
    const checkpoint = checkpoints.get(shardId)
    const standing = shards.lineage.standing(shard, (id) => this.#knownOf(id, checkpoints))
    if (standing === 'ended') {
      shards.noteFinished(shardId)
      return false
    }
    if (checkpoint === undefined || shards.has(shardId) || shards.isLeft(shardId)) return true
    // The attempt to take a lease that another process holds would be a write, refused and billed.
    const dead = this.#isDead(shardId, checkpoint) ? checkpoint : undefined
    if (checkpoint.owner !== undefined && checkpoint.leasedUntil >= clock() && dead === undefined) return true
    if (standing === 'waiting') return true
    const key = checkpointKey(shardId, runner.table.follower)
    const lease = leaseOf(runner.table, { key, owner: this.#owner, leaseMs, clock })
    if (!(await lease.renew(dead))) return true
    if (standing === 'cut off' && !(await this.#noteCutOff(shard))) return true
    shards.add(
      new ShardLane({
        ...{ runner, lease, idleMs, quietMs, clock, source: { streams, arn, shard } },
        isPassed: async () => shards.lineage.isPassed(shard, await this.#knownNow(shards.lineage.after(shard))),
        isFollowed: () => shards.lineage.isFollowed(shardId),
      }),
    )
    return true
  }

  /**
   * Notes a gap of a shard that is cut off: the stream forgot the one before it, before any process had read that to its end. Noted once,
   * even if a rebuild has seen to it.
   *
   * @returns False where the lease was lost. The lane would win it back, and count on as if nothing was lost.
   */
  async #noteCutOff(shard: Shard): Promise<boolean> {
    const { runner } = this.#polling
    const { lineage } = this.#shards
    const { shardId, parentShardId = shardId } = shard
    // Not even that of the one before was read, and another process may have counted since.
    const knownOf = await this.#knownNow([shard, { shardId: parentShardId }, ...lineage.after(shard)])
    if (lineage.standing(shard, knownOf) !== 'cut off') return true
    return noteGap(runner.table, shardId, this.#owner)
  }

  /** What is known of a shard by what was read a moment ago. What this process has, or was finished, is not read again. */
  #knownOf(shardId: string, checkpoints: Checkpoints): Known | undefined {
    const checkpoint = checkpoints.get(shardId)
    const known = checkpoint && knownBy(checkpoint)
    return this.#shards.isFinished(shardId) ? { ...ENDED, ...known, isEnded: true } : known
  }

  async #knownNow(shards: readonly Pick<Shard, 'shardId'>[]): Promise<KnownOf> {
    const checkpoints = await readCheckpoints(this.#polling.runner.table, shards)
    return (shardId) => this.#knownOf(shardId, checkpoints)
  }
}
