import type { Collection } from '../../model/collection.ts'
import type { Around } from '../../model/index-declaration.ts'
import { HIGHEST, type Position } from '../../model/position.ts'
import type { TextKeys } from '../index-definition.ts'
import type { KeyCondition, List, Lists } from '../layout.ts'
import { textKeyCondition } from '../text-keys.ts'

/** The parent's sort key; the keys of the items around it begin with the character below or above. */
export const PARENT_SORT_KEY = '='

/** Returns the prefix of every sort key on one side of the parent. */
export function aroundPrefix(around: Exclude<Around, 'parent'>): string {
  return around === 'below' ? '<#' : '>#'
}

/**
 * Makes the lists of an assembled index with the parent in them, above every item: a read that begins at a list's newest end begins at the
 * parent.
 */
export function listsWithParent(
  collection: Collection,
  keys: TextKeys & { readonly name: string },
  lists: Lists,
): Lists {
  const { order } = collection
  const top = topPosition(collection)
  return Object.freeze<Lists>({
    accessPaths(query, known, maxSources) {
      const { paths } = lists.accessPaths(query, known, maxSources)
      const own = paths.filter(({ index }) => index === keys.name)
      return {
        paths: own.map((path) => ({
          ...path,
          lists: path.lists.map((list) => Object.freeze({ ...list, label: `${list.label} WITH PARENT` })),
        })),
        refused: [],
      }
    },
    keyConditions(list, range) {
      if (range.upper === undefined) return [reachingParent(textKeyCondition(keys, order, list, range), list)]
      const isPastParent = range.upper.order === top.order
      return lists.keyConditions(list, isPastParent ? { ...range, upper: undefined } : range)
    },
    positionOf: (list, entry) => (entry[keys.sortKey]?.S === PARENT_SORT_KEY ? top : lists.positionOf(list, entry)),
  })
}

/** Extends a condition to the parent, whose sort key is next to the list's newest end. */
function reachingParent({ expression, names, values }: KeyCondition, { reversed }: List): KeyCondition {
  return { expression, names, values: { ...values, [reversed ? ':l' : ':u']: { S: PARENT_SORT_KEY } } }
}

/** Returns a position above that of every item. */
function topPosition({ order }: Collection): Position {
  return { order: order.type === 'number' ? Number.POSITIVE_INFINITY : HIGHEST.repeat(100), id: '' }
}
