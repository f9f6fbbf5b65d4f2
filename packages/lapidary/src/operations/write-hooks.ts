/** A write that is about to be made, or was made. */
export interface HookedWrite<I = unknown> {
  readonly id: string
  /** The item as it becomes; undefined where it is deleted. */
  readonly item: I | undefined
  /** The item as it was; undefined where there was none. */
  readonly previous: I | undefined
}

/**
 * What happens around the writes of a collection: `create`, `patch`, `replace`, `upsert` and `delete`, not an import, a backfill or what
 * other programs write. A write that changes nothing calls neither.
 */
export interface WriteHooks<I = unknown> {
  /**
   * Before a write, once its item is valid: what it throws stops the write, and reaches the caller. Again for each try where another
   * writer came between, with the item as it is then; so it should do nothing that can't be done twice. `writes.…` call it too.
   */
  beforeWrite?(write: HookedWrite<I>): void | Promise<void>
  /**
   * After a write. What it throws reaches the caller, though the write is made. It does not run where the process ends between, where
   * the answer was lost for good, or for `writes.…`: what must follow each write belongs to the change stream.
   */
  afterWrite?(write: HookedWrite<I>): void | Promise<void>
}
