import {
  type Change,
  changeOf,
  compareSequenceNumbers,
  isBeyond,
  milliseconds,
  type StreamRecord,
} from '../derived/change.ts'
import { LapidaryError } from '../model/errors.ts'
import { type Checkpoint, type FollowedTable, readCheckpoint } from './checkpoint.ts'
import { EarlierLosses, remedyOf } from './earlier-losses.ts'
import { GivenLane } from './given-lane.ts'
import type { Runner } from './runner.ts'
import type { StreamsClient } from './streams-client.ts'

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
  readonly eventSourceARN?: string | undefined
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
  /** To see whether records were trimmed before Lambda read them; not looked for when not given. */
  readonly streams?: StreamsClient
  /** Milliseconds since 1970. */
  readonly clock?: () => number
  /** Told why a batch, or the rest of it, will be delivered again, and of whatever makes the counts need a repair. */
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
  streams,
  clock = Date.now,
  onError,
}: StreamHandlerOptions): (event: StreamEvent) => Promise<StreamEventResponse> {
  const { table } = runner
  const losses = new EarlierLosses({ table, streams, clock, onError })

  const count = async ({ Records, shardId, eventSourceARN, state = {} }: StreamEvent): Promise<StreamEventResponse> => {
    if (Records.length === 0) return { batchItemFailures: [], state }
    if (shardId === undefined || shardId === '') {
      throw new LapidaryError(
        'table_mismatch',
        'the stream event names no shard; give its event source mapping TumblingWindowInSeconds (900 will do)',
      )
    }
    const changes = changesOf(Records)
    let lane: GivenLane | undefined
    try {
      const checkpoint = await readCheckpoint(table, shardId)
      // All of it was counted, or a rebuild has counted the items themselves.
      if (checkpoint.finished) return { batchItemFailures: [], state }
      if (!(await losses.mayCount(shardId, checkpoint, eventSourceARN))) return { batchItemFailures: [], state }
      // Noted before anything is counted beyond it: of a batch that comes again it can't be told any more.
      const onMoved = async (found: Checkpoint): Promise<void> => {
        if (isOvertaken(Records, found)) await losses.note(shardId, found, overtaking(shardId, table))
      }
      await onMoved(checkpoint)
      lane = new GivenLane({
        ...{ runner, shardId, onMoved },
        owner: undefined,
        sequenceNumber: checkpoint.sequenceNumber,
      })
      await lane.takeUp(checkpoint)
      await lane.count(changes)
      await runner.caughtUp()
      return { batchItemFailures: [], state }
    } catch (error) {
      onError?.(error, shardId)
      const first = firstUndone(Records, lane?.sequenceNumber)
      return { batchItemFailures: first === undefined ? [] : [{ itemIdentifier: first }], state }
    }
  }
  return async (event) => {
    const { Records, shardId = '' } = event
    const work = { kind: 'batch', table: table.tableName, shardId, records: Records.length } as const
    return table.observe(
      work,
      () => count(event),
      ({ batchItemFailures: [failed] }) => ({ lagMs: lagOf(Records, clock()), failed: failed?.itemIdentifier }),
    )
  }
}

/** Returns the milliseconds since the last record of a batch was written. */
function lagOf(records: readonly LambdaStreamRecord[], now: number): number | undefined {
  const at = records.at(-1)?.dynamodb?.ApproximateCreationDateTime
  return at === undefined ? undefined : Math.max(0, now - milliseconds(at))
}

/**
 * Handlers of the same events, one after the other. What any of them has not done is delivered again, to all; those that have done
 * it pass over it.
 */
export function inTurn(
  handlers: readonly ((event: StreamEvent) => Promise<StreamEventResponse>)[],
): (event: StreamEvent) => Promise<StreamEventResponse> {
  return async (event) => {
    const failures: { readonly itemIdentifier: string }[] = []
    for (const handler of handlers) failures.push(...(await handler(event)).batchItemFailures)
    const first = failures.sort((a, b) => compareSequenceNumbers(a.itemIdentifier, b.itemIdentifier)).slice(0, 1)
    return { batchItemFailures: first, state: event.state ?? {} }
  }
}

/**
 * Whether another batch of the same shard was counted that has records between those of this one. A shard's batches are in
 * order, each a part without holes: one that reaches beyond the checkpoint from before it has the checkpoint's record too.
 */
function isOvertaken(records: readonly LambdaStreamRecord[], { sequenceNumber, byLambda }: Checkpoint): boolean {
  if (sequenceNumber === undefined || !byLambda) return false
  const places = records
    .map(({ dynamodb }) => dynamodb?.SequenceNumber)
    .filter((number) => number !== undefined)
    .map((number) => Math.sign(compareSequenceNumbers(number, sequenceNumber)))
  return places.includes(-1) && places.includes(1) && !places.includes(0)
}

function overtaking(shardId: string, table: FollowedTable): LapidaryError {
  return new LapidaryError(
    'table_mismatch',
    `batches of ${shardId} overtake each other, and records are passed over; set ParallelizationFactor to 1, then ${remedyOf(table)}`,
  )
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
    .filter((number) => isBeyond(number, done))
  return undone.sort(compareSequenceNumbers)[0]
}
