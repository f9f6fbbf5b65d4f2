import { type Bound, type Collection, type Entry, type FacetValue, LapidaryError, type Range } from 'lapidary'
import {
  type AccessPath,
  type CollectionLayout,
  compareBounds,
  escapeComponent,
  facetValuesOf,
  knownSelection,
  type Layout,
  type List,
  positionOf,
  positionText,
  primaryKey,
  textIndex,
  textKeyCondition,
  textPosition,
} from 'lapidary/layouts'

/** All lists are partitions of one index. */
const LISTS = textIndex({
  name: 'lists',
  partitionKey: 'k.lists',
  sortKey: 's.lists',
  include: undefined,
})

/** Somewhere in the middle of each order, where every read is cut in two. */
const MIDDLES: Readonly<Record<string, string | number>> = {
  ...{ time: '2020-01-01T00:00:00.000Z', number: 0, string: 'a' },
  decimal: positionOf({ id: 'id', order: { attribute: 'at', type: 'decimal' } }, { id: '1', at: '0' }).order,
}

/**
 * A layout as somebody else might write it, unlike the library's own in all that the interface allows: an item has an entry
 * for each of its facets' values beside the primary one, all in one index, indexes can't be declared, and a list is read with
 * two key conditions.
 */
export function manyEntries(): Layout {
  return {
    name: 'many-entries',
    capabilities: {
      declaredIndexes: false,
      openFacets: ['oneOf', 'anyOf', 'eachOf'],
      optionalFacets: true,
      eachOfFacets: true,
    },
    of: layoutOf,
  }
}

function layoutOf(collection: Collection): CollectionLayout {
  const facets = Object.keys(collection.facets)
  if (facets.length > 50) throw new LapidaryError('declaration_invalid', `${facets.length} facets are too many`)
  const partition = (scope: string, facet?: string, value?: FacetValue): string =>
    [
      collection.name,
      escapeComponent(scope),
      ...(facet === undefined ? [] : [escapeComponent(facet), escapeComponent(String(value))]),
    ].join('/')
  const list = (scope: string, facet?: string, value?: FacetValue): List => ({
    index: LISTS.name,
    label: partition(scope, facet, value),
    partition: partition(scope, facet, value),
    prefix: '',
    holds: facet === undefined ? {} : { [facet]: [value as FacetValue] },
  })
  return {
    indexes: [LISTS],
    carrier: LISTS,
    entries: 'many',
    entriesOf(item, stored) {
      const scope = String(item[collection.scope.attribute])
      const { PK, SK } = primaryKey(collection, String(item[collection.id]))
      const entry = (sortKey: string, partitionKey: string): Entry => ({
        ...stored,
        ...{ PK: { S: PK }, SK: { S: sortKey } },
        [LISTS.partitionKey]: { S: partitionKey },
        [LISTS.sortKey]: { S: positionText(collection.order, positionOf(collection, item)) },
      })
      const copies = facets.flatMap((facet) =>
        facetValuesOf(item, facet, collection.facets[facet]).map((value) =>
          entry(`${escapeComponent(facet)}/${escapeComponent(String(value))}`, partition(scope, facet, value)),
        ),
      )
      return [entry(SK, partition(scope)), ...copies]
    },
    accessPaths({ scope, where }, _, maxSources) {
      const everything: AccessPath = { index: LISTS.name, lists: [list(scope)], residual: where }
      const byFacet = Object.entries(knownSelection(where))
        .filter(([, values]) => values.length <= maxSources)
        .map(([facet, values]): AccessPath => {
          const { [facet]: _own, ...residual } = where
          return { index: LISTS.name, lists: values.map((value) => list(scope, facet, value)), residual }
        })
      return { paths: [everything, ...byFacet], refused: [] }
    },
    keyConditions: (of, range) =>
      halves(range, MIDDLES[collection.order.type] ?? '').map((half) =>
        textKeyCondition(LISTS, collection.order, of, half),
      ),
    positionOf: (of, entry) => textPosition(LISTS, collection.order, of, entry),
  }
}

/** A range as two, where it goes across the middle. */
function halves(range: Range, middle: string | number): readonly Range[] {
  const bound: Bound = { order: middle, id: 'b', side: 'before' }
  const isBelow = range.lower !== undefined && compareBounds(range.lower, bound) >= 0
  const isAbove = range.upper !== undefined && compareBounds(range.upper, bound) <= 0
  return isBelow || isAbove
    ? [range]
    : [
        { ...range, upper: bound },
        { ...range, lower: bound },
      ]
}
