import { escapeComponent, unescapeComponent } from './key-text.ts'

/**
 * Keys of what Lapidary keeps beside the items: derived data, checkpoints, leases. Their partitions begin with `~`, and items begin with a name
 * in capitals, so no item, and nothing that another program keeps beside an item, can have such a key.
 */
const DERIVED_PARTITION = /^~([a-z-]+)(?:\.([\w-]+))?#([A-Z][A-Z0-9_]*)#([^#]+)$/

/** The sort key of an entry that stands for a whole partition, or for all of a scope. */
export const WHOLE = '~'

/** The mark of an empty text in a sort key, which may not be empty itself; no escaped text is a single `%`. */
const EMPTY = '%'

/** Returns the partition of one kind of derived data of one scope: `~counts.V1StGXR8_Z#COMMENT#42`. */
export function derivedPartition(kind: string, collection: string, scope: string): string {
  return `${derivedPrefix(kind, collection)}${escapeComponent(scope)}`
}

/** Returns the prefix of all partitions of one kind of derived data of a collection: `~counts.V1StGXR8_Z#COMMENT#`. */
export function derivedPrefix(kind: string, collection: string): string {
  return `~${kind}#${collection}#`
}

/** Returns the scope of a partition of derived data; undefined for any other partition. */
export function scopeOfPartition(partition: string): string | undefined {
  const scope = DERIVED_PARTITION.exec(partition)?.[4]
  return scope === undefined ? undefined : unescapeComponent(scope)
}

/** Returns a sort key of escaped texts; `~` for none. */
export function sortKeyOf(texts: readonly string[]): string {
  return texts.length === 0 ? WHOLE : texts.map((text) => text || EMPTY).join('#')
}

/** Returns the escaped texts of a sort key made by {@link sortKeyOf}. */
export function textsOfSortKey(sortKey: string): readonly string[] {
  return sortKey === WHOLE ? [] : sortKey.split('#').map((text) => (text === EMPTY ? '' : text))
}
