import type { Change } from '../derived/change.ts'
import type { Collection } from '../model/collection.ts'
import type { Entry } from '../model/entry.ts'
import type { PageIndex } from '../pages/page-index.ts'
import type { CapacityBudget } from '../table/capacity-budget.ts'
import type { TableClient } from '../table/table-client.ts'
import type { Difference } from './difference.ts'

/** What an inspection of the table does for the comparing of page indexes. */
export interface Comparing {
  readonly table: TableClient
  readonly budget: CapacityBudget
  readonly signal: AbortSignal
  /** Reads the change stream past everything written by now. */
  readLog(): Promise<void>
  guarded<T>(work: Promise<T>): Promise<T>
  report(differences: readonly Difference[]): void
}

/** A page index that was not compared with the items. */
export interface UnverifiedPages {
  /** The name of the collection. */
  readonly collection: string
  /** What it was declared as, `{ order: 'amount' }`; undefined for the one that every collection has. */
  readonly label?: string
  /** The name of the store. */
  readonly store: string
  /**
   * `no_inspect`: the store has no `inspect`; `absent`: the page index is not built; `filling`: it is being built; `abandoned`: a process
   * that could not keep it has counted past it; `sample`: a sample leaves it out; `full`: a scope has more lists than its store can name, and all others were compared.
   */
  readonly reason: 'no_inspect' | 'absent' | 'filling' | 'abandoned' | 'sample' | 'full'
  /** Of `full`: which scope, and what to do. */
  readonly message?: string
}

export function unverified(
  { name }: Pick<Collection, 'name'>,
  { label, lists }: PageIndex,
  reason: UnverifiedPages['reason'],
): UnverifiedPages {
  return { collection: name, ...(label === undefined ? {} : { label }), store: lists.name, reason }
}

/** Compares what is made of the items (page indexes, duplicates, keys) with them, beside an inspection that reads those anyway. */
export interface ComparedPages {
  /** Those that {@link ComparedPages.begin} found to be none that can be compared. */
  readonly notVerified?: readonly UnverifiedPages[]
  /** To be called once the change stream is followed: what comes before is counted by then. */
  begin?(): Promise<void>
  /** Told of every entry of the table that the scan reads; reports what one entry alone can tell. */
  see(entry: Entry, report: Comparing['report']): void
  /** Told of every change that is read from the stream, those of an item in their order. */
  logged?(change: Change, shardId: string): void
  /** Reports what differs, and mends it if told to. Returns how many entries were mended. */
  compare?(inspection: Comparing, how: { readonly mends: boolean }): Promise<number>
}
