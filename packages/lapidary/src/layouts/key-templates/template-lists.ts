import type { Collection } from '../../model/collection.ts'
import { isWanted } from '../../model/condition.ts'
import type { Entry } from '../../model/entry.ts'
import type { FacetValue } from '../../model/facet.ts'
import { compareBytes } from '../../model/key-text.ts'
import { ownValue } from '../../model/own-value.ts'
import { type Bound, HIGHEST, idOfRawKey, isTime, type Position, rawIdKey } from '../../model/position.ts'
import type { Query } from '../../model/query.ts'
import { type IndexDefinition, textIndex } from '../index-definition.ts'
import { accessPath, inOrderOf, type ListValues, pathsOfIndexes } from '../indexes/access-paths.ts'
import type { List, Lists, Membership, RefusedPath } from '../layout.ts'
import { conditionOf } from '../native-keys/native-conditions.ts'
import type { Kind } from '../native-keys/native-indexes.ts'
import type { End } from '../native-keys/neighbours.ts'
import { attributeText, filledTemplate, type KeyTemplate } from './key-template.ts'
import { type TemplateIndex, templateIndex } from './template-index.ts'

/** Lists in keys that another program makes, and the secondary indexes among them. */
export interface TemplateLists extends Lists {
  readonly indexes: readonly IndexDefinition[]
  readonly membership: Membership
  /** Tells whether a list is one of these. */
  owns(list: List): boolean
}

interface TemplateList extends List {
  readonly template: TemplateIndex
  readonly ofScope: string
}

/** @throws {LapidaryError} `declaration_invalid` for keys in which items do not stand in one of the collection's orders. */
export function templateLists(collection: Collection, templates: readonly KeyTemplate[], kind: Kind): TemplateLists {
  const stored = (attribute: string): string => collection.attributes?.[attribute]?.name ?? attribute
  const declared = templates.map((keys) => templateIndex(collection, keys))
  const listIn =
    (template: TemplateIndex) =>
    ({ scope, partition, sort }: ListValues): Omit<TemplateList, 'label' | 'holds'> => {
      const values = new Map<string, FacetValue>([
        [collection.scope.attribute, scope],
        ...template.partition.map((facet, i) => [facet, partition[i] ?? null] as const),
        ...template.sort.map((facet, i) => [facet, sort[i] ?? null] as const),
      ])
      const valueText = (attribute: string): string => String(values.get(attribute))
      return {
        template,
        ofScope: scope,
        index: template.keys.index,
        partition: filledTemplate(template.keys, 'partition', template.partitionParts, valueText),
        prefix: filledTemplate(template.keys, 'sort', template.prefixParts, valueText),
      }
    }
  return {
    indexes: declared.flatMap(({ keys: { index, partition, sort } }) =>
      index === undefined
        ? []
        : [textIndex({ name: index, partitionKey: partition[0], sortKey: sort[0], include: undefined })],
    ),
    owns: (list) => 'template' in list,
    accessPaths(query, _, maxSources) {
      // Another program may store values that the declaration does not know.
      return pathsOfIndexes(
        inOrderOf(declared, query),
        maxSources,
        (index) =>
          refusedTemplate(index, query) ?? accessPath(index, query, () => undefined, maxSources, listIn(index)),
      )
    },
    keyConditions(list, { lower, upper }) {
      const { prefix, template } = list as TemplateList
      const fixed = [{ name: template.keys.partition[0], value: { S: list.partition } }]
      const least = lower === undefined ? { value: prefix, inclusive: true } : endAt(template, prefix, lower, 'before')
      const most =
        upper === undefined ? { value: prefix + ABOVE, inclusive: true } : endAt(template, prefix, upper, 'after')
      return conditionOf(fixed, template.keys.sort[0], least, most)
    },
    positionOf: templatePosition,
    membership: {
      // Values may hold the texts that stand between them in keys, so other values may make the same key.
      has(list, entry) {
        const { template, ofScope, holds } = list as TemplateList
        const { order, id } = templatePosition(list, entry)
        return (
          Object.entries(kind).every(([name, text]) => ownValue(entry, name)?.S === text) &&
          attributeText(entry[stored(collection.scope.attribute)]) === ofScope &&
          Object.entries(holds).every(([facet, [value]]) => facetValue(entry[stored(facet)]) === value) &&
          attributeText(entry[stored(template.orderAttribute)]) === order &&
          rawIdKey(attributeText(entry[stored(collection.id)])) === id
        )
      },
      names(list) {
        const { keys, partition, sort, orderAttribute } = (list as TemplateList).template
        const told = [collection.id, collection.scope.attribute, orderAttribute, ...partition, ...sort]
        return [keys.partition[0], keys.sort[0], ...Object.keys(kind), ...told.map(stored)]
      },
    },
  }
}

function facetValue(value: Entry[string] | undefined): FacetValue | undefined {
  return value?.S ?? value?.BOOL ?? (value?.N === undefined ? undefined : Number(value.N))
}

/** The length of an ISO 8601 time in UTC with milliseconds: all have it, so they sort as times do, whatever follows them. */
const TIME_LENGTH = 24

/**
 * A mark that no id key begins with, for the keys of items of another kind, which end otherwise than the template. Their positions sort among
 * those of items as their keys do, so that a list can go on from them. {@link HIGHEST} is the mark above all ids.
 */
const LOWEST = '\0'

/** A text above every key with a prefix: an id may itself begin with the highest code point. */
const ABOVE = HIGHEST.repeat(16)

function templatePosition(list: List, entry: Entry): Position {
  const { prefix, template } = list as TemplateList
  const { separator, keys } = template
  const rest = (entry[keys.sort[0]]?.S ?? '').slice(prefix.length)
  if (separator === undefined) return { order: rest, id: rawIdKey(rest) }
  const order = rest.slice(0, TIME_LENGTH)
  if (!isTime(order)) return { order: rest, id: LOWEST }
  const behind = rest.slice(TIME_LENGTH)
  const isBelow = compareBytes(behind, separator) <= 0
  if (isBelow || !behind.startsWith(separator)) return { order, id: `${isBelow ? LOWEST : HIGHEST}${behind}` }
  return { order, id: rawIdKey(behind.slice(separator.length)) }
}

/** Returns the end among sort keys that a bound stands for. */
function endAt({ separator }: TemplateIndex, prefix: string, bound: Bound, inclusive: Bound['side']): End {
  const behind = separator === undefined ? '' : behindTime(separator, bound)
  return { value: `${prefix}${bound.order}${behind}`, inclusive: bound.side === inclusive }
}

/** Returns the part of a bound behind its time. A bound that was made in keys with another separator stays on its side of all ids. */
function behindTime(separator: string, { id, side }: Bound): string {
  const aboveIds = `${separator}${ABOVE}`
  if (id === undefined) return side === 'after' ? aboveIds : ''
  if (id.startsWith(LOWEST)) return [id.slice(LOWEST.length), separator].sort(compareBytes)[0] ?? ''
  if (id.startsWith(HIGHEST)) return [id.slice(HIGHEST.length), aboveIds].sort(compareBytes)[1] ?? ''
  return `${separator}${idOfRawKey(id)}`
}

/** Refuses a query for items without a value: how another program writes such a key is not known. */
function refusedTemplate({ name, partition, sort }: TemplateIndex, { where }: Query): RefusedPath | undefined {
  const facet = [...partition, ...sort].find((each) => Object.hasOwn(where, each) && isWanted(where[each] ?? [], null))
  if (facet === undefined) return undefined
  return { index: name, refusal: { kind: 'key', facet, without: 'null' } }
}
