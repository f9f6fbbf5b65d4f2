/** Attributes that the table keeps beside an item's own: keys, index keys (`k…`, `s…`), expiry, mark, internal version. */
const TABLE_ATTRIBUTE = /^(PK|SK|ttl|auto|~v|[ks](\..*|@.*)?)$/

/** The internal version of items whose collection declares no version attribute. */
export const INTERNAL_VERSION = '~v'

/** Marks a duplicate, as against the item itself. */
export const DUPLICATE_MARK = 'auto'

/** Whether a stored name belongs to the table, so that no item may use it. */
export function isTableAttribute(name: string): boolean {
  return TABLE_ATTRIBUTE.test(name)
}

/** The attribute by which DynamoDB removes what has expired. */
export const TTL_ATTRIBUTE = 'ttl'
