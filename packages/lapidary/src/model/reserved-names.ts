/** Attributes that the table keeps beside an item's own: keys, index keys (`k…`, `s…`), expiry, mark, internal version. */
const TABLE_ATTRIBUTE = /^(PK|SK|ttl|auto|~v|[ks]([.@].*)?)$/

/** The internal version of every item, whether its collection declares a version of its own or not. */
export const INTERNAL_VERSION = '~v'

/** The attribute that marks a further entry, as against the item itself. */
export const DUPLICATE_MARK = 'auto'

/** Tells whether a stored name belongs to the table and holds nothing of an item. */
export function isTableAttribute(name: string): boolean {
  return TABLE_ATTRIBUTE.test(name)
}

/** The attribute by which DynamoDB removes what has expired. */
export const TTL_ATTRIBUTE = 'ttl'

/** Attributes of an item that a codec has packed: those that lists show, and those that only a look-up shows. */
export const PACKED_FOR_LISTS = '~p'
export const PACKED_FOR_LOOKUP = '~q'
export const PACKED_NAMES: readonly string[] = [PACKED_FOR_LISTS, PACKED_FOR_LOOKUP]

/** A name that SDKs lose, since they assign what DynamoDB answers to objects by name. */
export const LOST_NAME = '__proto__'

/** Tells whether no attribute of an item may have a stored name. */
export function isReservedName(name: string): boolean {
  return isTableAttribute(name) || PACKED_NAMES.includes(name) || name === LOST_NAME || name === ''
}

/** Says why a name is reserved, as the end of a sentence: which… */
export function reservedReason(name: string): string {
  if (name === '') return 'DynamoDB does not take'
  return name === LOST_NAME ? 'SDKs lose when they read it' : 'the table uses itself'
}
