import type { Entry } from '../model/entry.ts'
import type { UnknownReason } from '../model/unknown-reason.ts'
import type { TableClient } from '../table/table-client.ts'
import type { Change } from './change.ts'
import type { CopyInspection } from './copy-inspection.ts'
import type { ProjectionBase } from './projection-base.ts'
import type { TargetKey } from './target-key.ts'

/**
 * Derived data outside of the runner's transaction, whose writes are idempotent sets: duplicates and page indexes in the table, caches and files
 * elsewhere. It is applied before the checkpoint moves and may see a batch again, so the last image of an item has to win.
 *
 * Every process that follows the stream, repairs or rebuilds has to be given one that is a function of your own, since a process that does not
 * know it moves the checkpoint past changes that it did not apply. A repair gives it the items of changes that it refused, as they are now.
 *
 * @example
 * ```ts run
 * import { type CopyProjection, createLapidary } from 'lapidary'
 *
 * const texts = new Map<string, string>()
 * const changed = new Set<string>()
 * let isFilled = false
 * const cache: CopyProjection = {
 *   name: 'texts',
 *   collection: 'COMMENT',
 *   // In this process alone, so it follows the stream by itself, and is empty when the process begins.
 *   apart: `texts-${process.pid}`,
 *   state: async () => (isFilled ? 'ready' : 'absent'),
 *   isItem: ({ PK, SK }) => PK.startsWith('COMMENT#') && SK === '~',
 *   async apply(changes) {
 *     for (const { key, after } of changes) {
 *       changed.add(key.PK)
 *       if (after === undefined) texts.delete(key.PK)
 *       else texts.set(key.PK, after.text?.S ?? '')
 *     }
 *   },
 *   // Fills it from the items: in the background, and by `rebuild('texts')`.
 *   async fill() {
 *     changed.clear()
 *     return {
 *       take({ PK, text }) {
 *         // What a change has set or removed since is later than what the scan saw.
 *         if (!changed.has(PK?.S ?? '')) texts.set(PK?.S ?? '', text?.S ?? '')
 *         return true
 *       },
 *       async flush() {},
 *       async finish() {
 *         isFilled = true
 *       },
 *     }
 *   },
 * }
 * const lapidary = createLapidary({ client, tableName, collections: { comments }, cursorSecret, derived: { projections: [cache] } })
 * ```
 */
export interface CopyProjection extends ProjectionBase {
  /**
   * The store that it is in, where it follows the change stream by itself, with checkpoints of that name: then nothing else waits while it
   * can't be applied, and it catches up from where it is. That reads the stream twice.
   */
  readonly apart?: string
  /**
   * Takes in the changes of its items, in the order of the stream. What a repair gives has no `before`. Without it the writes of the items keep
   * it themselves.
   *
   * @throws {LapidaryError} `unprocessable` for changes that it will never take; any other error is taken to pass, and the
   * batch is tried again.
   */
  apply?(changes: readonly Change[], source: CopySource): Promise<void>
  /**
   * Passes over the changes of a shard up to a sequence number, also those that a process still has in hand: it is about to be made anew from items that have
   * them. Where one in the table does not take it, a rebuild reads all that waits in the stream.
   */
  pass?(shardId: string, to: string): Promise<void>
  /** Whether it holds every item, where its store knows that itself. */
  state?(): Promise<CopyState>
  /** Begins to compare it with the items; undefined where there is nothing of it. Without it `verify` says that it was not verified. */
  inspect?(): Promise<CopyInspection | undefined>
  /** Begins to make it anew from the items, while changes are applied; without it a rebuild mends what an inspection finds. */
  fill?(table: TableClient): Promise<CopyFilling>
}

/** Where changes are from. */
export interface CopySource {
  /**
   * Changes of a shard come in the order of their sequence numbers, and some of them again. Undefined where a repair gives items
   * as they are now.
   */
  readonly shardId: string | undefined
}

/** Whether a copy holds every item: not made yet, being made, complete, or why nothing is known of it. */
export type CopyState = 'absent' | 'filling' | 'ready' | UnknownReason

/** Whether a copy holds every item that is counted, be it behind. */
export function isBuilt(state: CopyState): state is 'ready' | 'gap' | 'uncounted' {
  return state === 'ready' || state === 'gap' || state === 'uncounted'
}

/** A copy that is being made from the items. */
export interface CopyFilling {
  /** Keeps what one of its items gives, as a scan saw it. False for an item that gives nothing. */
  take(item: Entry): boolean
  /**
   * Frees memory, where so much or more is kept: it adds it, or sorts it on disk. Without `least`, adds all that is kept. Of an item that changed since
   * the filling began, the change is right and not the scan.
   */
  flush(least?: number): Promise<void>
  /** Everything was added: it holds every item from now on. */
  finish(): Promise<void>
  /** Why it could not take all, once it holds all else; undefined where it has all. */
  full?(): Promise<string | undefined>
  /** Called once, also after a failure: frees what it took beside its store. */
  close?(): Promise<void>
  /** Whether an item of the table is of what was given up: a rebuild removes it once no process reads it any more. */
  isGivenUp?(key: TargetKey): boolean
}
