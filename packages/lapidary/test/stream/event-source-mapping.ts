import {
  type _Record,
  type DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
} from '@aws-sdk/client-dynamodb-streams'
import type { LambdaStreamRecord, StreamEvent, StreamEventResponse } from 'lapidary'
import { compareSequenceNumbers } from '../../src/derived/change.ts'
import { listShards } from '../../src/stream/shards.ts'

export interface EventSourceMappingOptions {
  /** As AWS has it: no faults between. */
  readonly streams: DynamoDBStreamsClient
  /** The mapping is to one stream; of a stream that is switched off and on it is made anew. */
  readonly arn: string
  /** Invokes the function, in whatever instance is alive. */
  readonly invoke: (event: StreamEvent) => Promise<StreamEventResponse>
  readonly random: () => number
  readonly batchSize: number
  /** Milliseconds between reads, and a tenth of those between looks for shards. */
  readonly pollMs: number
  readonly windowMs: number
  /** What FilterCriteria let through. */
  readonly isWanted: (record: _Record) => boolean
}

/** Ends when what is under way is done. */
export interface EventSourceMapping extends AsyncDisposable {
  close(): Promise<void>
}

/**
 * What Lambda does between a stream and a function: one lane for each shard, parents before children, batches, the state of a
 * tumbling window, on from the first failure of a batch, and a batch once more now and then ("Lambda will process each record
 * at least once, but doesn't guarantee that each record will be processed only once", Lambda Developer Guide, Implementing
 * stateful DynamoDB stream processing). Records that were trimmed it passes over without a word.
 */
export function startEventSourceMapping(options: EventSourceMappingOptions): EventSourceMapping {
  const { streams, arn, invoke, random, batchSize, pollMs, windowMs, isWanted } = options
  const stop = new AbortController()
  const lanes = new Map<string, Promise<void>>()
  const done = new Set<string>()
  const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

  async function discover(): Promise<void> {
    while (!stop.signal.aborted) {
      const shards = await listShards(streams, arn)
      const listed = new Set(shards.map(({ shardId }) => shardId))
      for (const { shardId, parentShardId } of shards) {
        const waits = parentShardId !== undefined && listed.has(parentShardId) && !done.has(parentShardId)
        if (!waits && !lanes.has(shardId)) lanes.set(shardId, run(shardId))
      }
      await pause(pollMs * 10)
    }
    await Promise.all(lanes.values())
  }

  async function run(shardId: string): Promise<void> {
    let last: string | undefined
    let iterator = await open(shardId, undefined)
    let window = { state: {}, until: performance.now() + windowMs }
    while (!stop.signal.aborted) {
      const page = await streams.send(new GetRecordsCommand({ ShardIterator: iterator })).catch(passing)
      if (page === undefined) {
        iterator = await open(shardId, last)
        continue
      }
      const records = page.Records ?? []
      let rest = records.filter(isWanted)
      while (rest.length > 0 && !stop.signal.aborted) {
        const batch = rest.slice(0, 1 + Math.floor(random() * batchSize))
        const answer = await invoke(eventOf(batch, shardId, window.state)).catch(() => undefined)
        if (answer === undefined || typeof answer.state !== 'object') {
          await pause(pollMs)
          continue
        }
        window = { ...window, state: answer.state }
        const failed = firstFailure(batch, answer)
        if (failed > 0 && random() < 0.1) await invoke(eventOf(batch, shardId, window.state)).catch(() => undefined)
        rest = rest.slice(failed)
        if (failed < batch.length) await pause(pollMs)
      }
      last = records.at(-1)?.dynamodb?.SequenceNumber ?? last
      if (performance.now() > window.until) {
        await invoke(eventOf([], shardId, window.state, true)).catch(() => undefined)
        window = { state: {}, until: performance.now() + windowMs }
      }
      if (page.NextShardIterator === undefined) {
        if (!stop.signal.aborted) done.add(shardId)
        return
      }
      iterator = page.NextShardIterator
      await pause(pollMs)
    }
  }

  async function open(shardId: string, after: string | undefined): Promise<string | undefined> {
    const at =
      after === undefined
        ? { ShardIteratorType: 'TRIM_HORIZON' as const }
        : { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER' as const, SequenceNumber: after }
    try {
      const command = new GetShardIteratorCommand({ StreamArn: arn, ShardId: shardId, ...at })
      return (await streams.send(command)).ShardIterator
    } catch (error) {
      if ((error as Error).name !== 'TrimmedDataAccessException') throw error
      return open(shardId, undefined)
    }
  }

  function eventOf(records: readonly _Record[], shardId: string, state: object, isFinal = false): StreamEvent {
    const Records = records.map((record) => ({ ...record, eventSourceARN: arn })) as unknown as LambdaStreamRecord[]
    const window = { isFinalInvokeForWindow: isFinal, isWindowTerminatedEarly: false }
    return { Records, shardId, state, eventSourceARN: arn, ...window } as StreamEvent
  }

  const running = discover()
  running.catch(() => stop.abort())
  const close = async (): Promise<void> => {
    stop.abort()
    await running
  }
  return { close, [Symbol.asyncDispose]: close }
}

/** How many records of a batch are done: "the lowest sequence number" that failed is the checkpoint; an unknown one fails all. */
function firstFailure(batch: readonly _Record[], { batchItemFailures }: StreamEventResponse): number {
  const failed = batchItemFailures.map(({ itemIdentifier }) => itemIdentifier).sort(compareSequenceNumbers)[0]
  if (failed === undefined) return batch.length
  return Math.max(
    0,
    batch.findIndex(({ dynamodb }) => dynamodb?.SequenceNumber === failed),
  )
}

function passing(error: Error): undefined {
  if (!['ExpiredIteratorException', 'TrimmedDataAccessException'].includes(error.name)) throw error
}
