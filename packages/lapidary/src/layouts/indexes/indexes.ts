import type { Collection, Item } from '../../model/collection.ts'
import type { Entry } from '../../model/entry.ts'
import { primaryKey } from '../../model/stored-item.ts'
import type { AccessPath, CollectionLayout, Layout, List, Lists, RefusedPath } from '../layout.ts'
import { textKeyCondition, textPosition } from '../text-keys.ts'
import { accessPath, inOrderOf, type ListPlace } from './access-paths.ts'
import { aroundPrefix, listsWithParent } from './around.ts'
import {
  type FacetIndex,
  facetIndexes,
  indexKeys,
  keyRulesOf,
  partitionKey,
  placeText,
  sortPrefix,
} from './index-keys.ts'

/**
 * The default layout: lists are partitions of secondary indexes on subsets of the facets. DynamoDB keeps them; nothing of ours
 * can drift.
 *
 * @example
 * ```ts run
 * const lapidary = createLapidary({ client, tableName: 'comments', collections: { comments }, layout: indexes(), cursorSecret })
 * ```
 */
export function indexes(): Layout {
  return INDEXES
}

const INDEXES: Layout = Object.freeze<Layout>({
  name: 'indexes',
  capabilities: Object.freeze({
    entries: 'one',
    declaredIndexes: true,
    openFacets: Object.freeze(['oneOf', 'anyOf'] as const),
    orders: 'several',
    optionalFacets: true,
  }),
  of: layoutOf,
})

function layoutOf(collection: Collection): CollectionLayout {
  const declared = facetIndexes(collection)
  const byName = new Map(declared.map((index) => [index.name, index]))
  const indexOf = (list: List): FacetIndex => byName.get(list.index ?? '') as FacetIndex
  const listIn =
    ({ around }: FacetIndex) =>
    ({ partition, sort, ...place }: ListPlace): Pick<List, 'partition' | 'prefix' | 'reversed'> => ({
      partition: partitionKey(around === undefined ? collection : collection.scope, placeText(place), partition),
      prefix: around === 'below' || around === 'above' ? aroundPrefix(around) : sortPrefix(sort),
      ...(around === 'above' ? { reversed: true } : {}),
    })
  const refusedFor = ({ name, around }: FacetIndex): RefusedPath | undefined =>
    around === 'parent'
      ? { index: name, reason: `assembled: it holds each ${collection.name} by itself`, capped: false }
      : undefined
  // A facet's name in a key has no @.
  const isApart = ({ partitionKey }: FacetIndex): boolean => partitionKey.includes('@')
  const lists: Lists = {
    accessPaths(query, known, maxSources) {
      const answers = inOrderOf(declared, query).map(
        (index) => refusedFor(index) ?? accessPath(index, query, known, maxSources, listIn(index)),
      )
      return {
        paths: answers.filter((answer): answer is AccessPath => 'lists' in answer),
        refused: answers.filter((answer): answer is RefusedPath => 'reason' in answer),
      }
    },
    keyConditions: (list, range) => [textKeyCondition(indexOf(list), indexOf(list).order, list, range)],
    positionOf: (list, entry) => textPosition(indexOf(list), indexOf(list).order, list, entry),
  }
  const plainly = inOrderOf(declared, {})
  const assembled = declared.filter(({ around }) => around !== undefined)
  return Object.freeze<CollectionLayout>({
    ...lists,
    indexes: declared,
    keyRules: keyRulesOf(collection, declared),
    carrier: plainly.find((index) => index.sort.length === 0 && !isApart(index)) ?? plainly[0] ?? declared[0],
    alone: declared.filter((index) => isApart(index) && index.around === undefined),
    assemblies: assembled.map((index) => ({
      index: index.name,
      lists: index.around === 'parent' ? undefined : listsWithParent(collection, index, lists),
    })),
    entriesOf: (item, stored) => [entryOf(collection, declared, item, stored)],
  })
}

function entryOf(collection: Collection, declared: readonly FacetIndex[], item: Item, stored: Entry): Entry {
  const { PK, SK } = primaryKey(collection, String(item[collection.id]))
  const keys = Object.entries(indexKeys(collection, declared, item)).map(([name, S]) => [name, { S }])
  return { PK: { S: PK }, SK: { S: SK }, ...stored, ...Object.fromEntries(keys) }
}
