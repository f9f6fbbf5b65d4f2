import type { Checkpoint } from '../stream/checkpoint.ts'
import type { Lineage } from '../stream/lineage.ts'
import type { LogShard } from './log-shard.ts'

/**
 * Whether the checkpoints of a snapshot tell of all shards of a log how far the runner is.
 *
 * @returns `unproven` where it is not known what follows a shard that is counted: that may be counted already, and its checkpoint belongs
 * into the snapshot. `partial` where that is known, and not in the snapshot.
 */
export function snapshotCut(
  lineage: Lineage<LogShard>,
  checkpoints: ReadonlyMap<string, Checkpoint>,
): 'whole' | 'partial' | 'unproven' {
  /** Whether the runner may be beyond a shard. */
  const isThrough = (shard: LogShard): boolean => {
    const checkpoint = checkpoints.get(shard.shardId)
    if (checkpoint === undefined) return shard.isOver
    return checkpoint.finished || (shard.ended && shard.countedAt(checkpoint) === shard.steps.length)
  }
  /** Whether the snapshot tells how far the runner is in a shard and in what follows it. */
  const isCut = (shard: LogShard): boolean =>
    shard.finished || checkpoints.has(shard.shardId) || (shard.isOver && lineage.childrenOf(shard).every(isCut))
  const through = lineage.shards.filter(isThrough)
  if (through.some((shard) => checkpoints.has(shard.shardId) && !shard.followed)) return 'unproven'
  return through.every((shard) => lineage.childrenOf(shard).every(isCut)) ? 'whole' : 'partial'
}
