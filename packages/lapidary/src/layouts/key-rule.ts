import { hash } from 'node:crypto'
import type { FacetValue } from '../model/facet.ts'
import type { Around } from '../model/index-declaration.ts'
import type { IdOrder, Order } from '../model/order.ts'

/**
 * How an index's keys are made of an item, as plain data under stored names. It is kept in the table, so that a process keeps the
 * keys of an index that it does not declare itself: one that a newer version added, or that it has itself dropped.
 */
export interface KeyRule {
  /** The index. */
  readonly index: string
  readonly partitionKey: string
  readonly sortKey: string
  /** The name with which every partition begins: the collection's, or that of the parent around which items lie. */
  readonly collection: string
  readonly id: string
  readonly scope: string
  readonly order: Order
  /** Only where ids sort as they are. */
  readonly idOrder?: IdOrder
  /** Facets of the partition key, and of the prefix of the sort key. */
  readonly partition: readonly string[]
  readonly sort: readonly string[]
  /** Of them, those that an item may lack. */
  readonly optional?: readonly string[]
  /** Facets of the index of which an item may have several values, in places of their own: an array, or a path with a separator. */
  readonly each?: Readonly<Record<string, { readonly separator: string | undefined }>>
  /** Of an index of all scopes: over how many partitions they are spread. */
  readonly across?: number
  /** Over how many partitions the lists of a scope are spread. */
  readonly shards?: number
  /** The condition of a sparse index: the values that each of these may have. */
  readonly only: Readonly<Record<string, readonly FacetValue[]>>
  /** Where items lie in an assembled index; of a parent, `scope` is its id. */
  readonly around?: Around
}

/** Whether two rules are of one index and would write its keys to the same attributes. */
export function haveSameKeys(a: KeyRule, b: KeyRule): boolean {
  return a.index === b.index && a.partitionKey === b.partitionKey && a.sortKey === b.sortKey
}

/** What the table has registered goes before a declaration of the same keys: other processes read the index by it. */
export function allRules(declared: readonly KeyRule[], kept: readonly KeyRule[]): readonly KeyRule[] {
  const isKept = (rule: KeyRule): boolean => kept.some((other) => haveSameKeys(rule, other))
  return [...declared.filter((rule) => !isKept(rule)), ...kept]
}

/** A short name for what an index holds: another rule, another digest. The same rule has the same in every process. */
export function ruleDigest(rule: unknown): string {
  return hash('sha256', JSON.stringify(sorted(rule)), 'base64url').slice(0, 16)
}

/** With sorted keys, and undefined ones left out. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([, part]) => part !== undefined)
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, part]) => [name, sorted(part)]))
}
