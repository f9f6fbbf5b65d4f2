import type { _Record } from '@aws-sdk/client-dynamodb-streams'
import { DescribeStreamCommand, GetRecordsCommand, GetShardIteratorCommand } from '@aws-sdk/client-dynamodb-streams'
import { compareSequenceNumbers } from '../../src/derived/change.ts'
import type { StreamsClient } from '../../src/stream/streams-client.ts'
import { type Review, reviewEntry, reviewKey } from './reviews.ts'

/** A shard as a test wants it. Sequence numbers are 1000 and up; the shard begins with the first of them. */
export interface StubShard {
  readonly shardId: string
  readonly parent?: string
  readonly records: readonly _Record[]
  /** Records before this sequence number are gone. */
  trimmedTo?: string
  readonly closed?: boolean
}

const START = '1000'
/** Of one read. */
const MOST_RECORDS = 1_000

/** A change stream of shards that a test makes up, with AWS's rules for what was trimmed. */
export function stubStreams(shards: StubShard[]): StreamsClient {
  const shardNamed = (shardId: string | undefined): StubShard => {
    const found = shards.find((shard) => shard.shardId === shardId)
    if (found === undefined) throw Object.assign(new Error('no such shard'), { name: 'ResourceNotFoundException' })
    return found
  }
  const send = async (command: unknown): Promise<unknown> => {
    if (command instanceof DescribeStreamCommand) {
      const Shards = shards.map(({ shardId, parent }) => ({
        ...{ ShardId: shardId, ParentShardId: parent },
        SequenceNumberRange: { StartingSequenceNumber: START },
      }))
      return { StreamDescription: { Shards } }
    }
    if (command instanceof GetShardIteratorCommand) {
      const { ShardId = '', ShardIteratorType, SequenceNumber = '' } = command.input
      const { trimmedTo, records } = shardNamed(ShardId)
      const isGone = trimmedTo !== undefined && compareSequenceNumbers(SequenceNumber, trimmedTo) < 0
      if (ShardIteratorType === 'LATEST') {
        return { ShardIterator: `${ShardId} ${records.at(-1)?.dynamodb?.SequenceNumber ?? '0'} after` }
      }
      if (ShardIteratorType === 'TRIM_HORIZON') return { ShardIterator: `${ShardId} ${trimmedTo ?? START} at` }
      if (isGone) throw Object.assign(new Error('gone'), { name: 'TrimmedDataAccessException' })
      return {
        ShardIterator: `${ShardId} ${SequenceNumber} ${ShardIteratorType === 'AT_SEQUENCE_NUMBER' ? 'at' : 'after'}`,
      }
    }
    if (command instanceof GetRecordsCommand) {
      const [shardId, from = '', kind] = (command.input.ShardIterator ?? '').split(' ')
      const { records, closed = false } = shardNamed(shardId)
      const isPast = ({ dynamodb }: _Record): boolean => {
        const order = compareSequenceNumbers(dynamodb?.SequenceNumber ?? '', from)
        return kind === 'at' ? order < 0 : order <= 0
      }
      // From the end: most reads come for the last few records of a long history.
      const first = records.findLastIndex(isPast) + 1
      const Records = records.slice(first, first + MOST_RECORDS)
      const last = Records.at(-1)?.dynamodb?.SequenceNumber
      const next = last === undefined ? command.input.ShardIterator : `${shardId} ${last} after`
      return { Records, ...(closed ? {} : { NextShardIterator: next }) }
    }
    throw new Error('a stream knows no such command')
  }
  return { send, destroy() {} } as unknown as StreamsClient
}

/** The record of a review that was created. */
export function createdRecord(sequenceNumber: number, review: Partial<Review> & Pick<Review, 'id'>): _Record {
  const made = { productId: 'p', language: 'en', rating: 3, text: '0', ...review }
  return {
    eventName: 'INSERT',
    dynamodb: {
      ApproximateCreationDateTime: new Date(1_760_000_000_000),
      Keys: reviewKey(review.id),
      NewImage: reviewEntry(made),
      SequenceNumber: String(sequenceNumber),
      StreamViewType: 'NEW_AND_OLD_IMAGES',
    },
  }
}
