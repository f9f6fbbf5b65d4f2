/** How far a follower of the change stream is. */
export interface FollowerReport {
  readonly shards: readonly {
    readonly shardId: string
    /** The process that counts it now; undefined when none does. */
    readonly owner: string | undefined
    readonly gap: boolean
    /** Up to where it is counted: the number of its last record that is; undefined where none is yet. */
    readonly sequenceNumber: string | undefined
  }[]
  /** Changes that are not taken in yet, of those that change anything there, at most {@link MOST_PENDING}. */
  readonly pending: number
  /** When the first of them was made, in milliseconds since 1970. */
  readonly pendingSince: number | undefined
}

/** How far the change stream is counted. */
export interface StreamReport extends FollowerReport {
  /** The same of stores that follow the stream by themselves; undefined where there are none. */
  readonly apart: FollowerReport | undefined
  /** Changes of which something could not be counted or copied, and that no repair has made good. */
  readonly deadLetters: number
}

/**
 * The most changes that a report counts: there may be more.
 *
 * @example
 * ```ts run
 * const { pending } = await lapidary.stream.report()
 * console.log(pending === MOST_PENDING ? `at least ${pending}` : pending)
 * ```
 */
export const MOST_PENDING = 10_000
