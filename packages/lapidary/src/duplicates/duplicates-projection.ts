import type { CopyProjection } from '../derived/copy-projection.ts'
import { isItemKey } from '../model/stored-item.ts'
import { type IndexStates, layoutKeeping } from '../schema/index-states.ts'
import type { InspectedDuplicates } from './duplicates-inspection.ts'
import { DUPLICATES, duplicatesShape } from './duplicates-shape.ts'
import { settleAll } from './settle-duplicates.ts'

/** A collection, and what its table knows beside the declaration. */
interface DuplicatesKept extends Omit<InspectedDuplicates, 'isStreamed'> {
  readonly states: Pick<IndexStates, 'kept'>
}

/**
 * The projection of a collection's duplicates. It follows changes where the change stream keeps the duplicates; where the writes of items keep
 * them, it only inspects. It writes outside of the runner's transaction, since it brings an item's duplicates to what the item is now, however
 * often and in whatever order its changes come.
 */
export function duplicatesProjection(context: DuplicatesKept): CopyProjection {
  const { collection, layout, states } = context
  const shape = duplicatesShape(collection, layout)
  const apply: CopyProjection['apply'] = (changes) =>
    settleAll(
      context,
      changes.map(({ key }) => key.PK),
    )
  return {
    name: DUPLICATES,
    collection: collection.name,
    ...(shape === undefined ? {} : { made: shape.made, apply }),
    isItem: (key) => isItemKey(collection, key),
    async inspect() {
      // The item may have been written under another declaration, which has duplicates where this one has none.
      const written = layoutKeeping(layout, await states.kept())
      if (written.duplicates === undefined) return undefined
      const { DuplicatesInspection } = await import('./duplicates-inspection.ts')
      return new DuplicatesInspection({ ...context, layout: written, isStreamed: shape !== undefined })
    },
  }
}
