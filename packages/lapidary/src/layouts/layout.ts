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
  /** How the list is called in plans: `42/en/5`. */
  readonly label: string
  /** Value of the partition key. */
  readonly partition: string
  /** What every sort key of the list begins with; empty where the index has no sort prefix. */
  readonly prefix: string
  /** The facet values that every item of the list has; facets that are absent vary within it. */
  readonly holds: Selection
  /** The share of what `holds` tells that lies in this list, where items are spread over several; 1 when absent. */
  readonly part?: number
  /** Whose items it has, where a query is of several scopes. */
  readonly scope?: string
  /** Whether its sort keys descend as positions ascend. */
  readonly reversed?: boolean
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

/** Where the values of a facet come from that the query leaves open; undefined when they are not known. */
export type KnownValues = (facet: string) => readonly FacetValue[] | undefined

/** A key condition of a Query. */
export interface KeyCondition {
  readonly expression: string
  readonly names: Readonly<Record<string, string>>
  readonly values: Readonly<Record<string, AttributeValue>>
}

/** Lists that can be planned and read: those of a collection's items, and those of derived data such as leaderboards. */
export interface Lists {
  /** Every way to answer a query, refused ones with the reason. At most `maxSources` lists in each. */
  accessPaths(query: Query, known: KnownValues, maxSources: number): AccessPaths
  /**
   * The conditions that together read what a list has within a range, in ascending order: one, or two where keys are raw
   * attributes and a bound is among items of the same order value.
   */
  keyConditions(list: List, range: Range): readonly KeyCondition[]
  /** The position of an entry of a list, of which the key attributes may be all that is there. */
  positionOf(list: List, entry: Entry): Position
  /** Of lists among whose keys items of another kind may lie: what tells theirs. All are theirs when not given. */
  readonly membership?: Membership
}

/** What tells the items of lists from others that are read with them, and passed over. */
export interface Membership {
  /** Whether an entry that was read is an item of the list. */
  has(list: List, entry: Entry): boolean
  /** Stored names of all that tells it, and the position. */
  names(list: List): readonly string[]
}

/** An index in which a collection's items lie around their parent. */
export interface Assembly {
  readonly index: string
  /** The lists of the items with their parent, which stands before the newest of them; undefined where the items are the parents. */
  readonly lists: Lists | undefined
}

/** What a layout can do, for those that use or test it: shared code asks for these and never for a layout's name. */
export interface LayoutCapabilities {
  /** Whether a collection may declare its indexes: subsets of the facets, sort prefixes, sparse ones. */
  readonly declaredIndexes: boolean
  /** Which kinds of facets may be open, their values not declared. */
  readonly openFacets: readonly Facet['kind'][]
  /** Whether lists can be in several orders, each with indexes of its own; only in the default one when not given. */
  readonly orders?: 'one' | 'several'
  /** Whether facets may be optional: items without a value are in lists too. */
  readonly optionalFacets: boolean
  /** Whether items may have several values of a facet: each is in a list of its own. */
  readonly eachOfFacets: boolean
}

/** The entries of an item beside the primary one, of a layout that knows them from what other programs keep beside an item. */
export interface Duplicates {
  /** `write`: each write of an item makes them, in its transaction; `stream`: the change stream keeps them. */
  readonly kept: 'write' | 'stream'
  /** Whether a sort key in the partition of an item is that of a duplicate. */
  owns(sortKey: string): boolean
}

/** A layout for one collection. */
export interface CollectionLayout extends Lists {
  readonly indexes: readonly IndexDefinition[]
  /** An index whose keys are texts, which can also carry lists of other things (index overloading), if there is one. */
  readonly carrier: TextIndexDefinition | undefined
  /** Entries in the table that a write of one item makes: with `one`, a delete need not know the item. */
  readonly entries: 'one' | 'many'
  /**
   * All entries that an item has in the table, the primary one first: with its keys, and those of its indexes.
   *
   * @param stored The item's attributes under their stored names.
   */
  entriesOf(item: Item, stored: Entry): readonly Entry[]
  /** Indexes of which no partition holds anything of another collection, but for one with an index of the same name. */
  readonly alone?: readonly TextIndexDefinition[]
  /** The assembled indexes that the collection is in, if there are any. */
  readonly assemblies?: readonly Assembly[]
  /** Of a layout whose further entries are verified and mended, and may be kept by the change stream. */
  readonly duplicates?: Duplicates
  /**
   * How the keys of each index are made, as data, where data can say it: then processes that do not declare an index keep it
   * too. Of a layout without rules every process that writes has to have the layout.
   */
  readonly keyRules?: readonly KeyRule[]
  /**
   * The same layout for writers where the table knows indexes that are not declared: of those on facets with several values an item has
   * further entries too. Of a layout without it the rules give an item's own keys alone.
   */
  readonly keeping?: (rules: readonly KeyRule[]) => CollectionLayout
}

/**
 * How items are put into lists: a value, given to `createLapidary`. What a layout promises is held by the exported suite
 * `describeListConformance`.
 */
export interface Layout {
  readonly name: string
  readonly capabilities: LayoutCapabilities
  /** @throws {LapidaryError} `declaration_invalid` for a collection that it can't hold. */
  of(collection: Collection): CollectionLayout
}
