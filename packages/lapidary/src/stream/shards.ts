import { DescribeTableCommand } from '@aws-sdk/client-dynamodb'
import { DescribeStreamCommand } from '@aws-sdk/client-dynamodb-streams'
import { LapidaryError } from '../model/errors.ts'
import type { TableClient } from '../table/table-client.ts'
import type { StreamsClient } from './streams-client.ts'

/** A shard of a change stream, and the one that it took over from. */
export interface Shard {
  readonly shardId: string
  readonly parentShardId: string | undefined
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

export async function listShards(streams: StreamsClient, arn: string): Promise<readonly Shard[]> {
  const shards: Shard[] = []
  let after: string | undefined
  do {
    const { StreamDescription } = await streams.send(
      new DescribeStreamCommand({ StreamArn: arn, ...(after === undefined ? {} : { ExclusiveStartShardId: after }) }),
    )
    for (const { ShardId, ParentShardId, SequenceNumberRange } of StreamDescription?.Shards ?? []) {
      if (ShardId === undefined) continue
      shards.push({
        shardId: ShardId,
        parentShardId: ParentShardId,
        start: SequenceNumberRange?.StartingSequenceNumber,
      })
    }
    after = StreamDescription?.LastEvaluatedShardId
  } while (after !== undefined)
  return shards
}
