import type { Order } from '../model/order.ts'
import { isTableAttribute } from '../model/reserved-names.ts'

/** An attribute of an index's key: `S` holds texts, `N` numbers. */
export interface KeyAttribute {
  readonly name: string
  readonly type: 'S' | 'N'
}

/** A secondary index that the table must have. */
export interface IndexDefinition {
  readonly name: string
  /** One attribute each where a layout makes the keys; up to four each where they are the items' own (multi-attribute keys). */
  readonly keys: { readonly partition: readonly KeyAttribute[]; readonly sort: readonly KeyAttribute[] }
  /** Attributes to project beside the keys; undefined projects everything. */
  readonly include: readonly string[] | undefined
  /** The order of its lists, where the layout declares one. */
  readonly order?: Order
  /** Data beside the keys that decides which entries the index has, in a layout without key rules: other data makes it another index. */
  readonly holds?: unknown
}

/** The key attributes of an index whose keys are texts: a partition, and a sort prefix before the position. */
export interface TextKeys {
  readonly partitionKey: string
  readonly sortKey: string
}

/** An index whose keys are two texts that a layout makes. It can carry lists of other things too. */
export interface TextIndexDefinition extends IndexDefinition, TextKeys {}

/**
 * Defines an index whose keys are texts.
 *
 * @example
 * ```ts run
 * const all = textIndex({ name: 'all', partitionKey: 'k', sortKey: 's', include: undefined })
 * ```
 */
export function textIndex(index: TextKeys & Pick<IndexDefinition, 'name' | 'include' | 'holds'>): TextIndexDefinition {
  const { name, partitionKey, sortKey, include, holds } = index
  const text = (attribute: string): readonly KeyAttribute[] => [{ name: attribute, type: 'S' }]
  return Object.freeze({
    ...{ name, partitionKey, sortKey, include },
    ...(holds === undefined ? {} : { holds }),
    keys: Object.freeze({ partition: text(partitionKey), sort: text(sortKey) }),
  })
}

/** Tells whether the keys of an index are two texts. */
export function isTextIndex(index: IndexDefinition): index is TextIndexDefinition {
  return 'partitionKey' in index
}

/** Returns the key attributes of an index, those of the partition first. */
export function keyAttributes({ keys }: IndexDefinition): readonly KeyAttribute[] {
  return [...keys.partition, ...keys.sort]
}

/** Returns the names of the key attributes of an index by its name; none for the table itself. */
export function keyNamesOf(indexes: readonly IndexDefinition[], index: string | undefined): readonly string[] {
  const definition = indexes.find(({ name }) => name === index)
  return definition === undefined ? [] : keyAttributes(definition).map(({ name }) => name)
}

/** Returns the key attributes that a layout makes; the others are the items' own, which it never changes. */
export function madeKeys(index: IndexDefinition): readonly string[] {
  return keyAttributes(index).flatMap(({ name }) => (isTableAttribute(name) ? [name] : []))
}
