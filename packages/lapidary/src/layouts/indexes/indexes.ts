import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import type { Collection, Item } from '../../model/collection.ts'
import type { Entry } from '../../model/entry.ts'
import { LapidaryError, shown } from '../../model/errors.ts'
import { heldValue, withHeldValues } from '../../model/facet-origin.ts'
import { shownNames } from '../../model/shown-names.ts'
import { primaryKey } from '../../model/stored-item.ts'
import { copiedEntry, FURTHER } from '../further-entries.ts'
import { allRules, type KeyRule } from '../key-rule.ts'
import type { CollectionLayout, Duplicates, Layout, List, Lists, RefusedPath } from '../layout.ts'
import { textKeyCondition, textPosition } from '../text-keys.ts'
import { accessPath, inOrderOf, type ListValues, pathsOfIndexes } from './access-paths.ts'
import { aroundPrefix, listsWithParent } from './around.ts'
import type { IndexFacets } from './entry-values.ts'
import {
  type FacetIndex,
  facetIndexes,
  indexKeys,
  keyRulesOf,
  partitionKey,
  scopeText,
  sortPrefix,
} from './index-keys.ts'
import { furtherKeys } from './rule-keys.ts'

/**
 * Makes the default layout: lists are partitions of secondary indexes on subsets of the facets. DynamoDB keeps them, so they can't drift.
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
    declaredIndexes: true,
    openFacets: Object.freeze(['oneOf', 'anyOf', 'eachOf'] as const),
    orders: 'several',
    optionalFacets: true,
    eachOfFacets: true,
  }),
  of: indexesLayout,
})

function indexesLayout(collection: Collection): CollectionLayout {
  const declared = facetIndexes(collection)
  const byName = new Map(declared.map((index) => [index.name, index]))
  const indexOf = (list: List): FacetIndex => byName.get(list.index ?? '') as FacetIndex
  const lists: Lists = {
    accessPaths(query, known, maxSources) {
      return pathsOfIndexes(inOrderOf(declared, query), maxSources, (index) =>
        index.around === 'parent'
          ? refusedIndex(collection, index)
          : accessPath(index, query, known, maxSources, (values) => listIn(collection, index, values)),
      )
    },
    keyConditions: (list, range) => [textKeyCondition(indexOf(list), indexOf(list).order, list, range)],
    positionOf: (list, entry) => textPosition(indexOf(list), indexOf(list).order, list, entry),
  }
  const rules = keyRulesOf(collection, declared)
  const plainly = inOrderOf(declared, {})
  const assembled = declared.filter(({ around }) => around !== undefined)
  const layout: CollectionLayout = Object.freeze<CollectionLayout>({
    ...lists,
    indexes: declared,
    keyRules: rules,
    ...writtenBy(collection, declared, rules),
    keeping: (kept) =>
      kept.some(isKeyedByEach) ? { ...layout, ...writtenBy(collection, declared, allRules(rules, kept)) } : layout,
    carrier: plainly.find((index) => index.sort.length === 0 && !isApart(index)) ?? plainly[0] ?? declared[0],
    alone: declared.filter((index) => isApart(index) && index.around === undefined && !isKeyedByEach(index)),
    assemblies: assembled.map((index) => ({
      index: index.name,
      lists: index.around === 'parent' ? undefined : listsWithParent(collection, index, lists),
    })),
  })
  return layout
}

function listIn(
  { name, scope }: Collection,
  { around }: FacetIndex,
  { partition, sort, ...scoped }: ListValues,
): Pick<List, 'partition' | 'prefix' | 'reversed'> {
  return {
    partition: partitionKey(around === undefined ? { name } : scope, scopeText(scoped), partition),
    prefix: around === 'below' || around === 'above' ? aroundPrefix(around) : sortPrefix(sort),
    ...(around === 'above' ? { reversed: true } : {}),
  }
}

function refusedIndex({ name: collection }: Collection, { name: index }: FacetIndex): RefusedPath {
  return { index, refusal: { kind: 'assembled', collection } }
}

/** Tells whether an index has keys of its own: a facet's name in a key has no `@`. */
function isApart({ partitionKey }: FacetIndex): boolean {
  return partitionKey.includes('@')
}

/** Returns the entries of an item, by the rules of all indexes. */
function writtenBy(
  collection: Collection,
  declared: readonly FacetIndex[],
  rules: readonly KeyRule[],
): Pick<CollectionLayout, 'entries' | 'duplicates' | 'entriesOf'> {
  const primaryOf = (item: Item, stored: Entry): Entry =>
    entryOf(collection, declared, withHeldValues(collection.facets, item), stored)
  if (!rules.some(isKeyedByEach)) return { entries: 'one', entriesOf: (...of) => [primaryOf(...of)] }
  const copyOf = copiedEntry(collection, shownNames(collection))
  return {
    entries: 'many',
    duplicates: FURTHER_ENTRIES,
    entriesOf(item, stored) {
      const primary = primaryOf(item, stored)
      return [primary, ...furtherEntries(collection, rules, item, primary, copyOf(item, stored))]
    },
  }
}

/** Tells whether an item may be in an index several times. */
function isKeyedByEach({ partition, sort, each = {} }: IndexFacets): boolean {
  return [...partition, ...sort].some((facet) => Object.hasOwn(each, facet))
}

const FURTHER_ENTRIES: Duplicates = Object.freeze({
  kept: 'write',
  owns: (sortKey: string) => sortKey.startsWith(FURTHER),
})

/** The most further entries: with as many that are deleted, they fit into one transaction. */
const MOST_FURTHER = 49

/**
 * Makes an entry for each of an item's values in an index beyond the first, with the keys of that index only: an item has several entries where
 * it has several values of an `eachOf` facet.
 */
function furtherEntries(
  { name, id, facets }: Collection,
  rules: readonly KeyRule[],
  item: Item,
  primary: Entry,
  copy: Entry,
): readonly Entry[] {
  const further = [...furtherKeys(rules, primary, { heldValue: (_, facet) => heldValue(item, facet, facets[facet]) })]
  if (further.length > MOST_FURTHER) {
    throw new LapidaryError(
      'unprocessable',
      `the ${name} ${shown(item[id])} would be in ${further.length + 1} lists by the values of its eachOf facets together, and at most ${MOST_FURTHER + 1} are kept; give it fewer values, or leave indexes on two such facets out of the declaration`,
    )
  }
  return further.map(([SK, keys]) => ({
    ...{ PK: primary.PK as AttributeValue, SK: { S: SK } },
    ...copy,
    ...Object.fromEntries(Object.entries(keys).map(([name, S]) => [name, { S }])),
  }))
}

function entryOf(collection: Collection, declared: readonly FacetIndex[], item: Item, stored: Entry): Entry {
  const { PK, SK } = primaryKey(collection, String(item[collection.id]))
  const keys = Object.entries(indexKeys(collection, declared, item)).map(([name, S]) => [name, { S }])
  return { PK: { S: PK }, SK: { S: SK }, ...stored, ...Object.fromEntries(keys) }
}
