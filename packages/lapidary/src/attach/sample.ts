import type { Collection } from '../model/collection.ts'
import type { Entry } from '../model/entry.ts'
import type { Facet } from '../model/facet.ts'
import type { TableDifference } from '../schema/compare-table.ts'
import type { Attachment } from './attachment.ts'

type AttributeType = 'S' | 'N' | 'BOOL'

/** Attributes that items of a sample lack, or have with another type than declared: those items are in no index on them. */
export function sampleDifferences({ collection }: Attachment, items: readonly Entry[]): readonly TableDifference[] {
  if (items.length === 0) {
    const remedy = 'look at its kind and at the name of the table; a table that is still empty needs nothing'
    return [{ what: `items of ${collection.name}`, expected: 'some', actual: 'none in the sample', remedy }]
  }
  return Object.entries(expectedTypes(collection)).flatMap(([attribute, types]): readonly TableDifference[] => {
    const name = collection.attributes?.[attribute]?.name ?? attribute
    const what = `attribute ${name} of ${collection.name}`
    const lacking = items.filter((entry) => entry[name] === undefined).length
    const other = items.filter(
      (entry) => entry[name] !== undefined && !types.some((type) => entry[name]?.[type] !== undefined),
    )
    const expected = types.join(' or ')
    const of = `of ${items.length} items of the sample`
    if (lacking === items.length) {
      const remedy = 'no item has it; look at its name in the table, which attributes gives'
      return [{ what, expected, actual: 'missing', remedy }]
    }
    if (other.length > 0) {
      const remedy =
        'declare its type as it is; no index on it holds these items, and with one DynamoDB refuses writes of another type'
      return [{ what, expected, actual: `another type in ${other.length} ${of}`, remedy }]
    }
    if (lacking > 0) {
      const remedy = 'nothing, if it is meant: these items are in lists that do not filter by it'
      return [{ what, expected, actual: `missing in ${lacking} ${of}`, remedy }]
    }
    return []
  })
}

function expectedTypes({ id, scope, order, facets }: Collection): Readonly<Record<string, readonly AttributeType[]>> {
  return {
    [id]: ['S'],
    [scope.attribute]: ['S'],
    [order.attribute]: [order.type === 'number' ? 'N' : 'S'],
    ...Object.fromEntries(Object.entries(facets).map(([name, facet]) => [name, typesOf(facet)])),
  }
}

const TYPES: Readonly<Record<string, AttributeType>> = { string: 'S', number: 'N', boolean: 'BOOL' }

function typesOf({ values, type = 'string' }: Facet): readonly AttributeType[] {
  const types = values?.flatMap((value) => (value === null ? [] : [typeof value])) ?? [type]
  return [...new Set(types.map((name) => TYPES[name] ?? 'S'))]
}
