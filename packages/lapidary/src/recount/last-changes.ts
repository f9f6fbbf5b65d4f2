import { type Change, isBeyond } from '../derived/change.ts'
import { type FollowedTable, readCheckpoints } from '../stream/checkpoint.ts'

/** The last change of each item, as far as the change stream is read. */
export class LastChanges {
  readonly #last = new Map<string, { readonly shardId: string; readonly sequenceNumber: string }>()

  /** Takes in a change. The same part of the stream may be read twice, one behind the other. */
  note({ key: { PK }, sequenceNumber }: Change, shardId: string): void {
    if (isBeyond(sequenceNumber, this.#last.get(PK)?.sequenceNumber)) this.#last.set(PK, { shardId, sequenceNumber })
  }

  /**
   * Reads how far the stream is taken in by now. What it gives says of an item whether its last change was, also one that is noted
   * later.
   */
  async takenIn(table: FollowedTable): Promise<(partition: string) => boolean> {
    const shards = new Map([...this.#last.values()].map((last) => [last.shardId, last]))
    const checkpoints = await readCheckpoints(table, [...shards.values()])
    return (partition) => {
      const last = this.#last.get(partition)
      if (last === undefined) return true
      const { sequenceNumber, finished = false } = checkpoints.get(last.shardId) ?? {}
      return finished || !isBeyond(last.sequenceNumber, sequenceNumber)
    }
  }
}
