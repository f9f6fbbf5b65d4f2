import type { Difference, NotVerified } from '../derived/copy-inspection.ts'
import type { Projection } from '../derived/projection.ts'
import type { KeptShapes } from '../derived/register/kept-shapes.ts'
import type { TargetKey } from '../derived/target-key.ts'
import type { StreamsClient } from '../stream/streams-client.ts'
import type { TableClient } from '../table/table-client.ts'
import type { ComparedCopy } from './compared-copy.ts'

/** What is verified, repaired and rebuilt: all projections of all collections of a table. */
export interface DerivedData {
  readonly table: TableClient
  readonly streams: StreamsClient
  readonly projections: readonly Projection[]
  /** What the runner keeps meanwhile, by the table's register. */
  readonly shapes?: KeptShapes | undefined
  /** The revision of the register from which on every process keeps what is mended: nothing is mended by snapshots of before. */
  readonly keptSince?: number | undefined
  /** Copies that are compared with the items. */
  readonly compared?: readonly ComparedCopy[]
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** Milliseconds on a monotonic clock, for measuring. */
  readonly now: () => number
  /** Milliseconds by which the stream may list one shard later than another; 50,000 when not given. */
  readonly listedMs?: number
}

/** How derived data is verified, repaired or rebuilt. */
export interface MaintenanceOptions {
  /** Capacity units a second, read and written together; no limit when not given. */
  readonly capacity?: number
  /** Parts of the table that are read at once; 2 when not given. The embedded engine reads it as a whole. */
  readonly segments?: number
  /** Milliseconds between reads of a shard that has nothing new; AWS allows 5 reads a second for all readers. 200 when not given. */
  readonly idleMs?: number
  /** Stops it with the error `aborted`; what is mended stays mended. */
  readonly signal?: AbortSignal
  /** Called at least each second. */
  readonly onProgress?: (progress: MaintenanceProgress) => void
  /** Called with each difference, as it is found. */
  readonly onDifference?: (difference: Difference) => void
}

/** How far it is. */
export interface MaintenanceProgress {
  /**
   * `scan` reads the table, `sample` a few scopes of it, `fill` writes what copies hold of the items that were read, `stream` reads the change stream,
   * `compare` looks at derived data and mends it, `count` waits until the projections have counted what was in the stream.
   */
  readonly phase: 'scan' | 'sample' | 'fill' | 'stream' | 'compare' | 'count'
  /** Items of the table, scopes, records of the stream, items of derived data, changes. */
  readonly done: number
  /** As far as it is known: DynamoDB counts a table's items every six hours. */
  readonly total: number | undefined
  /** Milliseconds that this phase may still take. */
  readonly leftMs: number | undefined
  /** Capacity units taken so far. */
  readonly capacity: number
  readonly differences: number
}

/** An item that something is wrong with, and what. */
export interface ItemProblem {
  readonly key: TargetKey
  readonly reason: string
}

/** Of such items, those that are named. */
export const MOST_EXAMPLES = 20

/** What was found. */
export interface Verification {
  /** The first thousand; `onDifference` tells all. */
  readonly differences: readonly Difference[]
  readonly differenceCount: number
  /** Items of the collections, counted by reading them. */
  readonly items: number
  /** Items of derived data. */
  readonly targets: number
  /** Of them, those that were read together with the checkpoints, since changes were under way or something was wrong. */
  readonly compared: number
  /** Items that can't be counted: the scope is missing, or a value is of another type than an open facet or a sum. */
  readonly uncountable: number
  /** Some of them. */
  readonly uncountableItems: readonly ItemProblem[]
  /** Items with a number that can't be read as it is declared. They are counted, and lists leave them out. Undefined where only counts were looked at. */
  readonly unreadable?: number
  /** Some of them. */
  readonly unreadableItems?: readonly ItemProblem[]
  /** Changes in the stream that the projections have not got to yet. They are no differences. */
  readonly pending: number
  /** Changes of which something could not be counted or copied, and that no repair has made good. */
  readonly deadLetters: number
  /** Shards of which records were lost, and not made up for. */
  readonly gaps: readonly string[]
  /** Copies that were not compared with the items, and why; a rebuild compares none, and names none. */
  readonly notVerified: readonly NotVerified[]
  /** Capacity units that it took. */
  readonly capacity: number
}

/** What was mended. */
export interface Mending extends Verification {
  /** Items of derived data that were brought to what they should be. */
  readonly mended: number
  /** Dead letters that are made good, and forgotten. */
  readonly deadLettersForgotten: number
  readonly gapsCleared: number
}
