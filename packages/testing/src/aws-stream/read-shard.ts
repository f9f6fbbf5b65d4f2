import type {
  GetRecordsCommandInput,
  GetRecordsCommandOutput,
  GetShardIteratorCommandInput,
} from '@aws-sdk/client-dynamodb-streams'
import { dynamodbError, resourceNotFound } from '../faults/fault-errors.ts'
import type { ShardLog, StreamShard, StreamWorld } from './shard-log.ts'

/** The most records of one GetRecords (API Reference). */
export const MOST_RECORDS = 1_000
const FEW_RECORDS = 8
/** The most empty reads in a row: more than a reader might take for the end. */
const MOST_EMPTY_PAGES = 8

/** A reader's place in a shard; its iterator holds all of it. */
export interface ReaderPlace {
  readonly arn: string
  readonly shardId: string
  /** The records above this number come next. */
  readonly after: bigint
  readonly givenAt: number
  /** The number of empty reads before the next one with records. */
  readonly empty: number
}

export function iteratorOf({ arn, shardId, after, givenAt, empty }: ReaderPlace): string {
  return JSON.stringify([arn, shardId, String(after), givenAt, empty])
}

export function readerPlaceOf(iterator: string | undefined): ReaderPlace {
  const [arn, shardId, after, givenAt, empty] = JSON.parse(iterator ?? '') as [string, string, string, number, number]
  return { arn, shardId, after: BigInt(after), givenAt, empty }
}

/** Returns the place at which GetShardIterator sets a reader down. */
export function firstReaderPlace(log: ShardLog, input: GetShardIteratorCommandInput, world: StreamWorld): ReaderPlace {
  const shard = shardNamed(log, input.ShardId, world)
  const number = BigInt(input.SequenceNumber ?? 0)
  const place = (after: bigint): ReaderPlace => ({
    ...{ arn: input.StreamArn ?? '', shardId: shard.shardId, after },
    ...{ givenAt: world.seconds(), empty: emptyPages(world) },
  })
  switch (input.ShardIteratorType) {
    case 'TRIM_HORIZON':
      // "Start reading at the last (untrimmed) stream record, which is the oldest record" (API Reference, GetShardIterator).
      if (shard.trimmedTo !== undefined) world.note('trimmedSilently')
      return place(shard.trimmedTo ?? shard.start - 1n)
    case 'LATEST':
      return place(shard.records.at(-1)?.number ?? shard.trimmedTo ?? shard.start - 1n)
    default:
      // "You request a shard iterator with a sequence number older than the trim point" (API Reference, TrimmedDataAccessException).
      requireUntrimmed(shard, number - 1n, world)
      return place(input.ShardIteratorType === 'AT_SEQUENCE_NUMBER' ? number - 1n : number)
  }
}

export function readShardPage(
  log: ShardLog,
  { ShardIterator, Limit = MOST_RECORDS }: GetRecordsCommandInput,
  world: StreamWorld,
): GetRecordsCommandOutput {
  const { random, note } = world
  const now = world.seconds()
  const place = readerPlaceOf(ShardIterator)
  if (now - place.givenAt > world.behaviour.iteratorSeconds) {
    note('expired')
    throw dynamodbError('ExpiredIteratorException')
  }
  const shard = shardNamed(log, place.shardId, world)
  // "You obtain a shard iterator, but before you use the iterator (…) a stream record in the shard exceeds the 24 hour period".
  requireUntrimmed(shard, place.after, world)
  const next = (after: bigint, empty: number): string => iteratorOf({ ...place, after, givenAt: now, empty })
  const waiting = shard.records.filter(({ number }) => number > place.after)
  const visible = waiting.filter(({ visibleAt }) => visibleAt <= now)
  if (place.empty > 0) {
    if (visible.length > 0) note('empty')
    return { $metadata: {}, Records: [], NextShardIterator: next(place.after, place.empty - 1) }
  }
  if (visible.length < waiting.length) note('late')
  const isShort = visible.length > 1 && random() < world.behaviour.shortPages
  if (isShort) note('short')
  const page = visible.slice(0, isShort ? 1 + Math.floor(random() * FEW_RECORDS) : Limit).slice(0, Limit)
  const isRead = page.length === waiting.length && shard.closed !== undefined && shard.closed.visibleAt <= now
  // The end comes with the last records, or in a read of its own after them.
  const isEnd = isRead && (page.length === 0 || random() < 0.5)
  return {
    $metadata: {},
    Records: page.map(({ record }) => record),
    ...(isEnd ? {} : { NextShardIterator: next(page.at(-1)?.number ?? place.after, emptyPages(world)) }),
  }
}

/** Draws a stretch without records, which a reader may meet where it begins or goes on. */
function emptyPages({ behaviour, random }: StreamWorld): number {
  return random() < behaviour.emptyPages ? 1 + Math.floor(random() * MOST_EMPTY_PAGES) : 0
}

function requireUntrimmed({ trimmedTo }: StreamShard, after: bigint, { note }: StreamWorld): void {
  if (trimmedTo === undefined || after >= trimmedTo) return
  note('trimmed')
  throw dynamodbError('TrimmedDataAccessException')
}

/** Finds a shard. Flink's connector takes ResourceNotFoundException for a shard that is "no longer valid" (DynamoDbStreamsProxy). */
function shardNamed({ shards }: ShardLog, shardId: string | undefined, { note }: StreamWorld): StreamShard {
  const shard = shards.find((each) => each.shardId === shardId)
  if (shard !== undefined) return shard
  note('forgotten')
  throw resourceNotFound(`the shard ${shardId}`)
}
