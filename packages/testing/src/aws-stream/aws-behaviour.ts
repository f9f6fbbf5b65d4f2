import { seededRandom } from 'lapidary/internal'

/** The behaviour of `createAwsStream`'s change stream. Times are in AWS's seconds. */
export interface AwsBehaviour {
  /** Shards at the beginning; AWS has one for each partition of the table. */
  readonly shards: number
  /**
   * The most seconds by which a record comes late. AWS promises "in near-real time" only (Developer Guide, Change data capture for DynamoDB
   * Streams).
   */
  readonly lateSeconds: number
  /**
   * The share, 0 to 1, of reads after which several in a row are empty although more records are there: "it might take multiple calls to get to
   * a portion of the shard that contains stream records" (API Reference, GetRecords).
   */
  readonly emptyPages: number
  /**
   * The share of reads that return only some of the records that are there. A read returns at most 1,000 records and 1 MB, and may return fewer
   * (API Reference, GetRecords).
   */
  readonly shortPages: number
  /**
   * The most seconds by which a child is listed after its parent ends, each child by itself. The DynamoDB Streams Kinesis adapter asks ten times
   * for the children of an ended shard (DynamoDBStreamsDataFetcher.getChildShards), and Flink's connector took closed shards without children
   * for an inconsistency of DescribeStream (SplitGraphInconsistencyTracker).
   */
  readonly listedSeconds: number
  /** Seconds for which a shard takes records: about four hours (opensearch-project/data-prepper, issue 5208; it is not documented). */
  readonly shardSeconds: number
  /** Records after which a shard is closed early: "or after the shard has a certain amount of data" (as above). */
  readonly shardRecords: number
  /**
   * The share of closing shards that have two children. "Any shard can also split into multiple new shards (…). It's also possible for a parent
   * shard to have just one child shard" (Developer Guide, Change data capture for DynamoDB Streams). AWS does not say where one is split: half
   * of them are in the middle, the others anywhere.
   */
  readonly splits: number
  /** Seconds for which records are kept: 24 hours (Developer Guide, as above). */
  readonly retentionSeconds: number
  /** Seconds for which an iterator can be used: 15 minutes (API Reference, GetShardIterator). */
  readonly iteratorSeconds: number
  /**
   * The most seconds by which an eventually consistent read is behind: it "might not reflect the results of a recently completed write
   * operation" (Developer Guide, DynamoDB read consistency). AWS names no time; "usually a second or less".
   */
  readonly staleSeconds: number
}

/** Events of AWS's stream that the stream of a local engine does not have. */
export type AwsOccurrence =
  /** A read returned less than was written, since a record was late. */
  | 'late'
  | 'empty'
  | 'short'
  /** A shard was closed and has one child. */
  | 'rolledOver'
  /** A shard was closed and has two children. */
  | 'split'
  /** DescribeStream listed a closed shard without a child that it has. */
  | 'childless'
  /** DescribeStream listed one of two children without the other. */
  | 'halved'
  /** DescribeStream listed a child of a parent that seems to be open. */
  | 'openParent'
  /** DescribeStream told of another page, and there was nothing in it. */
  | 'emptyListing'
  /** A read was refused, since what it asked for was trimmed. */
  | 'trimmed'
  /** TRIM_HORIZON began behind records that were trimmed, without a word. */
  | 'trimmedSilently'
  /** A shard that is asked for is known no more. */
  | 'forgotten'
  | 'expired'
  /** A read gave an earlier image of an item. */
  | 'stale'
  /** A write was made while the stream was off. */
  | 'unheard'

/**
 * AWS's stream at its best: prompt, with one shard, and AWS's own limits. Tests add single troubles to it.
 *
 * @example
 * ```ts run
 * const late = { ...PROMPT_STREAM, lateSeconds: 5 }
 * ```
 */
export const PROMPT_STREAM: AwsBehaviour = {
  shards: 1,
  lateSeconds: 0,
  emptyPages: 0,
  shortPages: 0,
  listedSeconds: 0,
  shardSeconds: 4 * 3_600,
  shardRecords: Number.POSITIVE_INFINITY,
  splits: 0,
  retentionSeconds: 24 * 3_600,
  iteratorSeconds: 15 * 60,
  staleSeconds: 0,
}

/**
 * Draws a behaviour from a seed: some troubles are absent, others rare, others common. Events that take hours on AWS take hours here too, unless
 * `pass` and `rollOver` bring them about.
 *
 * @example
 * ```ts run
 * const behaviour = drawAwsBehaviour(7)
 * ```
 */
export function drawAwsBehaviour(seed: number): AwsBehaviour {
  const random = seededRandom(seed)
  const orNone = (most: number): number => (random() < 0.3 ? 0 : random() * most)
  return {
    ...PROMPT_STREAM,
    shards: 1 + Math.floor(random() * 3),
    lateSeconds: orNone(6),
    emptyPages: orNone(0.6),
    shortPages: orNone(0.7),
    listedSeconds: orNone(12),
    shardRecords: random() < 0.5 ? Number.POSITIVE_INFINITY : 120 + Math.floor(random() * 300),
    splits: random() * 0.5,
    iteratorSeconds: random() < 0.5 ? 15 * 60 : 10 + random() * 50,
    staleSeconds: orNone(1),
  }
}
