import { compareSequenceNumbers } from '../derived/change.ts'
import type { Checkpoint } from '../stream/checkpoint.ts'
import type { Step } from './truth.ts'

/** A shard of the change stream, as far as it is read. */
export class LogShard {
  readonly shardId: string
  readonly parentShardId: string | undefined
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
  /** Records after the checkpoint were gone already. */
  trimmed = false
  /** The last sequence number read. */
  position: string | undefined
  /** The last look of which a probe was seen in it. */
  look = 0

  constructor(shardId: string, parentShardId: string | undefined, { sequenceNumber, finished }: Checkpoint) {
    this.shardId = shardId
    this.parentShardId = parentShardId
    this.from = sequenceNumber
    this.position = sequenceNumber
    this.finished = finished
  }

  /** Whether everything up to a checkpoint is read. */
  hasRead({ sequenceNumber, finished }: Checkpoint): boolean {
    if (this.finished || this.ended) return true
    if (finished) return false
    if (sequenceNumber === undefined || sequenceNumber === this.from) return true
    return this.position !== undefined && compareSequenceNumbers(this.position, sequenceNumber) >= 0
  }

  /** Whether the runner may still find that records are gone which were read here: it has not got past them yet. */
  mayLose(checkpoint: Checkpoint | undefined): boolean {
    if (this.finished || checkpoint?.finished === true) return false
    const unsure = this.from === undefined || this.trimmed
    return unsure && checkpoint?.sequenceNumber === this.from && this.steps.length > 0
  }
}
