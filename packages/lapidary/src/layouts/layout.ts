import type { Collection, Item } from '../model/collection.ts'
import type { FacetValue } from '../model/facet.ts'
import type { Position } from '../model/position.ts'
import type { Query, Selection } from '../model/query.ts'

/** One list: all items of an index partition, and of one sort prefix where the index has one, in position order. */
export interface List {
  readonly index: string
  /** How the list is called in plans: `42/en/5`. */
  readonly label: string
  /** Value of the index's partition key attribute. */
  readonly partition: string
  /** What every sort key of the list begins with; empty where the index has no sort prefix. */
  readonly prefix: string
  /** The facet values that every item of the list has; facets that are absent vary within it. */
  readonly holds: Selection
}

/** One way to answer a query: the union of the lists, less what the residual filter discards, is the answer. */
export interface AccessPath {
  readonly index: string
  readonly lists: readonly List[]
  /** Facets that the query narrows and the lists do not. */
  readonly residual: Selection
}

/** An index that can't answer a query at a sensible price, and why. */
export interface RefusedPath {
  readonly index: string
  readonly reason: string
  /** Whether it was the cap on sources that refused it. */
  readonly capped: boolean
}

/** Where the values of a facet come from that the query leaves open; undefined when they are not known. */
export type KnownValues = (facet: string) => readonly FacetValue[] | undefined

/** A secondary index as the table has to have it. */
export interface IndexDefinition {
  readonly name: string
  readonly partitionKey: string
  readonly sortKey: string
  /** Attributes to project beside the keys; undefined projects everything. */
  readonly include: readonly string[] | undefined
}

/** Bounds of a read within a list, in positions. Exclusive bounds are positions of items that were seen. */
export interface Bounds {
  readonly lower: { readonly position: Position; readonly inclusive: boolean } | undefined
  readonly upper: { readonly position: Position; readonly inclusive: boolean } | undefined
}

/** A key condition of a Query. */
export interface KeyCondition {
  /** Whether it lets through an item at an exclusive bound; the reader drops it, and reads one more for it. */
  readonly inclusive: boolean
  readonly expression: string
  readonly names: Readonly<Record<string, string>>
  readonly values: Readonly<Record<string, string>>
}

/** How a collection's items are put into lists. */
export interface Layout {
  readonly name: string
  readonly indexes: readonly IndexDefinition[]
  /** The index that also carries lists of other things (index overloading); undefined where none can. */
  readonly overloadable: IndexDefinition | undefined
  /** Index key attributes to store with an item. */
  keysOf(item: Item): Readonly<Record<string, string>>
  /** Every way to answer a query, refused ones with their reason. At most `maxSources` lists in each. */
  accessPaths(
    query: Query,
    known: KnownValues,
    maxSources: number,
  ): { readonly paths: readonly AccessPath[]; readonly refused: readonly RefusedPath[] }
  keyCondition(list: List, bounds: Bounds): KeyCondition
  /** The position of an index entry, given how to read its key attributes. */
  entryPosition(list: List, keyText: (attribute: string) => string | undefined): Position
}

/** Makes the layout of one collection. */
export type LayoutFactory = (collection: Collection) => Layout
