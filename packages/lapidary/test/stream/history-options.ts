import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams'
import type { AwsOccurrence, FaultKind } from 'lapidary-testing'
import type { HistoryPlan, Maintenance } from './history-plan.ts'
import type { ProcessOptions } from './history-process.ts'

export interface HistoryOptions {
  readonly client: DynamoDBClient
  readonly streams: DynamoDBStreamsClient
  /** The address of their engine. */
  readonly endpoint: string
  readonly seed: number
  readonly plan: HistoryPlan
  /** Milliseconds until all is counted, once nothing is written any more; 120,000 when not given. */
  readonly patienceMs?: number
  /** The write point at which the first process that keeps derived data dies. */
  readonly killAt?: number
  /** A defect put between each process that keeps derived data and DynamoDB. */
  readonly spoil?: ProcessOptions['spoil']
}

type OfTheProxy = `proxy: ${FaultKind | 'limited'}`

/** What happened, to be added up; `hostile` are histories behind a hostile proxy. */
export type Happened = Partial<
  Record<AwsOccurrence | FaultKind | Maintenance | 'failedMaintenance' | 'hostile' | OfTheProxy, number>
>
