import type { Collection } from '../../model/collection.ts'
import type { AccessPath, Layout, List, RefusedPath } from '../layout.ts'
import { accessPath } from './access-paths.ts'
import { type FacetIndex, facetIndexes, indexKeys } from './index-keys.ts'
import { entryPosition, keyCondition } from './key-condition.ts'

/** Lists are partitions of secondary indexes on subsets of the facets. DynamoDB keeps them; nothing of ours can drift. */
export function indexesLayout(collection: Collection): Layout {
  const indexes = facetIndexes(collection)
  const byName = new Map(indexes.map((index) => [index.name, index]))
  const indexOf = (list: List): FacetIndex => byName.get(list.index) as FacetIndex
  return Object.freeze<Layout>({
    name: 'indexes',
    indexes,
    overloadable: indexes.find(({ sort, only }) => sort.length === 0 && Object.keys(only).length === 0),
    keysOf: (item) => indexKeys(collection, indexes, item),
    accessPaths(query, known, maxSources) {
      const answers = indexes.map((index) => accessPath(collection, index, query, known, maxSources))
      return {
        paths: answers.filter((answer): answer is AccessPath => 'lists' in answer),
        refused: answers.filter((answer): answer is RefusedPath => 'reason' in answer),
      }
    },
    keyCondition: (list, bounds) => keyCondition(indexOf(list), list, bounds),
    entryPosition: (list, keyText) => entryPosition(indexOf(list), list, keyText),
  })
}
