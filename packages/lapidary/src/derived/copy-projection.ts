import type { Change } from './change.ts'

/**
 * Derived data outside the table, or outside the runner's transaction, whose writes are idempotent sets (caches, files). It is
 * applied before the checkpoint moves and may see a batch again, so the last image of an item has to win.
 *
 * Every process that follows the stream, repairs or rebuilds has to be given it, since one that does not know it moves the
 * checkpoint past changes that it did not apply. A repair gives it the items of changes that it refused, as they are now. No
 * rebuild fills a copy: a new one, and one behind a gap of the stream, is filled from an export.
 *
 * @example
 * ```ts run
 * import { type CopyProjection, createLapidary } from 'lapidary'
 *
 * const texts = new Map<string, string>()
 * const cache: CopyProjection = {
 *   name: 'texts',
 *   concerns: ({ key }) => key.PK.startsWith('COMMENT#') && key.SK === '~',
 *   async apply(changes) {
 *     for (const { key, after } of changes) {
 *       if (after === undefined) texts.delete(key.PK)
 *       else texts.set(key.PK, after.text?.S ?? '')
 *     }
 *   },
 * }
 * const lapidary = createLapidary({ client, tableName, collections: { comments }, cursorSecret, derived: { copies: [cache] } })
 * ```
 */
export interface CopyProjection {
  readonly name: string
  /**
   * The store that it is in, where it follows the change stream by itself, with checkpoints of that name: then nothing else waits while it
   * can't be applied, and it catches up from where it is. That reads the stream twice.
   */
  readonly apart?: string
  /** Whether a change is of an item that this projection copies. */
  concerns(change: Change): boolean
  /**
   * Takes in the changes that concern it, in the order of the stream. What a repair gives has no `before`.
   *
   * @throws {LapidaryError} `unprocessable` for changes that it will never take; any other error is taken to pass, and the
   * batch is tried again.
   */
  apply(changes: readonly Change[], source: CopySource): Promise<void>
}

/** Where changes are from. */
export interface CopySource {
  /**
   * Changes of a shard come in the order of their sequence numbers, and some of them again. Undefined where a repair gives items
   * as they are now.
   */
  readonly shardId: string | undefined
}
