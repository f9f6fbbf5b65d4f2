import type { Collection } from '../../model/collection.ts'
import { LapidaryError } from '../../model/errors.ts'
import type { FacetValue } from '../../model/facet.ts'
import { byteLength, escapeComponent } from '../../model/key-text.ts'
import type { Order } from '../../model/order.ts'
import { facetText } from '../../model/query.ts'

/** DynamoDB's caps on keys, in bytes. */
export const LONGEST_SORT_KEY = 1024
export const LONGEST_PARTITION_KEY = 2048
/** The most bytes of a page's bound beyond the key that it is at. */
export const BOUND_BYTES = 4
/** Bytes of the longest position: an order text of 256 or a time or number, and a short id. */
const LONGEST_POSITION: Readonly<Record<Order['type'], number>> = {
  string: 256 + 1 + 64,
  time: 24 + 1 + 64,
  number: 96,
  decimal: 43 + 1 + 64,
}

/** @throws {LapidaryError} `declaration_invalid` for facets in a sort key whose declared values make keys that DynamoDB would refuse. */
export function requireShortKeys(
  { facets }: Pick<Collection, 'facets'>,
  { name, sort, order }: { readonly name: string; readonly sort: readonly string[]; readonly order: Order },
): void {
  const lengthOf = (value: FacetValue): number => byteLength(escapeComponent(facetText(value))) + 1
  const prefix = sort.map((facet) => Math.max(0, ...(facets[facet]?.values ?? []).map(lengthOf)))
  const bytes = prefix.reduce((sum, each) => sum + each, 0) + LONGEST_POSITION[order.type]
  if (bytes <= LONGEST_SORT_KEY) return
  throw new LapidaryError(
    'declaration_invalid',
    `index ${name} has ${sort.join(', ')} in its sort key, which makes keys of up to ${bytes} bytes, and DynamoDB takes ${LONGEST_SORT_KEY}; declare shorter values, or put facets into the partition, which takes ${LONGEST_PARTITION_KEY}`,
  )
}
