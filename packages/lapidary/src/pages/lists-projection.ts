import type { CopyProjection } from '../derived/copy-projection.ts'
import type { Shape } from '../derived/register/shape.ts'
import type { Entry } from '../model/entry.ts'
import { LapidaryError } from '../model/errors.ts'
import { isItemKey } from '../model/stored-item.ts'
import type { TableClient } from '../table/table-client.ts'
import { stepsOf } from './change-steps.ts'
import type { ListEntry, SortedLists } from './sorted-lists.ts'

/** Lists that the change stream keeps. */
export interface FollowingLists {
  readonly lists: SortedLists
  /** The lists through a client that is paced, by which they are filled. */
  readonly filledBy: (table: TableClient) => SortedLists
  readonly entriesOf: (image: Entry) => readonly ListEntry[]
  /** What a message calls them, and what `lapidary rebuild` does. */
  readonly shown: string
  readonly rebuiltAs: string
}

/** Keeps lists by the changes of items, and fills them from a scan. */
export function listsProjection(
  { name, collection, made }: Pick<Shape, 'name' | 'collection' | 'made'>,
  { lists, filledBy, entriesOf, shown, rebuiltAs }: FollowingLists,
): CopyProjection {
  return {
    ...{ name, collection, made },
    isItem: (key) => isItemKey({ name: collection }, key),
    async apply(changes, { shardId }) {
      if (shardId === undefined) {
        // Where an item was before can't be told from what it is now.
        throw new LapidaryError('unprocessable', `${shown} made good by lapidary rebuild ${rebuiltAs}`)
      }
      await lists.apply(
        shardId,
        changes.map((change) => {
          const { sequenceNumber, at } = change
          return { sequenceNumber, at, steps: stepsOf(change, entriesOf) }
        }),
      )
    },
    ...(lists.pass === undefined ? {} : { pass: (shardId, to) => lists.pass?.(shardId, to) ?? Promise.resolve() }),
    state: () => lists.state(),
    fill: async (table) => (await import('./fill-lists.ts')).fillLists(filledBy(table), entriesOf, lists),
  }
}
