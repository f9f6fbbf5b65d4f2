import { type Change, changeOf, compareSequenceNumbers, type StreamRecord } from '../derived/change.ts'
import { LapidaryError } from '../model/errors.ts'
import type { Lane } from './batch.ts'
import { readCheckpoint } from './checkpoint.ts'
import type { Runner } from './runner.ts'

/** A record of a DynamoDB stream event, as Lambda gives it: times in seconds, binary values as base64. */
export interface LambdaStreamRecord {
  readonly eventName?: string | undefined
  readonly dynamodb?:
    | (LambdaStreamImages & Omit<NonNullable<StreamRecord['dynamodb']>, keyof LambdaStreamImages>)
    | undefined
}

/** Images as JSON has them; what they hold is checked where it is read. */
interface LambdaStreamImages {
  readonly Keys?: object | undefined
  readonly OldImage?: object | undefined
  readonly NewImage?: object | undefined
  readonly StreamViewType?: string | undefined
}

/** The event of an event source mapping with a tumbling window; without one it says nothing of the shard. */
export interface StreamEvent {
  readonly Records: readonly LambdaStreamRecord[]
  readonly shardId?: string | undefined
  readonly state?: Readonly<Record<string, unknown>> | undefined
}

/** What Lambda has to know: the first record that it has to deliver again, and a state for the window. */
export interface StreamEventResponse {
  readonly batchItemFailures: { readonly itemIdentifier: string }[]
  readonly state: Readonly<Record<string, unknown>>
}

/** What a handler of stream events needs. */
export interface StreamHandlerOptions {
  readonly runner: Runner
  /** Told why a batch, or the rest of it, will be delivered again. */
  readonly onError?: (error: unknown, shardId: string) => void
}

/**
 * A Lambda handler that keeps derived data from a table's stream, exactly once for each change however often and however cut
 * Lambda delivers it. The event source mapping needs `TumblingWindowInSeconds` (the event tells its shard only then),
 * `FunctionResponseTypes: [ReportBatchItemFailures]` and `ParallelizationFactor: 1`; see docs/change-stream.md.
 *
 * @throws {LapidaryError} `table_mismatch` for an event without a shard or a record without both images: Lambda delivers
 * them again once the mapping or the stream is set right, and nothing is counted until then.
 * @example
 * ```ts
 * export const handler = lapidary.stream.handler()
 * ```
 */
export function createStreamHandler({
  runner,
  onError,
}: StreamHandlerOptions): (event: StreamEvent) => Promise<StreamEventResponse> {
  return async ({ Records, shardId, state = {} }) => {
    if (Records.length === 0) return { batchItemFailures: [], state }
    if (shardId === undefined || shardId === '') {
      throw new LapidaryError(
        'table_mismatch',
        'the stream event names no shard; give its event source mapping TumblingWindowInSeconds (900 will do)',
      )
    }
    const changes = changesOf(Records)
    let lane: Lane | undefined
    try {
      const { sequenceNumber } = await readCheckpoint(runner.table, shardId)
      lane = { shardId, owner: undefined, sequenceNumber }
      await runner.apply(lane, changes)
      return { batchItemFailures: [], state }
    } catch (error) {
      onError?.(error, shardId)
      const first = firstUndone(Records, lane?.sequenceNumber)
      return { batchItemFailures: first === undefined ? [] : [{ itemIdentifier: first }], state }
    }
  }
}

function changesOf(records: readonly LambdaStreamRecord[]): readonly Change[] {
  for (const { dynamodb } of records) {
    const view = dynamodb?.StreamViewType
    if (view !== undefined && view !== 'NEW_AND_OLD_IMAGES') {
      throw new LapidaryError('table_mismatch', `the stream has ${view}; counts need NEW_AND_OLD_IMAGES`)
    }
  }
  return records.map((record) => changeOf(record as StreamRecord)).filter((change) => change !== undefined)
}

/** The lowest sequence number beyond the checkpoint. */
function firstUndone(records: readonly LambdaStreamRecord[], done: string | undefined): string | undefined {
  const undone = records
    .map(({ dynamodb }) => dynamodb?.SequenceNumber)
    .filter((number) => number !== undefined)
    .filter((number) => done === undefined || compareSequenceNumbers(number, done) > 0)
  return undone.sort(compareSequenceNumbers)[0]
}
