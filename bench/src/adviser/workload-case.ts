import type { Collection, FacetValue, Item } from 'lapidary'
import type { QueryShare, ScopeShare, Workload, WriteShares } from 'lapidary-adviser'

/** A collection, what is asked of it, and items of the kind that the workload says. */
export interface WorkloadCase {
  readonly collection: Collection
  readonly workload: Workload & {
    readonly writes: WriteShares
    readonly queries: readonly QueryShare[]
    readonly scopes: readonly ScopeShare[]
  }
  /** An item of a scope, at random. */
  item(number: number, scope: string): Item
  /** A value of a facet other than an item's, by how many items have it. */
  otherValue(facet: string, value: unknown): FacetValue
}

/** Values with the share of items that has each. */
export type Shares = readonly (readonly [FacetValue, number])[]

/** Numbers, and picks by share, of one seed. */
export interface Draw {
  between(low: number, high: number): number
  whole(low: number, high: number): number
  /** So many shares that add up to 1. */
  shares(count: number): readonly number[]
  pick<T>(from: readonly (readonly [T, number])[]): T
}

export function drawFrom(random: () => number): Draw {
  const between = (low: number, high: number): number => low + random() * (high - low)
  return {
    between,
    whole: (low, high) => Math.floor(between(low, high + 1)),
    shares(count) {
      const weights = Array.from({ length: count }, () => between(0.1, 1) ** 2)
      const sum = weights.reduce((a, b) => a + b, 0)
      return weights.map((weight) => weight / sum)
    },
    pick<T>(from: readonly (readonly [T, number])[]): T {
      let place = random() * from.reduce((sum, [, share]) => sum + share, 0)
      for (const [value, share] of from) {
        place -= share
        if (place < 0) return value
      }
      return (from.at(-1) as readonly [T, number])[0]
    },
  }
}

/** Ids as long as those of typical items. */
export function idOf(number: number): string {
  return `01JXB0QR1RYGA95JZ7Q6P${String(number).padStart(5, '0')}`
}

/** A text that brings an item to so many bytes, as it is stored. */
export function filling(
  { attributes }: Collection,
  item: Item,
  attribute: string,
  itemBytes: number,
): Readonly<Record<string, string>> {
  const nameBytes = (name: string): number => (attributes?.[name]?.name ?? name).length
  const beside = Object.entries(item).reduce((sum, [name, value]) => sum + nameBytes(name) + valueBytes(value), 0)
  return { [attribute]: 'x'.repeat(Math.max(1, Math.round(itemBytes) - beside - nameBytes(attribute))) }
}

/** Counts the bytes of a value by DynamoDB's rule. */
function valueBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value)
  if (Array.isArray(value)) return value.reduce((sum, each) => sum + 1 + valueBytes(each), 3)
  return typeof value === 'number' ? Math.ceil(String(value).length / 2) + 1 : 1
}
