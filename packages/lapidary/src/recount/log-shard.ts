import { isBeyond } from '../derived/change.ts'
import { LapidaryError } from '../model/errors.ts'
import type { Checkpoint } from '../stream/checkpoint.ts'
import type { Known } from '../stream/lineage.ts'
import type { ShardRead } from '../stream/shard-reader.ts'
import type { Shard } from '../stream/shards.ts'
import type { Step } from './truth.ts'

/** When and how a shard was found. */
export interface Found {
  /** After the log was opened: it is read from its first record. */
  readonly late: boolean
  /** By a monotonic clock, in milliseconds. */
  readonly at: number
}

/** A shard of the change stream, as far as it is read. */
export class LogShard {
  readonly shard: Shard
  readonly found: Found
  /** The checkpoint from where it is read; undefined for the oldest record that is left. */
  readonly from: string | undefined
  /** Steps that no snapshot has reached. */
  readonly steps: Step[] = []
  begun = false
  /** Something of it was read. */
  isRead = false
  /** The shard is closed and read to its end. */
  ended = false
  /** The runner has counted it to its end. */
  finished: boolean
  /** A look has proven that all that follow it are listed. */
  followed = false
  /** Records after the checkpoint were gone already. */
  trimmed = false
  /** When the last change that was read was made, in milliseconds since 1970 by DynamoDB's clock. */
  lastAt = 0
  /** The last sequence number read. */
  position: string | undefined
  /** How often a gap was noted when it was opened. */
  readonly #gaps: number
  /** The last look of which probes were seen in it, and how many. */
  #look = { number: 0, seen: 0 }

  constructor(shard: Shard, found: Found, { sequenceNumber, finished, gaps }: Checkpoint) {
    this.shard = shard
    this.found = found
    this.from = sequenceNumber
    this.position = sequenceNumber
    this.finished = finished
    this.#gaps = gaps
  }

  get shardId(): string {
    return this.shard.shardId
  }

  get parentShardId(): string | undefined {
    return this.shard.parentShardId
  }

  /** To who reads it: a child is read after its parent, so that the changes of an item come in their order. */
  get known(): Known {
    return { isEnded: this.isClosed, isNew: false, byLambda: false }
  }

  /** No change comes any more. */
  get isClosed(): boolean {
    return this.ended || this.finished
  }

  /**
   * Takes in how far a read came.
   *
   * @throws {LapidaryError} `unavailable` where records were gone before it.
   */
  took({ changes, last, end, gap }: ShardRead): void {
    // Of what comes late the log has to have all.
    if (gap && (this.isRead || this.found.late)) {
      throw new LapidaryError(
        'unavailable',
        `the change stream dropped records of ${this.shardId} before they were read; run it again, with more capacity`,
      )
    }
    this.trimmed ||= gap
    this.isRead = true
    this.lastAt = changes.at(-1)?.at ?? this.lastAt
    this.position = last ?? this.position
    this.ended = end
  }

  /** Takes in that a probe of a look was seen in it. */
  met(look: number | undefined): void {
    if (look === undefined || look < this.#look.number) return
    this.#look = { number: look, seen: look === this.#look.number ? this.#look.seen + 1 : 1 }
  }

  /** How many probes of a look were seen in it, or of a later one. */
  seenOf(look: number): number {
    return this.#look.number >= look ? this.#look.seen : 0
  }

  /** Whether it is known that it is closed, and all that follow it. */
  get isProven(): boolean {
    return this.finished || (this.ended && this.followed)
  }

  /** Whether nothing of a closed shard is left to count, wherever its checkpoint is: Lambda marks none as finished. */
  get isOver(): boolean {
    return this.ended && this.steps.length === 0 && this.followed
  }

  /** How many of its steps are counted at a checkpoint. */
  countedAt({ sequenceNumber, finished }: Checkpoint): number {
    if (finished) return this.steps.length
    const beyond = this.steps.findIndex((step) => isBeyond(step.sequenceNumber, sequenceNumber))
    return beyond === -1 ? this.steps.length : beyond
  }

  /** Whether everything up to a checkpoint is read. */
  hasRead({ sequenceNumber, finished }: Checkpoint): boolean {
    if (this.finished || this.ended) return true
    if (finished) return false
    return sequenceNumber === undefined || !isBeyond(sequenceNumber, this.position)
  }

  /** Whether the runner may still find that records are gone, read here or not: it has not got past them yet. */
  mayLose(checkpoint: Checkpoint | undefined): boolean {
    if (this.finished || checkpoint?.finished === true) return false
    const isLost = this.trimmed || (checkpoint?.gaps ?? 0) > this.#gaps
    const unsure = this.from === undefined || isLost
    const untold = this.steps.length > 0 || (this.trimmed && checkpoint?.gaps === 0)
    return unsure && untold && checkpoint?.sequenceNumber === this.from
  }
}
