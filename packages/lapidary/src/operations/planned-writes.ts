import type { TransactWriteItem } from '@aws-sdk/client-dynamodb'

/** What an operation would write, for a transaction of the caller's own. */
export interface PlannedWrites<I = undefined> {
  /** The item as it is once they are made. */
  readonly item: I
  /** Parts of one transaction, the one with the condition first; none where nothing changes. */
  readonly writes: readonly TransactWriteItem[]
}
