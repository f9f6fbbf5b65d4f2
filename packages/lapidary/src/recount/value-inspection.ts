import type { CopyProjection } from '../derived/copy-projection.ts'
import type { Entry } from '../model/entry.ts'
import { isItemKey, plainKeyOf } from '../model/stored-item.ts'
import { unreadableText } from '../model/unreadable-item.ts'
import type { CollectionContext } from '../operations/context.ts'
import { messageOf } from '../stream/described-change.ts'
import { seeing } from './compared-copy.ts'
import { type ItemProblem, MOST_EXAMPLES } from './maintenance-options.ts'

/** Items that can't be read, and some of them. */
interface UnreadableItems {
  unreadable: number
  readonly unreadableItems: ItemProblem[]
}

type Read = Pick<CollectionContext, 'collection' | 'codec'>

/** Notes the items that can't be read as they are declared. Such an item is counted all the same, so it is no difference. */
export function valuesProjection({ collection, codec }: Read, found: UnreadableItems): CopyProjection {
  return {
    name: 'values',
    collection: collection.name,
    isItem: (key) => isItemKey(collection, key),
    inspect: async () =>
      seeing((entry) => {
        const key = plainKeyOf(entry)
        const reason = isItemKey(collection, key) ? problemOf(codec, entry) : undefined
        if (reason === undefined) return
        found.unreadable += 1
        if (found.unreadableItems.length < MOST_EXAMPLES) found.unreadableItems.push({ key, reason })
      }),
  }
}

function problemOf(codec: Read['codec'], entry: Entry): string | undefined {
  try {
    return codec.unreadable(entry).map(unreadableText).join('; ') || undefined
  } catch (error) {
    // What is packed by another codec can't be read either.
    return messageOf(error)
  }
}
