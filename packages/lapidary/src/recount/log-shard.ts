import { compareSequenceNumbers } from '../derived/change.ts'
import type { Checkpoint } from '../stream/checkpoint.ts'
import type { Step } from './truth.ts'

/** Stream times are to the second. */
const TIME_PRECISION_MS = 1_000

/** A shard of the change stream, as far as it is read. */
export class LogShard {
  readonly shardId: string
  readonly parentShardId: string | undefined
  /** The checkpoint from where it is read; undefined for the oldest record that is left. */
  readonly start: string | undefined
  /** The runner had counted it to its end before it was read here. */
  readonly wasFinished: boolean
  /** Steps that no cut has reached. */
  readonly steps: Step[] = []
  begun = false
  /** The shard is closed and read to its end. */
  ended = false
  /** The runner has counted it to its end. */
  finished: boolean
  /** Records after the checkpoint were gone already. */
  trimmed = false
  /** The last sequence number read. */
  position: string | undefined
  /** When the last change was made that was read. */
  readAt = 0
  /** When it was last read to its end, see {@link ShardRead.caughtUpAt}. */
  caughtUpAt: number | undefined

  constructor(shardId: string, parentShardId: string | undefined, { sequenceNumber, finished }: Checkpoint) {
    this.shardId = shardId
    this.parentShardId = parentShardId
    this.start = sequenceNumber
    this.position = sequenceNumber
    this.finished = finished
    this.wasFinished = finished
  }

  /** Whether everything up to a checkpoint is read. */
  hasRead({ sequenceNumber, finished }: Checkpoint): boolean {
    if (this.finished || this.ended) return true
    if (finished) return false
    if (sequenceNumber === undefined || sequenceNumber === this.start) return true
    return this.position !== undefined && compareSequenceNumbers(this.position, sequenceNumber) >= 0
  }

  isReadPast(at: number): boolean {
    if (this.finished || this.ended) return true
    if (!this.begun) return false
    if (this.readAt >= at + TIME_PRECISION_MS) return true
    return this.caughtUpAt !== undefined && this.caughtUpAt > at
  }

  /** Whether the runner may still find that records are gone which were read here: it has not got past them yet. */
  mayLose({ sequenceNumber, finished }: Checkpoint): boolean {
    if (finished) return false
    const unsure = this.start === undefined || this.trimmed
    return unsure && !this.finished && sequenceNumber === this.start && this.steps.length > 0
  }
}
