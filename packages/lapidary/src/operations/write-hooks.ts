/** A write that is about to be made, or was made. */
export interface HookedWrite<I = unknown> {
  readonly id: string
  /** The item after the write; undefined where it is deleted. */
  readonly item: I | undefined
  /** The item before the write; undefined where there was none. */
  readonly previous: I | undefined
}

/**
 * Functions of the caller around the writes of a collection: `create`, `patch`, `replace`, `upsert` and `delete`, not an import, a backfill or
 * the writes of other programs. A write that changes nothing calls neither.
 */
export interface WriteHooks<I = unknown> {
  /**
   * Runs before a write, once its item is valid: an error that it throws stops the write and reaches the caller. It runs again for each try
   * where another writer came between or an answer was lost, with the item as it is then, so it must bear to run twice; where the lost write turns
   * out to be made, the run and its error count for nothing. `writes.…` call it too.
   */
  beforeWrite?(write: HookedWrite<I>): void | Promise<void>
  /**
   * Runs after a write. An error that it throws reaches the caller, though the write is made. It does not run where the process ends in between,
   * where the answer was lost for good, or for `writes.…`: work that must follow each write belongs to the change stream.
   */
  afterWrite?(write: HookedWrite<I>): void | Promise<void>
}
