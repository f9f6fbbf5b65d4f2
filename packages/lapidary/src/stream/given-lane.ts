import type { Change } from '../derived/change.ts'
import type { Lane } from './batch.ts'
import type { Checkpoint } from './checkpoint.ts'
import { type Counted, isOutdated } from './counting.ts'
import type { Runner } from './runner.ts'

/** Who counts a shard, and from where. */
interface GivenLaneOptions extends Lane {
  readonly runner: Runner
  /** Told when another moved the checkpoint meanwhile, before anything is counted from there. */
  readonly onMoved?: (checkpoint: Checkpoint) => Promise<void>
}

/** A shard whose changes are given to a process, as Lambda does. */
export class GivenLane implements Lane {
  readonly shardId: string
  readonly owner: string | undefined
  sequenceNumber: string | undefined
  register: number | undefined
  readonly #options: GivenLaneOptions

  constructor(options: GivenLaneOptions) {
    this.shardId = options.shardId
    this.owner = options.owner
    this.sequenceNumber = options.sequenceNumber
    this.#options = options
  }

  /**
   * Has it counted by the register as it is now.
   *
   * @param known Its checkpoint, where that was read a moment ago.
   */
  async takeUp(known?: Checkpoint): Promise<void> {
    this.register = (await this.#options.runner.takeUp(this, known)).register
  }

  /**
   * Counts changes. What was counted before, whole or in part, is counted only from where the checkpoint stands.
   *
   * @throws {LapidaryError} `unavailable` when the lease was lost or DynamoDB keeps refusing; the lane goes on from where it is then.
   */
  async count(changes: readonly Change[]): Promise<void> {
    const { runner, onMoved } = this.#options
    for (let batch = runner.batchOf(this, changes); batch.changes.length > 0; ) {
      const { counted } = await runner.countNext([batch])
      const { sequenceNumber, found, left, failure } = counted.get(this) as Counted
      if (found !== undefined) await onMoved?.(found)
      this.sequenceNumber = sequenceNumber
      batch = { lane: this, changes: left }
      if (failure === undefined) continue
      if (!isOutdated(failure)) throw failure
      await this.takeUp()
      batch = runner.batchOf(this, changes)
    }
  }
}
