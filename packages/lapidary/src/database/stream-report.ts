/** How far the change stream is counted. */
export interface StreamReport {
  readonly shards: readonly {
    readonly shardId: string
    /** The process that counts it now; undefined when none does. */
    readonly owner: string | undefined
    readonly gap: boolean
  }[]
  /** Changes of items that are not counted yet, at most {@link MOST_PENDING}. */
  readonly pending: number
  /** When the first of them was made, in milliseconds since 1970. */
  readonly pendingSince: number | undefined
  readonly poison: number
}

/** More are not counted for a report. */
export const MOST_PENDING = 10_000
