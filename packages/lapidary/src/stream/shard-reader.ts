import { type _Record, GetRecordsCommand, GetShardIteratorCommand } from '@aws-sdk/client-dynamodb-streams'
import { type Change, changeOf } from '../derived/change.ts'
import type { Shard } from './shards.ts'
import type { StreamsClient } from './streams-client.ts'

/** What one read of a shard gave. */
export interface ShardBatch {
  readonly changes: readonly Change[]
  /** Records read, with those that change nothing. */
  readonly records: number
  /** The last sequence number read, also of records that change nothing. */
  readonly last: string | undefined
  /** The shard is closed and this was its end. */
  readonly end: boolean
  /** Records before these were trimmed before they could be read. */
  readonly gap: boolean
  /** Nearer to all that one read gives than the largest record is long, so that more may be waiting. */
  readonly cut: boolean
  /** So much that more is likely to be waiting. */
  readonly large: boolean
}

/** What one GetRecords gives at most (AWS API Reference), and the largest record: two images. */
const MOST_RECORDS = 1_000
const MOST_BYTES = 2 ** 20
const LARGEST_RECORD = 2 * 400 * 1024

/** Reads a shard onwards from a sequence number. */
export interface ShardReader {
  next(limit?: number): Promise<ShardBatch>
}

/**
 * @param after The last sequence number that was processed; from the oldest record that is left when undefined.
 * @param start Where the shard began: what is gone of a shard of which nothing was processed can be told only with it.
 */
export function createShardReader(
  streams: Pick<StreamsClient, 'send'>,
  arn: string,
  shardId: string,
  after: string | undefined,
  start?: string,
): ShardReader {
  let iterator: string | undefined
  let position = after
  let beginning = start
  let gap = false

  async function open(): Promise<string | undefined> {
    try {
      return await iteratorAt(streams, arn, shardId, position, beginning)
    } catch (error) {
      if (!isTrimming(error)) throw error
      return openOldest()
    }
  }

  /** The oldest record that is left says nothing of those that are not. */
  function openOldest(): Promise<string | undefined> {
    gap = true
    position = undefined
    beginning = undefined
    return iteratorAt(streams, arn, shardId, undefined, undefined)
  }

  return {
    async next(limit) {
      iterator ??= await open()
      const given = iterator
      try {
        const { Records = [], NextShardIterator } = await streams.send(
          new GetRecordsCommand({ ShardIterator: given, ...(limit === undefined ? {} : { Limit: limit }) }),
        )
        const last = Records.at(-1)?.dynamodb?.SequenceNumber
        iterator = NextShardIterator
        position = last ?? position
        const gapBefore = gap
        gap = false
        return {
          changes: Records.map(changeOf).filter((change) => change !== undefined),
          records: Records.length,
          last,
          end: NextShardIterator === undefined,
          gap: gapBefore,
          cut: Records.length >= MOST_RECORDS || bytesOf(Records) > MOST_BYTES - LARGEST_RECORD,
          large: Records.length >= MOST_RECORDS || bytesOf(Records) > MOST_BYTES / 2,
        }
      } catch (error) {
        iterator = undefined
        if (isNamed(error, 'ExpiredIteratorException')) return this.next(limit)
        if (!isTrimming(error)) throw error
        iterator = await openOldest()
        return this.next(limit)
      }
    },
  }
}

/** Whether records were trimmed that come after a sequence number, or after the beginning of a shard of which none was processed. */
export async function isTrimmed(
  streams: Pick<StreamsClient, 'send'>,
  arn: string,
  { shardId, start }: Pick<Shard, 'shardId' | 'start'>,
  after: string | undefined,
): Promise<boolean> {
  try {
    await iteratorAt(streams, arn, shardId, after, start)
    return false
  } catch (error) {
    if (!isTrimming(error)) throw error
    return true
  }
}

async function iteratorAt(
  streams: Pick<StreamsClient, 'send'>,
  StreamArn: string,
  ShardId: string,
  after: string | undefined,
  start: string | undefined,
): Promise<string | undefined> {
  const place =
    after !== undefined
      ? { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER' as const, SequenceNumber: after }
      : start !== undefined
        ? { ShardIteratorType: 'AT_SEQUENCE_NUMBER' as const, SequenceNumber: start }
        : { ShardIteratorType: 'TRIM_HORIZON' as const }
  return (await streams.send(new GetShardIteratorCommand({ StreamArn, ShardId, ...place }))).ShardIterator
}

function isTrimming(error: unknown): boolean {
  return isNamed(error, 'TrimmedDataAccessException')
}

function bytesOf(records: readonly _Record[]): number {
  return records.reduce((sum, { dynamodb }) => sum + (dynamodb?.SizeBytes ?? 0), 0)
}

function isNamed(error: unknown, name: string): boolean {
  return error instanceof Error && error.name === name
}
