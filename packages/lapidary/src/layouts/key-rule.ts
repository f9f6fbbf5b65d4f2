import { hash } from 'node:crypto'
import type { FacetValue } from '../model/facet.ts'
import type { Around } from '../model/index-declaration.ts'
import type { IdOrder, Order } from '../model/order.ts'
import { ownValue } from '../model/own-value.ts'

/**
 * The rule by which an index's keys are made from an item, as plain data under stored names. The table keeps it, so that a process keeps the
 * keys of an index that it does not declare itself: one that a newer version added, or that it has itself dropped.
 */
export interface KeyRule {
  /** The index. */
  readonly index: string
  readonly partitionKey: string
  readonly sortKey: string
  /** The name that every partition begins with: the collection's, or that of the parent around which items lie. */
  readonly collection: string
  readonly id: string
  readonly scope: string
  readonly order: Order
  /** Present only where ids sort as they are. */
  readonly idOrder?: IdOrder
  /** Facets of the partition key, and of the prefix of the sort key, by the names of what their values are made from. */
  readonly partition: readonly string[]
  readonly sort: readonly string[]
  /** The paths among them: the stored name of an attribute, and the names inside of it. */
  readonly paths?: Readonly<Record<string, readonly string[]>>
  /** The facets among them whose values functions make: only processes with the same function can keep the index. */
  readonly computed?: Readonly<Record<string, { readonly facet: string; readonly version: number }>>
  /** The facets among them that an item may lack. */
  readonly optional?: readonly string[]
  /** The facets of the index of which an item may have several values, each in an entry of its own: an array, or a path with a separator. */
  readonly each?: Readonly<Record<string, { readonly separator: string | undefined }>>
  /** The number of partitions over which an index of all scopes is spread. */
  readonly across?: number
  /** The number of partitions over which the lists of a scope are spread. */
  readonly shards?: number
  /** The condition of a sparse index: the values that each of these facets may have. */
  readonly only: Readonly<Record<string, readonly FacetValue[]>>
  /** The part of the items in an assembled index; for a parent, `scope` is its id. */
  readonly around?: Around
}

/** Returns the stored names of the attributes that a rule reads; not those that the function of a computed facet reads. */
export function ruleSources({
  id,
  scope,
  order,
  partition,
  sort,
  only,
  paths = {},
  computed = {},
}: KeyRule): readonly string[] {
  const facets = [...partition, ...sort, ...Object.keys(only)].filter((name) => !Object.hasOwn(computed, name))
  return [id, scope, order.attribute, ...facets.map((name) => ownValue(paths, name)?.[0] ?? name)]
}

/** Tells whether two rules are of one index and would write its keys to the same attributes. */
export function haveSameKeys(a: KeyRule, b: KeyRule): boolean {
  return a.index === b.index && a.partitionKey === b.partitionKey && a.sortKey === b.sortKey
}

/**
 * Returns the rules by which a writer makes keys. The table's registered rule comes before a declaration of the same keys: other processes read
 * the index by it.
 */
export function allRules(declared: readonly KeyRule[], kept: readonly KeyRule[]): readonly KeyRule[] {
  const isKept = (rule: KeyRule): boolean => kept.some((other) => haveSameKeys(rule, other))
  return [...declared.filter((rule) => !isKept(rule)), ...kept]
}

/** Returns a digest of what an index holds: another rule has another digest, and the same rule has the same one in every process. */
export function ruleDigest(rule: unknown): string {
  return hash('sha256', JSON.stringify(withSortedKeys(rule)), 'base64url').slice(0, 16)
}

/** Returns a value with withSortedKeys keys, and without undefined ones. */
function withSortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSortedKeys)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([, part]) => part !== undefined)
  return Object.fromEntries(
    entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, part]) => [name, withSortedKeys(part)]),
  )
}
