import { DescribeTableCommand } from '@aws-sdk/client-dynamodb'
import { DescribeStreamCommand } from '@aws-sdk/client-dynamodb-streams'
import { LapidaryError } from '../model/errors.ts'
import type { TableClient } from '../table/table-client.ts'
import { Lineage, type Linked } from './lineage.ts'
import type { StreamsClient } from './streams-client.ts'

/** AWS names a shard by when it was opened, in milliseconds since 1970, as its Flink connector reads it, too. Other names tell nothing. */
export function openedAt(shardId: string): number {
  return Number(/^shardId-(\d{20})-/.exec(shardId)?.[1] ?? 0)
}

/** AWS names a stream by when it began, too, here in milliseconds since 1970; never where it is named otherwise. */
export function beganAt(arn: string): number {
  const label = /\/stream\/(\d{4}-\d\d-\d\dT[\d:.]+)$/.exec(arn)?.[1]
  return label === undefined ? Number.POSITIVE_INFINITY : Date.parse(`${label}Z`)
}

/**
 * DynamoDB Local numbers the changes of all tables together. It tells as the start of a shard a number that may be another table's, and calls the shard
 * trimmed that is read from there on.
 */
const LOCAL = /^arn:aws:dynamodb:ddblocal:/

/** A shard of a change stream. */
export interface Shard extends Linked {
  /** The sequence number that it began with; undefined where the engine does not tell. */
  readonly start: string | undefined
}

/** @throws {LapidaryError} `table_mismatch` when the table has no change stream, or one without both images. */
export async function streamArn(table: TableClient): Promise<string> {
  const { Table } = await table.send(new DescribeTableCommand({ TableName: table.tableName }))
  if (Table?.LatestStreamArn === undefined || Table.StreamSpecification?.StreamEnabled === false) {
    throw new LapidaryError(
      'table_mismatch',
      `the table ${table.tableName} has no change stream; enable one with NEW_AND_OLD_IMAGES`,
    )
  }
  const view = Table.StreamSpecification?.StreamViewType
  if (view !== undefined && view !== 'NEW_AND_OLD_IMAGES') {
    throw new LapidaryError(
      'table_mismatch',
      `the change stream of ${table.tableName} has ${view}; counts need NEW_AND_OLD_IMAGES`,
    )
  }
  return Table.LatestStreamArn
}

/**
 * Lists the shards of a change stream. The pages of a listing are read one after the other, and a parent may be listed behind the
 * page that was read while its child is listed on the next: such a parent is not forgotten, and the next listing has it.
 *
 * @param missed The parents that the last listing did not have, for who lists again and again: the stream has forgotten them.
 */
export async function listShards(
  streams: StreamsClient,
  arn: string,
  missed: Set<string> = new Set(),
): Promise<readonly Shard[]> {
  for (;;) {
    const { shards, pages } = await listOnce(streams, arn)
    const { missing } = new Lineage(shards)
    const areForgotten = missing.every((parent) => missed.has(parent))
    missed.clear()
    for (const parent of missing) missed.add(parent)
    if (pages === 1 || areForgotten) return shards
  }
}

async function listOnce(streams: StreamsClient, arn: string): Promise<{ shards: readonly Shard[]; pages: number }> {
  const shards: Shard[] = []
  let pages = 0
  let after: string | undefined
  do {
    const { StreamDescription } = await streams.send(
      new DescribeStreamCommand({ StreamArn: arn, ...(after === undefined ? {} : { ExclusiveStartShardId: after }) }),
    )
    pages += 1
    for (const { ShardId, ParentShardId, SequenceNumberRange } of StreamDescription?.Shards ?? []) {
      if (ShardId === undefined) continue
      shards.push({
        shardId: ShardId,
        parentShardId: ParentShardId,
        start: LOCAL.test(arn) ? undefined : SequenceNumberRange?.StartingSequenceNumber,
      })
    }
    after = StreamDescription?.LastEvaluatedShardId
  } while (after !== undefined)
  return { shards, pages }
}
