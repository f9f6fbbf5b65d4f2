import type { Collection } from '../../model/collection.ts'
import type { Entry } from '../../model/entry.ts'
import { LapidaryError, shown } from '../../model/errors.ts'
import { declaredValues, listedFacets } from '../../model/facet.ts'
import { indexInOrder } from '../../model/index-declaration.ts'
import { escapeComponent } from '../../model/key-text.ts'
import { knownOptions, type OptionNames } from '../../model/known-options.ts'
import { furtherOrders } from '../../model/order.ts'
import { hasPosition, positionOf } from '../../model/position.ts'
import { EVERY_SCOPE, knownSelection } from '../../model/query.ts'
import { allNames, shownNames } from '../../model/shown-names.ts'
import { primaryKey } from '../../model/stored-item.ts'
import { copiedEntry, FURTHER } from '../further-entries.ts'
import { textIndex } from '../index-definition.ts'
import type { CollectionLayout, Layout, List } from '../layout.ts'
import { requireOneValue } from '../one-value.ts'
import { positionText } from '../position-text.ts'
import { textKeyCondition, textPosition } from '../text-keys.ts'
import { requireFeasible } from './feasible.ts'
import { keyParts, type ListPart, type SetKeys } from './sets.ts'

/** Options of the power-set layout. */
export interface PowerSetOptions {
  /** The form of a set of values in keys: `1.2.5`, or the bit mask `19`. `text` when not given. */
  readonly sets?: SetKeys
  /**
   * The attributes that a duplicate holds: with `compact` its keys and what lists show, with `whole` also what only a look-up shows. `compact`
   * when not given; pages are the same.
   */
  readonly duplicates?: 'compact' | 'whole'
  /**
   * The writer of the duplicates: with `write` each write of an item, in one transaction of at most 100 entries; with `stream` the runner of the
   * change stream. `write` when not given.
   */
  readonly kept?: 'write' | 'stream'
}

const NAMES: OptionNames<PowerSetOptions> = { sets: true, duplicates: true, kept: true }

/**
 * Makes the layout in which every query is one list: an item is duplicated for each set of values that contains its own, for its one value of a
 * `oneOf` facet and for any.
 *
 * @throws {LapidaryError} `declaration_invalid` for a collection whose power set is not feasible, with the numbers.
 * @example
 * ```ts run
 * const lapidary = createLapidary({ client, tableName, collections: { comments }, layout: powerSet(), cursorSecret })
 * ```
 */
export function powerSet(options: PowerSetOptions = {}): Layout {
  const {
    sets = 'text',
    duplicates = 'compact',
    kept = 'write',
  } = knownOptions('powerSet', options, NAMES, 'declaration_invalid')
  requireChoice('sets', sets, ['text', 'mask'])
  requireChoice('duplicates', duplicates, ['compact', 'whole'])
  requireChoice('kept', kept, ['write', 'stream'])
  return Object.freeze<Layout>({
    name: 'power-set',
    capabilities: Object.freeze({
      declaredIndexes: false,
      openFacets: Object.freeze(['oneOf'] as const),
      orders: 'several',
      optionalFacets: true,
      eachOfFacets: false,
    }),
    of: (collection) => powerSetLayout(collection, { sets, duplicates, kept }),
  })
}

function requireChoice(name: string, given: string, allowed: readonly string[]): void {
  if (allowed.includes(given)) return
  throw new LapidaryError(
    'declaration_invalid',
    `powerSet({ ${name} }) is ${shown(given)}; it is one of ${allowed.join(', ')}`,
  )
}

/** The partition key of every index: the lists of each order hold the same items. */
const PARTITION_KEY = 'k.lists'

