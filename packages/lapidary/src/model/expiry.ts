import type { Collection, Item } from './collection.ts'
import type { Entry, EntryCodec } from './entry.ts'
import { ownValue } from './own-value.ts'
import { isTime } from './position.ts'
import { TTL_ATTRIBUTE } from './reserved-names.ts'

/** Says what is wrong with the time at which an item expires, if anything. Without one the item never expires. */
export function expiryProblem(value: unknown): string | undefined {
  if (value === undefined || value === null || (typeof value === 'string' && isTime(value))) return undefined
  return 'must be an ISO 8601 time in UTC with milliseconds, like 2020-11-09T12:00:00.123Z, or absent'
}

/** Returns the attribute by which DynamoDB removes an item: the second after its expiry, so never too early. */
export function expiryEntry({ expires }: Collection, item: Item): Entry {
  const value = expires === undefined ? undefined : ownValue(item, expires)
  return typeof value === 'string' && isTime(value)
    ? { [TTL_ATTRIBUTE]: { N: String(Math.ceil(Date.parse(value) / 1000)) } }
    : {}
}

/** Makes the test for entries of items that have expired, which DynamoDB removes within days; undefined where items do not expire. */
export function livenessOf(
  { expires }: Collection,
  codec: Pick<EntryCodec, 'storedName'>,
  clock: () => number,
): ((entry: Entry) => boolean) | undefined {
  if (expires === undefined) return undefined
  const name = codec.storedName(expires)
  return (entry) => {
    const value = ownValue(entry, name)?.S
    return value === undefined || !(Date.parse(value) <= clock())
  }
}
