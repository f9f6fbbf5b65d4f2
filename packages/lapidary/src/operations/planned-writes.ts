import type { TransactWriteItem } from '@aws-sdk/client-dynamodb'

/** The planned writes of an operation, for a transaction of the caller's own. */
export interface PlannedWrites<I = undefined> {
  /** The item as it is once the writes are made. */
  readonly item: I
  /** Parts of one transaction, the one with the condition first; empty where nothing changes. */
  readonly writes: readonly TransactWriteItem[]
}
