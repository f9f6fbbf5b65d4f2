import type { OptionNames } from '../model/known-options.ts'
import type { AttributesOption } from './chosen-attributes.ts'
import type { Having } from './having.ts'

/** How one page is read. */
export interface ListOptions extends AttributesOption {
  /** One of the `cursors` of another page of the same query, to go on from; null is the first page. */
  readonly cursor?: string | null | undefined
  /**
   * The most RCU to spend on the page: its items, its counts and the page index. A page that would take more comes back short, or without
   * totals, and says `maxCapacity` in `plan.limits`. The last round may exceed it by one item of each list, and by 128 RCU of each list whose
   * items are not counted yet.
   */
  readonly maxCapacity?: number | undefined
  /**
   * The last resort: judges each item that was read, in this process, where no facet says it. What it does not let through is paid for all
   * the same. A page comes back full unless the data ends or `maxBytes` are read; totals are not known. A cursor does not know it, so go
   * on with the same.
   */
  readonly having?: Having | undefined
  /** The most bytes to read for a page with `having`: a page that would take more comes back short and says `maxBytes` in `plan.limits`; 1 MB when not given. */
  readonly maxBytes?: number | undefined
  /** Whether totals and counts of facets come with it, which takes a read of the scope's counts; they do when not given. */
  readonly counts?: boolean | undefined
  /**
   * Whether the page must be as new as lists are: then columns, which follow by the change stream, are left out. False when not given.
   */
  readonly fresh?: boolean | undefined
  /**
   * Ids of at most 10 items that the caller has just created, changed or deleted: the page shows them as they are now, however late its lists
   * are. It takes a consistent read of these, beside the lists: 1 RCU for each 4 KB of each. Totals and counts come as they are counted.
   */
  readonly written?: readonly string[] | undefined
  /** Stops the read: what is certain by then comes back, without counts that are still awaited, and `plan.limits` says `aborted`. */
  readonly signal?: AbortSignal | undefined
}

/** How a page is read whose place is known. */
export type ReadOptions = Omit<ListOptions, 'cursor'>

/** The names of what a page takes beside its query. */
export const LIST_OPTION_NAMES: OptionNames<ListOptions> = {
  ...{ cursor: true, attributes: true, having: true, maxBytes: true, maxCapacity: true, counts: true, fresh: true },
  ...{ signal: true, written: true },
}
