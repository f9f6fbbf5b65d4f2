import { escapeComponent, unescapeComponent } from './key-text.ts'

/**
 * Keys of what Lapidary keeps beside the items: derived data, checkpoints, leases. Their partitions begin with `~`, and items
 * begin with a name in capitals, so neither an item nor what another program keeps beside one can have such a key.
 */
const DERIVED_PARTITION = /^~([a-z-]+)(?:\.([\w-]+))?#([A-Z][A-Z0-9_]*)#([^#]+)$/

/** The sort key of what stands for a whole partition, or for all of a scope. */
export const WHOLE = '~'

/** Stands for an empty text in a sort key, which may not be empty itself; no escaped text is a single `%`. */
const EMPTY = '%'

/** The partition of one kind of derived data of one scope: `~counts.V1StGXR8_Z#COMMENT#42`. */
export function derivedPartition(kind: string, collection: string, scope: string): string {
  return `${derivedPrefix(kind, collection)}${escapeComponent(scope)}`
}

/** What all partitions of one kind of derived data of a collection begin with: `~counts.V1StGXR8_Z#COMMENT#`. */
export function derivedPrefix(kind: string, collection: string): string {
  return `~${kind}#${collection}#`
}

/** The scope of a partition of derived data; undefined for any other partition. */
export function scopeOfPartition(partition: string): string | undefined {
  const scope = DERIVED_PARTITION.exec(partition)?.[4]
  return scope === undefined ? undefined : unescapeComponent(scope)
}

/** A sort key of escaped texts; `~` for none. */
export function sortKeyOf(texts: readonly string[]): string {
  return texts.length === 0 ? WHOLE : texts.map((text) => text || EMPTY).join('#')
}

/** The escaped texts of a sort key made by {@link sortKeyOf}. */
export function textsOfSortKey(sortKey: string): readonly string[] {
  return sortKey === WHOLE ? [] : sortKey.split('#').map((text) => (text === EMPTY ? '' : text))
}
