import type { FacetValue } from '../model/facet.ts'

/** What is filled, and how. */
export interface BackfillOptions {
  /** One collection, by its name in code; all of the table when not given. */
  readonly collection?: string
  /** One index; all that are declared when not given. */
  readonly index?: string
  /** For items that lack a new facet, the value that they get. */
  readonly fill?: Readonly<Record<string, FacetValue>>
  /** Capacity units a second, read and written together; no limit when not given. */
  readonly capacity?: number
  /** Parts of the table that are read at once; 2 when not given. The embedded engine reads it as a whole. */
  readonly segments?: number
  /** Reads and counts, and writes nothing. */
  readonly dryRun?: boolean
  /** Stops it with the error `aborted`; the next run goes on where it was. */
  readonly signal?: AbortSignal
  /** Who does it, for another process that is refused meanwhile; a made-up name when not given. Unique. */
  readonly owner?: string
  /** Milliseconds after which another process may take over from one that died; 6000 when not given. */
  readonly leaseMs?: number
  /** Called about twice a second. */
  readonly onProgress?: (progress: BackfillProgress) => void
}

/** How far a backfill is. */
export interface BackfillProgress {
  /** The collection's own name. */
  readonly collection: string
  /**
   * `wait` waits until every process that writes knows of the index, `scan` reads the table and writes keys, `build` waits until
   * DynamoDB has built the index.
   */
  readonly phase: 'wait' | 'scan' | 'build'
  /** Items of the table that were read. */
  readonly done: number
  /** As far as it is known: DynamoDB counts a table's items every six hours. */
  readonly total: number | undefined
  /** Milliseconds that this phase may still take. */
  readonly leftMs: number | undefined
  /** Items that were written. */
  readonly written: number
  /** Capacity units taken so far. */
  readonly capacity: number
}

/** An item that an index can't hold as it is. */
export interface UnfitItem {
  readonly PK: string
  readonly index: string
  readonly problem: string
}

/** What was done to one collection. */
export interface BackfilledCollection {
  /** The collection's own name. */
  readonly collection: string
  /** The indexes that were filled, as they are now. */
  readonly indexes: readonly { readonly name: string; readonly state: 'filling' | 'ready' }[]
  /** Its items, counted by reading them. */
  readonly items: number
  /** Of them, those whose keys were written. */
  readonly written: number
  /** Of them, those that were given a facet that they lacked. */
  readonly filled: number
  /** Writes that another process came before; the item was read again. */
  readonly again: number
  /** Items that some index can't hold, by index. An index that lacks one stays as it was. */
  readonly unfit: Readonly<Record<string, number>>
  /** Some of them. */
  readonly unfitItems: readonly UnfitItem[]
  /** Indexes that are neither declared nor in the table any more: their keys are not kept from now on. */
  readonly forgotten: readonly string[]
}

/** What a backfill did. */
export interface Backfill {
  readonly collections: readonly BackfilledCollection[]
  /** Whether every index that was filled can be used now. */
  readonly complete: boolean
  /** Capacity units that it took. */
  readonly capacity: number
}
