import type { TargetKey } from './target-key.ts'

/** What is said of every kind of derived data of a collection. */
export interface ProjectionBase {
  /** `counts`, `leaderboards`: what `rebuild` takes. One of your own, once in a collection. */
  readonly name: string
  /** The collection's own name: `COMMENT`. */
  readonly collection: string
  /**
   * What it is made by, as plain data: another program that is told of it by the table keeps it by the same. Of one of your own, whatever changes
   * when it is made otherwise (`2`), so that what an earlier version made is not taken for its own.
   */
  readonly made?: unknown
  /** Whether a key is that of an item which this projection follows. */
  isItem(key: TargetKey): boolean
}
