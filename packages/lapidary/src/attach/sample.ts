import {
  attributeText,
  filledTemplate,
  inCase,
  type KeyTemplate,
  type TemplatePart,
  templateParts,
} from '../layouts/key-templates/key-template.ts'
import type { Collection } from '../model/collection.ts'
import type { Entry } from '../model/entry.ts'
import { shown } from '../model/errors.ts'
import type { Facet } from '../model/facet.ts'
import type { TableDifference } from '../schema/compare-table.ts'
import type { Attachment } from './attachment.ts'

type AttributeType = 'S' | 'N' | 'BOOL'

/** Finds attributes that items of a sample lack, or have with another type than declared: those items are in no index on them. */
export function sampleDifferences(
  { collection, keys = [] }: Attachment,
  items: readonly Entry[],
): readonly TableDifference[] {
  if (items.length === 0) {
    const remedy = 'check its kind and the name of the table; an empty table needs nothing'
    return [{ what: `items of ${collection.name}`, expected: 'some', actual: 'none in the sample', remedy }]
  }
  const ofAttributes = Object.entries(expectedTypes(collection)).flatMap(
    ([attribute, types]): readonly TableDifference[] => {
      const name = collection.attributes?.[attribute]?.name ?? attribute
      const what = `attribute ${name} of ${collection.name}`
      const lacking = items.filter((entry) => entry[name] === undefined).length
      const other = items.filter(
        (entry) => entry[name] !== undefined && !types.some((type) => entry[name]?.[type] !== undefined),
      )
      const expected = types.join(' or ')
      const of = `of ${items.length} items of the sample`
      if (lacking === items.length) {
        const remedy = 'no item has it; check its name in the table, under attributes'
        return [{ what, expected, actual: 'missing', remedy }]
      }
      if (other.length > 0) {
        const remedy =
          'declare the type that items have; no index on it holds these items, and with one DynamoDB refuses writes of another type'
        return [{ what, expected, actual: `another type in ${other.length} ${of}`, remedy }]
      }
      if (lacking > 0) {
        const remedy = 'nothing, if it is meant: these items are in lists that do not filter by it'
        return [{ what, expected, actual: `missing in ${lacking} ${of}`, remedy }]
      }
      return []
    },
  )
  return [...ofAttributes, ...keys.flatMap((template) => keyDifferences(collection, template, items))]
}

/** Finds keys that differ from their template: those items are in other lists, or in none. */
function keyDifferences(
  collection: Collection,
  keys: KeyTemplate,
  items: readonly Entry[],
): readonly TableDifference[] {
  return (['partition', 'sort'] as const).flatMap((key): readonly TableDifference[] => {
    const [name, template] = keys[key]
    const parts = templateParts(template)
    const wrong = items.filter((entry) => {
      const valueText = (attribute: string): string =>
        attributeText(entry[collection.attributes?.[attribute]?.name ?? attribute])
      // An item without the key is not in the index.
      return (
        !(entry[name] === undefined && keys.index !== undefined) &&
        entry[name]?.S !== filledTemplate(keys, key, parts, valueText)
      )
    })
    if (wrong.length === 0) return []
    const remedy = 'check how the other program makes the key; lists are read by the template'
    const actual = `another text in ${wrong.length} of ${items.length} items of the sample, as ${shown(wrong[0]?.[name]?.S)}`
    return [{ what: `key ${name} of ${collection.name}`, expected: template, actual, remedy }]
  })
}

/** Finds items of another kind whose keys lie among those of lists: reads pay for them and pass over them. */
export function strayDifferences(
  { collection, keys = [] }: Attachment,
  others: readonly Entry[],
): readonly TableDifference[] {
  return keys.flatMap(({ partition, sort, casing }): readonly TableDifference[] => {
    const strays = others.filter(
      (entry) =>
        isLike(templateParts(inCase(partition[1], casing?.partition)), entry[partition[0]]?.S) &&
        isLike(templateParts(sort[1]), entry[sort[0]]?.S),
    )
    if (strays.length === 0) return []
    const remedy =
      'nothing, if they are few: lists pass over them, and pay for them; else give them keys that begin otherwise'
    const actual = `${strays.length} items of another kind in the sample among them, as ${shown(strays[0]?.[sort[0]]?.S)}`
    return [{ what: `key ${sort[0]} of ${collection.name}`, expected: sort[1], actual, remedy }]
  })
}

/** Tells whether a key begins as a template does, and has all of its texts. */
function isLike(parts: readonly TemplatePart[], key: string | undefined): boolean {
  let at = 0
  return (
    key !== undefined &&
    parts.every((part, i) => {
      if (!('text' in part)) return true
      const found = key.indexOf(part.text, at)
      at = found + part.text.length
      return i === 0 ? found === 0 : found >= 0
    })
  )
}

function expectedTypes({ id, scope, order, facets }: Collection): Readonly<Record<string, readonly AttributeType[]>> {
  return {
    [id]: ['S'],
    [scope.attribute]: ['S'],
    [order.attribute]: [order.type === 'number' || order.type === 'decimal' ? 'N' : 'S'],
    ...Object.fromEntries(Object.entries(facets).map(([name, facet]) => [name, typesOf(facet)])),
  }
}

const TYPES: Readonly<Record<string, AttributeType>> = { string: 'S', number: 'N', boolean: 'BOOL' }

function typesOf({ values, type = 'string' }: Facet): readonly AttributeType[] {
  const types = values?.flatMap((value) => (value === null ? [] : [typeof value])) ?? [type]
  return [...new Set(types.map((name) => TYPES[name] ?? 'S'))]
}
