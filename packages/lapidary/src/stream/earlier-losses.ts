import { LapidaryError } from '../model/errors.ts'
import { type Checkpoint, type FollowedTable, noteGap, readCheckpoint } from './checkpoint.ts'
import { isCounted, isUnreadable, noteStream } from './counted-stream.ts'
import { isSilent } from './heartbeat.ts'
import { knownBy, Lineage } from './lineage.ts'
import { isTrimmed } from './shard-reader.ts'
import { listShards, type Shard, streamArn } from './shards.ts'
import type { StreamsClient } from './streams-client.ts'

interface EarlierLossesOptions {
  readonly table: FollowedTable
  /** Where it is not given nothing is looked for. */
  readonly streams: StreamsClient | undefined
  readonly clock: () => number
  readonly onError: ((error: unknown, shardId: string) => void) | undefined
}

/** A stream that can't be asked for so long is no reason to let its records expire. */
const AWAITED_MS = 5 * 60_000

/** Looks whether records are gone that come before a batch, when a process begins with its shard: Lambda does not say. */
export class EarlierLosses {
  readonly #options: EarlierLossesOptions
  /** Shards that were looked at. */
  readonly #begun = new Set<string>()
  /** By shard, since when it can't be looked at. */
  readonly #failingSince = new Map<string, number>()
  /** What was listed last: many shards begin in a process that has just begun itself. */
  #listed: { readonly arn: string; readonly lineage: Lineage<Shard> } | undefined
  readonly #forgotten = new Set<string>()

  constructor(options: EarlierLossesOptions) {
    this.#options = options
  }

  /**
   * Whether a shard is to be counted, once a loss before is noted.
   *
   * @throws Where the stream can't be asked: a batch has to wait, since a loss that it is counted beyond can't be seen any more.
   */
  async mayCount(shardId: string, checkpoint: Checkpoint, arn: string | undefined): Promise<boolean> {
    const { streams, table, onError } = this.#options
    if (streams === undefined || this.#begun.has(shardId)) return true
    try {
      return await this.#look(streams, arn ?? (await streamArn(table)), shardId, checkpoint)
    } catch (error) {
      if (this.#isAwaited(shardId, error)) throw error
      onError?.(error, shardId)
      return true
    }
  }

  /** Tells of a loss, and notes it. */
  async note(shardId: string, { gap }: Checkpoint, error: LapidaryError): Promise<void> {
    const { table, onError } = this.#options
    onError?.(error, shardId)
    if (!gap) await noteGap(table, shardId, undefined)
  }

  async #look(streams: StreamsClient, arn: string, shardId: string, checkpoint: Checkpoint): Promise<boolean> {
    const { table, clock, onError } = this.#options
    // What was listed when it was new is not looked at again.
    const isListed = checkpoint.sequenceNumber !== undefined && (await isCounted(table, arn))
    const lineage = isListed
      ? new Lineage([{ shardId, parentShardId: undefined, start: undefined }])
      : await this.#lineageWith(streams, shardId, arn)
    const stream = isListed ? 'counted' : await noteStream(table, arn, lineage.shards)
    if (stream === 'earlier') return false
    if (stream === 'another') {
      const message = `another stream was counted before ${arn}, and what was written in between is in none; ${remedyOf(table)}`
      onError?.(new LapidaryError('unavailable', message), shardId)
    }
    const shard = lineage.get(shardId)
    const isLost =
      (shard !== undefined && (await this.#isCutOff(streams, arn, lineage, shard, checkpoint))) ||
      (knownBy(checkpoint).isNew && (await isSilent(table, clock())))
    if (isLost) {
      const message = `the stream has dropped records of ${shardId}, or of what came before it; ${remedyOf(table)}`
      await this.note(shardId, checkpoint, new LapidaryError('unavailable', message))
    }
    if (lineage.shards.length > 0) this.#begun.add(shardId)
    if (this.#begun.has(shardId)) this.#failingSince.delete(shardId)
    return true
  }

  async #lineageWith(streams: StreamsClient, shardId: string, arn: string): Promise<Lineage<Shard>> {
    if (this.#listed?.arn !== arn || this.#listed.lineage.get(shardId) === undefined) {
      this.#listed = { arn, lineage: new Lineage(await listShards(streams, arn, this.#forgotten)) }
    }
    return this.#listed.lineage
  }

  /**
   * Whether records before the first of a shard that is not counted are gone. Of a shard of which nothing was counted the one before
   * is looked at too. Shards close after hours, so that one is listed and whole, unless Lambda stood still for most of a day.
   */
  async #isCutOff(
    streams: StreamsClient,
    arn: string,
    lineage: Lineage<Shard>,
    shard: Shard,
    checkpoint: Checkpoint,
  ): Promise<boolean> {
    if (await isTrimmed({ streams, arn, shard }, checkpoint.sequenceNumber)) return true
    const { shardId, parentShardId } = shard
    if (parentShardId === undefined || !knownBy(checkpoint).isNew) return false
    const before = await readCheckpoint(this.#options.table, parentShardId)
    const known = new Map([
      [shardId, knownBy(checkpoint)],
      [parentShardId, knownBy(before)],
    ])
    const standing = lineage.standing(shard, (id) => known.get(id))
    const parent = lineage.parentOf(shard)
    if (standing !== 'waiting' || parent === undefined) return standing === 'cut off'
    return isTrimmed({ streams, arn, shard: parent }, before.sequenceNumber)
  }

  #isAwaited(shardId: string, error: unknown): boolean {
    const { clock } = this.#options
    const since = this.#failingSince.get(shardId) ?? clock()
    this.#failingSince.set(shardId, since)
    return !isUnreadable(error) && clock() - since < AWAITED_MS
  }
}

/** What to do about a loss. */
export function remedyOf({ follower }: FollowedTable): string {
  return follower === undefined ? 'run lapidary repair' : `make anew what is kept in ${follower}`
}
