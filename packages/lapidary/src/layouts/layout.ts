import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import type { Collection, Item } from '../model/collection.ts'
import type { Entry } from '../model/entry.ts'
import type { Facet, FacetValue } from '../model/facet.ts'
import type { Position, Range } from '../model/position.ts'
import type { Filter, Query, Selection } from '../model/query.ts'
import type { IndexDefinition, TextIndexDefinition } from './index-definition.ts'
import type { KeyRule } from './key-rule.ts'
import type { Refusal } from './refusal.ts'

/** One list: all items of an index partition, and of one sort prefix where the index has one, in position order. */
export interface List {
  /** The index; undefined for a list in the table itself. */
  readonly index: string | undefined
  /** The name of the list in plans: `42/en/5`. */
  readonly label: string
  /** The value of the partition key. */
  readonly partition: string
  /** The prefix of every sort key of the list; empty where the index has no sort prefix. */
  readonly prefix: string
  /** The facet values that every item of the list has; facets that are absent vary within it. */
  readonly holds: Selection
  /** The share of the items that `holds` describes that are in this list, where items are spread over several lists; 1 when absent. */
  readonly part?: number
  /** The scope of its items, where a query names several scopes. */
  readonly scope?: string
  /** Whether its sort keys descend as positions ascend. */
  readonly reversed?: boolean
  /** The part of its index partition that it is, where that is a range of positions; all when absent. */
  readonly within?: Range
}

/** One way to answer a query: the union of the lists, less what the residual filter discards, is the answer. */
export interface AccessPath {
  readonly index: string
  readonly lists: readonly List[]
  /** Facets that the query narrows and the lists do not. */
  readonly residual: Filter
}

/** An index that can't answer a query at a sensible price, and why. */
export interface RefusedPath {
  readonly index: string
  readonly refusal: Refusal
}

/** Every way to answer a query, and the refused ones. */
export interface AccessPaths {
  readonly paths: readonly AccessPath[]
  readonly refused: readonly RefusedPath[]
}

/** Returns the values of a facet that the query leaves open; undefined when they are not known. */
export type KnownValues = (facet: string) => readonly FacetValue[] | undefined

/** A key condition of a Query. */
export interface KeyCondition {
  readonly expression: string
  readonly names: Readonly<Record<string, string>>
  readonly values: Readonly<Record<string, AttributeValue>>
}

/** Lists that can be planned and read: those of a collection's items, or those of derived data such as leaderboards. */
export interface Lists {
  /** Returns every way to answer a query, with at most `maxSources` lists each, and the refused ones with the reason. */
  accessPaths(query: Query, known: KnownValues, maxSources: number): AccessPaths
  /**
   * Returns the conditions that together read a list within a range, in ascending order: one, or two where keys are raw attributes and a bound
   * is among items of the same order value.
   */
  keyConditions(list: List, range: Range): readonly KeyCondition[]
  /** Returns the position of an entry of a list, which may hold only the key attributes. */
  positionOf(list: List, entry: Entry): Position
  /** The test for a list's own items, where items of another kind may lie among its keys. All are its own when not given. */
  readonly membership?: Membership
}

/** The test that tells the items of lists from others that are read with them and passed over. */
export interface Membership {
  /** Tells whether an entry that was read is an item of the list. */
  has(list: List, entry: Entry): boolean
  /** Returns the stored names of the attributes that the test and the position need. */
  names(list: List): readonly string[]
}

/** An index in which a collection's items lie around their parent. */
export interface Assembly {
  readonly index: string
  /** The lists of the items with their parent, which comes before the newest of them; undefined where the items are the parents. */
  readonly lists: Lists | undefined
}

/** The capabilities of a layout, for code that uses or tests it: shared code asks for these and never for a layout's name. */
export interface LayoutCapabilities {
  /** Whether a collection may declare its indexes: subsets of the facets, sort prefixes, sparse ones. */
  readonly declaredIndexes: boolean
  /** The kinds of facets that may be open, with values that are not declared. */
  readonly openFacets: readonly Facet['kind'][]
  /** The number of orders that lists can be in, each with indexes of its own; one, the default order, when not given. */
  readonly orders?: 'one' | 'several'
  /** Whether facets may be optional: items without a value are in lists too. */
  readonly optionalFacets: boolean
  /** Whether items may have several values of a facet, and be in a list for each. */
  readonly eachOfFacets: boolean
}

/** The entries of an item beside the primary one, in a layout that can tell them from what other programs keep beside an item. */
export interface Duplicates {
  /** `write`: each write of an item makes them, in its transaction; `stream`: the change stream keeps them. */
  readonly kept: 'write' | 'stream'
  /** Tells whether a sort key in the partition of an item is that of a duplicate. */
  owns(sortKey: string): boolean
}

/** A layout for one collection. */
export interface CollectionLayout extends Lists {
  readonly indexes: readonly IndexDefinition[]
  /** An index whose keys are texts, which can also carry lists of derived data (index overloading), if there is one. */
  readonly carrier: TextIndexDefinition | undefined
  /** The number of entries that a write of one item makes: with `one`, a delete need not know the item. */
  readonly entries: 'one' | 'many'
  /**
   * Returns all entries that an item has in the table, the primary one first, with its keys and those of its indexes.
   *
   * @param stored The item's attributes under their stored names.
   */
  entriesOf(item: Item, stored: Entry): readonly Entry[]
  /** Indexes whose partitions hold only items of this collection, unless another collection has an index of the same name. */
  readonly alone?: readonly TextIndexDefinition[]
  /** The assembled indexes that the collection is in, if there are any. */
  readonly assemblies?: readonly Assembly[]
  /** The further entries, in a layout whose further entries are verified and mended, and may be kept by the change stream. */
  readonly duplicates?: Duplicates
  /**
   * The rules by which the keys of each index are made, as data, where data can express them. Processes that do not declare an index then keep
   * it too. In a layout without rules every process that writes has to have the layout.
   */
  readonly keyRules?: readonly KeyRule[]
  /**
   * Returns the same layout for writers where the table knows indexes that are not declared: in those on facets with several values, an item has
   * further entries too. In a layout without it the rules give only an item's own keys.
   */
  readonly keeping?: (rules: readonly KeyRule[]) => CollectionLayout
}

/**
 * The way in which items are put into lists: a value, given to `createLapidary`. The exported suite `describeListConformance` tests what a
 * layout promises.
 */
export interface Layout {
  readonly name: string
  readonly capabilities: LayoutCapabilities
  /** @throws {LapidaryError} `declaration_invalid` for a collection that it can't hold. */
  of(collection: Collection): CollectionLayout
}
