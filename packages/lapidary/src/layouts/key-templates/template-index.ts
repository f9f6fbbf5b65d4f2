import type { Collection } from '../../model/collection.ts'
import { LapidaryError, shown } from '../../model/errors.ts'
import type { Order } from '../../model/order.ts'
import { ownValue } from '../../model/own-value.ts'
import type { FacetLists } from '../indexes/access-paths.ts'
import { type KeyTemplate, type TemplatePart, templateParts } from './key-template.ts'

/** Keys of another program, as a declaration reads them. */
export interface TemplateIndex extends FacetLists {
  readonly keys: KeyTemplate
  /** The name of the order of its lists; undefined for the default one. */
  readonly by?: string
  /** The attribute of that order. */
  readonly orderAttribute: string
  readonly partitionParts: readonly TemplatePart[]
  /** The part of the sort key before the position. */
  readonly prefixParts: readonly TemplatePart[]
  /** The text between time and id; undefined where the key ends with the id only. */
  readonly separator: string | undefined
}

/** @throws {LapidaryError} `declaration_invalid` for keys in which items do not stand in one of the collection's orders. */
export function templateIndex(collection: Collection, keys: KeyTemplate): TemplateIndex {
  const { id, idOrder, scope, orders, order: byDefault } = collection
  const name = keys.index ?? 'table'
  const partitionParts = templateParts(keys.partition[1])
  const sortParts = templateParts(keys.sort[1])
  if (idOrder !== 'raw') invalidKeys(name, `sort ids as they are; declare ${collection.name} with idOrder: 'raw'`)
  const facetsOf = (parts: readonly TemplatePart[]): string[] =>
    parts.flatMap((part) => ('text' in part ? [] : [part.attribute]))
  const partition = facetsOf(partitionParts).filter((attribute) => attribute !== scope.attribute)
  if (facetsOf(partitionParts).length !== partition.length + 1)
    invalidKeys(name, `have to name the scope once in the partition key, {${scope.attribute}}`)
  const { prefixParts, order, separator } = placeIn(collection, name, sortParts)
  const sort = facetsOf(prefixParts)
  for (const facet of [...partition, ...sort]) {
    const found = ownValue(collection.facets, facet)
    if (found?.origin !== undefined)
      invalidKeys(name, `name ${facet}, whose values are not in an attribute of that name; leave it out of the keys`)
    if (found === undefined || found.kind === 'eachOf' || facet === id)
      invalidKeys(
        name,
        `name ${shown(facet)}, which is no facet with one value; there are ${Object.keys(collection.facets)}`,
      )
  }
  requireExpressible(name, keys, [scope.attribute, ...partition, ...sort])
  const [by] = Object.entries(orders).find(([, each]) => each === order) ?? []
  const inOrder = order === byDefault || by === undefined ? {} : { by }
  const parts = { partitionParts, prefixParts, separator, orderAttribute: order.attribute }
  return { name, keys, ...inOrder, partition, sort, only: {}, ...parts }
}

/** Reads the end of a sort key: a time and the id, or the id by which lists are ordered. */
function placeIn(
  { id, orders }: Collection,
  name: string,
  parts: readonly TemplatePart[],
): { readonly prefixParts: readonly TemplatePart[]; readonly order: Order; readonly separator: string | undefined } {
  const all = Object.values(orders)
  const last = parts.at(-1)
  if (last !== undefined && 'attribute' in last && last.attribute === id) {
    const byId = all.find(({ attribute }) => attribute === id)
    if (byId?.type === 'string') return { prefixParts: parts.slice(0, -1), order: byId, separator: undefined }
    const before = parts.at(-2)
    const separator = before !== undefined && 'text' in before ? before.text : ''
    const at = parts.length - (separator === '' ? 2 : 3)
    const time = parts[at]
    const order =
      time !== undefined && 'attribute' in time
        ? all.find(({ attribute, type }) => attribute === time.attribute && type === 'time')
        : undefined
    if (order !== undefined) return { prefixParts: parts.slice(0, at), order, separator }
  }
  return invalidKeys(
    name,
    `have to end in the time of an order and the id, as ORDER#{createdAt}#{${id}}, or in the id where lists are ordered by it`,
  )
}

/** Refuses a casing or padding of ids and times: they have to sort as they are, in every list of the collection. */
function requireExpressible(name: string, { casing = {}, padding = {} }: KeyTemplate, values: readonly string[]): void {
  for (const [key, given] of Object.entries(casing) as [string, string][]) {
    if (!['lower', 'upper', 'none'].includes(given))
      invalidKeys(name, `have the casing ${shown(given)}; it is lower, upper or none`)
    if (key !== 'partition' && given !== 'none')
      invalidKeys(
        name,
        `have a casing for ${key}, and only the partition key may have one: in another case, times and ids of a sort key sort in another order. Write it with casing none, or add an index on the attributes themselves`,
      )
  }
  for (const [attribute, { length, char }] of Object.entries(padding)) {
    if (!values.includes(attribute))
      invalidKeys(
        name,
        `have a padding for ${attribute}, and only the scope and the facets in them may have one (${values}): padded ids and times sort in another order`,
      )
    if (!(Number.isInteger(length) && length >= 1 && length <= MOST_PADDING) || [...(char ?? '')].length !== 1)
      invalidKeys(
        name,
        `pad ${attribute} to ${shown(length)} with ${shown(char)}; pad it to 1 to ${MOST_PADDING} characters, with one character`,
      )
  }
}

const MOST_PADDING = 256

function invalidKeys(name: string, message: string): never {
  throw new LapidaryError('declaration_invalid', `the keys of ${name} ${message}`)
}
