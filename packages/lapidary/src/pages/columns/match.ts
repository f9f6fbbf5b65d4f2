import type { Block, DeltaRow } from './block.ts'

/** What reads took. */
export interface Took {
  readonly rcu: number
  readonly requests: number
  /** Requests that waited for each other. */
  readonly rounds: number
}

/** An entry that passes: the number of a row in the columns of its block, or a row that changed since they were written. */
export interface Match {
  readonly block: Block
  readonly at: number | DeltaRow
}
