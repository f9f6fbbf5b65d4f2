import { isDeepStrictEqual } from 'node:util'
import { DescribeTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { AwsStream } from 'lapidary-testing'
import { compareSequenceNumbers } from '../../src/derived/change.ts'
import { checkpointOf } from '../../src/stream/checkpoint.ts'
import { describeChange } from '../../src/stream/described-change.ts'
import { createShardReader } from '../../src/stream/shard-reader.ts'
import { listShards, type Shard } from '../../src/stream/shards.ts'
import { historySums } from './history-derived.ts'
import { recount, scan } from './recount.ts'

/** What derived items say otherwise than a recount of all items; undefined where they say the same. */
export async function driftIn(client: DynamoDBClient, tableName: string): Promise<string | undefined> {
  const { found, expected, deadLetters } = await recount(client, tableName)
  if (deadLetters.length > 0) return `there are ${deadLetters.length} dead letters`
  // Of the board by an average the answers tell.
  const keys = [...new Set([...Object.keys(found), ...Object.keys(expected)])].filter((key) => !/ dearest/.test(key))
  const wrong = keys.filter((key) => !isDeepStrictEqual(found[key], expected[key]))
  const [first] = wrong
  if (first === undefined) return undefined
  const text = (value: unknown): string => JSON.stringify(value) ?? 'nothing'
  return `${wrong.length} derived items are wrong: ${first} is ${text(found[first])}, not ${text(expected[first])}`
}

/** A shard of which a change that counts is beyond the checkpoint; undefined where there is none. */
export async function pendingIn(
  aws: Pick<AwsStream, 'client' | 'streams'>,
  client: DynamoDBClient,
  tableName: string,
): Promise<string | undefined> {
  const { streams } = aws
  const entries = await scan(client, tableName)
  const { arn, shards } = await listingOf(aws, tableName)
  for (const { shardId } of shards) {
    const { sequenceNumber = '', finished } = checkpointOf(entries.find(({ PK }) => PK?.S === `~STREAM#${shardId}`))
    if (finished) continue
    const { changes } = await createShardReader({ streams, arn, shard: { shardId } }, undefined).next()
    const isPending = changes.some(
      (change) =>
        compareSequenceNumbers(change.sequenceNumber, sequenceNumber) > 0 &&
        describeChange(change, historySums).additions.length > 0,
    )
    if (isPending) return `not all of ${shardId} was counted`
  }
  return undefined
}

export async function listingOf(
  { streams, client }: Pick<AwsStream, 'client' | 'streams'>,
  tableName: string,
): Promise<{ readonly arn: string; readonly shards: readonly Shard[] }> {
  const { Table } = await client.send(new DescribeTableCommand({ TableName: tableName }))
  const arn = Table?.LatestStreamArn ?? ''
  return { arn, shards: await listShards(streams, arn) }
}