function powerSetLayout(
  collection: Collection,
  { sets, duplicates, kept }: Required<PowerSetOptions>,
): CollectionLayout {
  requireOneValue(collection, 'a power set')
  requireFeasible(collection, kept, sets)
  const { name, facets } = collection
  const parts = keyParts(collection, sets)
  const include = shownNames(collection)
  const copyOf = copiedEntry(collection, duplicates === 'compact' ? include : allNames(collection))
  const listed = listedFacets(facets)
  const declared = Object.entries(listed).map(([facet, of]) => ({ facet, kind: of.kind, values: declaredValues(of) }))
  const holds = { sets, facets: declared }
  const index = textIndex({ name: 'lists', partitionKey: PARTITION_KEY, sortKey: 's.lists', include, holds })
  const further = furtherOrders(collection).map(([by, order]) => {
    const stored = escapeComponent(collection.attributes?.[order.attribute]?.name ?? order.attribute)
    const keys = { name: indexInOrder(index.name, by), partitionKey: PARTITION_KEY, sortKey: `s.~${stored}.lists` }
    return {
      by,
      order,
      index: Object.freeze({ ...textIndex({ ...keys, include, holds: { ...holds, order } }), order }),
    }
  })
  const indexes = [{ by: undefined, order: collection.order, index }, ...further]
  const inList = ({ index: name }: List): (typeof indexes)[number] =>
    indexes.find(({ index }) => index.name === name) as (typeof indexes)[number]
  const partition = (scope: string, keys: readonly string[]): string =>
    [name, escapeComponent(scope), ...keys].join('/')
  return Object.freeze<CollectionLayout>({
    indexes: indexes.map((each) => each.index),
    carrier: index,
    entries: kept === 'write' ? 'many' : 'one',
    duplicates: Object.freeze({ kept, owns: (sortKey: string) => sortKey.startsWith(FURTHER) }),
    entriesOf(item, stored) {
      const { PK, SK } = primaryKey(collection, String(item[collection.id]))
      const scope = String(item[collection.scope.attribute])
      const positions = indexes.flatMap(({ by, order, index: { sortKey } }) =>
        by === undefined || hasPosition(order, item)
          ? [[sortKey, { S: positionText(order, positionOf({ ...collection, order }, item)) }] as const]
          : [],
      )
      const keys = (lists: readonly ListPart[]): Entry => ({
        [PARTITION_KEY]: {
          S: partition(
            scope,
            lists.map(({ list }) => list),
          ),
        },
        ...Object.fromEntries(positions),
      })
      const [first, ...others] = listsOfItem(parts.map((part) => part.partsOf(item)))
      const primary = { PK: { S: PK }, SK: { S: SK }, ...stored }
      if (first === undefined) return [primary]
      const copy = copyOf(item, stored)
      return [
        { ...primary, ...keys(first) },
        ...others.map((lists) => ({
          // The rest names the list, except for the values of `oneOf` facets.
          ...{ PK: { S: PK }, SK: { S: FURTHER + lists.map(({ entry }) => entry).join('/') } },
          ...copy,
          ...keys(lists),
        })),
      ]
    },
    accessPaths({ scope, where, by }) {
      const index = indexes.find((each) => each.by === by)?.index.name ?? ''
      if (scope === EVERY_SCOPE) {
        return { paths: [], refused: [{ index, refusal: { kind: 'scope', lists: 'one' } }] }
      }
      const holds = Object.fromEntries(
        Object.entries(knownSelection(where)).filter(([facet]) => Object.hasOwn(listed, facet)),
      )
      const keys = parts.map((part) => part.partFor(holds))
      const list: List = Object.freeze({
        index,
        label: [escapeComponent(scope), ...keys].join('/'),
        partition: partition(scope, keys),
        prefix: '',
        holds,
      })
      const residual = Object.fromEntries(Object.entries(where).filter(([facet]) => !Object.hasOwn(holds, facet)))
      return { paths: [{ index, lists: [list], residual }], refused: [] }
    },
    keyConditions: (list, range) => [textKeyCondition(inList(list).index, inList(list).order, list, range)],
    positionOf: (list, entry) => textPosition(inList(list).index, inList(list).order, list, entry),
  })
}

/** Returns every list that an item is in: one part for each facet, the parts of all items first. */
function listsOfItem(choices: readonly (readonly ListPart[])[]): readonly (readonly ListPart[])[] {
  return choices.reduce<readonly (readonly ListPart[])[]>(
    (lists, parts) => lists.flatMap((list) => parts.map((part) => [...list, part])),
    [[]],
  )
}
