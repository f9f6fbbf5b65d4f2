import type { Change } from './change.ts'

/**
 * Derived data outside the table, or outside the runner's transaction, whose writes are idempotent sets (caches, files). It is
 * applied before the checkpoint moves and may see a batch again, so the last image of an item has to win.
 */
export interface CopyProjection {
  readonly name: string
  /** Whether a change is of an item that this projection copies. */
  concerns(change: Change): boolean
  /**
   * @throws {LapidaryError} `unprocessable` for changes that it will never take; any other error is taken to pass, and the
   * batch is tried again.
   */
  apply(changes: readonly Change[]): Promise<void>
}
