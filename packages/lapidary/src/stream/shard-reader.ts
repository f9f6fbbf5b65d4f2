import { type _Record, GetRecordsCommand, GetShardIteratorCommand } from '@aws-sdk/client-dynamodb-streams'
import { type Change, changeOf } from '../derived/change.ts'
import { meaningOf } from '../table/error-meaning.ts'
import type { Shard } from './shards.ts'
import type { StreamsClient } from './streams-client.ts'

/** What one read of a shard gave. */
export interface ShardRead {
  readonly changes: readonly Change[]
  /** Records read, with those that change nothing. */
  readonly records: number
  /** The last sequence number read, also of records that change nothing. */
  readonly last: string | undefined
  /** The shard is closed and this was its end. */
  readonly end: boolean
  /** Records before these were trimmed before they could be read. */
  readonly gap: boolean
  /** Nearer to all that one read gives than the largest record is long, so that more is likely to be waiting. */
  readonly full: boolean
}

/** What one GetRecords gives at most (AWS API Reference), and the largest record: two images. */
const MOST_RECORDS = 1_000
const MOST_BYTES = 2 ** 20
const LARGEST_RECORD = 2 * 400 * 1024

/** Reads a shard onwards from a sequence number. */
export interface ShardReader {
  next(): Promise<ShardRead>
}

/** A shard of a stream, where the stream can be asked for it. */
export interface ShardSource {
  readonly streams: Pick<StreamsClient, 'send'>
  readonly arn: string
  /** Without its start it can't be told what is gone of a shard of which nothing was processed. */
  readonly shard: Pick<Shard, 'shardId'> & Partial<Shard>
}

/** @param after The last sequence number that was processed; from the oldest record that is left when undefined. */
export function createShardReader(source: ShardSource, after: string | undefined): ShardReader {
  let iterator: string | undefined
  let position = after
  let beginning = source.shard.start
  let gap = false

  /** The oldest record that is left says nothing of those that are not. */
  function openOldest(): Promise<string | undefined> {
    gap = true
    position = undefined
    beginning = undefined
    return iteratorAt(source, undefined, undefined)
  }

  async function open(): Promise<string | undefined> {
    try {
      return await iteratorAt(source, position, beginning)
    } catch (error) {
      if (!isTrimming(error)) throw error
      return openOldest()
    }
  }

  return {
    async next() {
      iterator ??= await open()
      const given = iterator
      iterator = undefined
      try {
        const output = await source.streams.send(new GetRecordsCommand({ ShardIterator: given }))
        const { Records = [], NextShardIterator } = output
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
          full: Records.length >= MOST_RECORDS || bytesOf(Records) > MOST_BYTES - LARGEST_RECORD,
        }
      } catch (error) {
        if (isTrimming(error)) iterator = await openOldest()
        else if (meaningOf(error) !== 'iterator expired') throw error
        return this.next()
      }
    },
  }
}

/** AWS may give a short read, or an empty one, before there is more. */
const SHORT_READS = 2

/** What a shard has by now, until two reads in a row are short: as good as a report needs, and no proof. */
export async function* readsOf(source: ShardSource, after: string | undefined): AsyncGenerator<ShardRead> {
  const reader = createShardReader(source, after)
  for (let short = 0; short < SHORT_READS; ) {
    const read = await reader.next()
    yield read
    if (read.end) return
    short = read.full ? 0 : short + 1
  }
}

/** Whether records were trimmed that come after a sequence number, or after the beginning of a shard of which none was processed. */
export async function isTrimmed(source: ShardSource, after: string | undefined): Promise<boolean> {
  try {
    await iteratorAt(source, after, source.shard.start)
    return false
  } catch (error) {
    if (!isTrimming(error)) throw error
    return true
  }
}

async function iteratorAt(
  { streams, arn: StreamArn, shard: { shardId: ShardId } }: ShardSource,
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
  return meaningOf(error) === 'trimmed'
}

function bytesOf(records: readonly _Record[]): number {
  return records.reduce((sum, { dynamodb }) => sum + (dynamodb?.SizeBytes ?? 0), 0)
}
