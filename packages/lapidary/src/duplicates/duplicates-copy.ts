import type { CopyProjection } from '../derived/copy-projection.ts'
import { isItemKey } from '../model/stored-item.ts'
import { DUPLICATES } from './duplicates-shape.ts'
import type { DuplicatesContext } from './partition.ts'
import { settleDuplicates } from './settle-duplicates.ts'

/** Items whose duplicates are brought up to date at once. */
const CONCURRENCY = 8

/**
 * Keeps the duplicates of a collection from the change stream: outside of the runner's transaction, since each item's are brought
 * to what the item is now, however often and in whatever order its changes come.
 */
export function duplicatesCopy(context: DuplicatesContext): CopyProjection {
  const concerns: CopyProjection['concerns'] = ({ key }) => isItemKey(context.collection, key)
  return {
    name: DUPLICATES,
    concerns,
    apply: (changes) =>
      settleAll(
        context,
        changes.filter(concerns).map(({ key }) => key.PK),
      ),
  }
}

/** {@link settleDuplicates} of many items, each once. */
export async function settleAll(context: DuplicatesContext, partitions: Iterable<string>): Promise<void> {
  const left = new Set(partitions).values()
  const lane = async (): Promise<void> => {
    for (const partition of left) await settleDuplicates(context, partition)
  }
  const lanes = await Promise.allSettled(Array.from({ length: CONCURRENCY }, lane))
  for (const { reason } of lanes.filter((each) => each.status === 'rejected')) throw reason
}
