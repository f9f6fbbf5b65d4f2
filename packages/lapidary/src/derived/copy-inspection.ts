import type { Entry } from '../model/entry.ts'
import type { CapacityBudget } from '../table/capacity-budget.ts'
import type { TableClient } from '../table/table-client.ts'
import type { Change } from './change.ts'
import type { TargetKey } from './target-key.ts'

/** One thing that is not as it should be. */
export interface Difference {
  /** `missing`: the item should exist; `dangling`: it exists and should not; `wrong`: it holds something else. */
  readonly kind: 'missing' | 'dangling' | 'wrong'
  /** The name of the projection: `counts`. */
  readonly projection: string
  /** The collection's own name: `COMMENT`. */
  readonly collection: string
  readonly target: TargetKey
  /** What of the item: `count_5`. Empty for an item that holds nothing at all. */
  readonly name: string
  /** Null where there should be nothing. */
  readonly expected: string | null
  /** Null where there is nothing. */
  readonly actual: string | null
}

/** Derived data that was not compared with the items. */
export interface NotVerified {
  /** The name of the projection: `pages`. */
  readonly projection: string
  /** The name of the collection. */
  readonly collection: string
  /** What a page index was declared as, `{ order: 'amount' }`; undefined for the one that every collection has. */
  readonly label?: string
  /** The name of the store that it is in. */
  readonly store?: string
  /**
   * `no_inspect`: it can't be looked into; `absent`: it is not made; `filling`: it is being made; `abandoned`: a process
   * that could not keep it has counted past it; `sample`: a sample leaves it out; `full`: a scope has more lists than its store can name, and all others were compared.
   */
  readonly reason: 'no_inspect' | 'absent' | 'filling' | 'abandoned' | 'sample' | 'full'
  /** Of `full`: which scope, and what to do. */
  readonly message?: string
}

/** What an inspection of the table does for the comparing of a copy. */
export interface Comparing {
  readonly table: TableClient
  readonly budget: CapacityBudget
  readonly signal: AbortSignal
  /** Reads the change stream past everything written by now. */
  readLog(): Promise<void>
  guarded<T>(work: Promise<T>): Promise<T>
  report(differences: readonly Difference[]): void
}

/** What may not be as it should be: a piece of a copy, or all pieces of one item. */
export interface CopySuspect {
  /** One text for it. */
  readonly id: string
  /** The item that it is, or should be, of. */
  readonly item: TargetKey
}

/** What a look at both sides found to differ. */
export interface CopyFinding<S extends CopySuspect = CopySuspect> {
  readonly suspect: S
  readonly differences: readonly Difference[]
  /** The item changed while it was looked at: it is looked at again. */
  readonly isUnsure?: boolean
}

/**
 * The comparing of one copy with its items, beside a scan of the table that reads these anyway. Of each kind of copy it says what is seen, how a
 * suspect is looked at, and how it is settled; that it is looked at again as long as a change is under way is the same for all.
 */
export interface CopyInspection<S extends CopySuspect = CopySuspect, F extends CopyFinding<S> = CopyFinding<S>> {
  /** Called once the change stream is followed. Gives why nothing can be compared, where that is so. */
  begin?(): Promise<Pick<NotVerified, 'reason'> | undefined>
  /** Told of every entry of the table that the scan reads; reports what one entry alone can tell. */
  see(entry: Entry, report: Comparing['report']): void
  /** Told of every change of an item that is read from the stream. */
  logged?(change: Change): void
  /** Has the item looked at that an entry is of; without it a look at some items is not possible. */
  suspect?(key: TargetKey): void
  /** All in which one look at the copy differs from one look at the items. */
  suspects(inspection: Comparing): Promise<readonly S[]>
  /** Looks at both sides again, the copy first, and gives those that differ. */
  look(suspects: readonly S[], inspection: Comparing): Promise<readonly F[]>
  /** Brings a suspect to what the item says. Gives how many pieces were mended. */
  settle(found: F, inspection: Comparing): Promise<number>
  /** Called after the last mending; checks what no piece alone tells. */
  settled?(inspection: Comparing): Promise<void>
  /** A part that could not be compared, where there is one. */
  readonly notVerified?: Pick<NotVerified, 'reason' | 'message'> | undefined
  /** Of a page index: what it was declared as, and its store. */
  readonly named?: Pick<NotVerified, 'label' | 'store'>
}
