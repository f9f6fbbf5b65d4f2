import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { UpdateItemCommand } from '@aws-sdk/client-dynamodb'
import type { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams'
import { keyEntry } from '../derived/guarded-write.ts'
import { acquireLease, checkpointKey, readCheckpoint, releaseLease } from '../stream/checkpoint.ts'
import { unmarkCountsComplete } from '../stream/counted-mark.ts'
import { createShardReader } from '../stream/shard-reader.ts'
import { listShards, streamArn } from '../stream/shards.ts'
import type { TableClient } from '../table/table-client.ts'

export interface SkipBacklogOptions {
  readonly table: TableClient
  readonly streams: DynamoDBStreamsClient
  readonly clock: () => number
  readonly idleMs: number
  readonly leaseMs: number
  readonly signal: AbortSignal
  /** Told how many records were read. */
  readonly onRecords: (records: number) => void
}

/** Records that the projections count in about a second; fewer are not worth a gap. */
const LEAST_BACKLOG = 1_000
const SHORT_READ = 200
const SHORT_READS = 2

/**
 * Moves checkpoints over what nobody counts, up to the newest record, and notes a gap: the rebuild that follows makes up for
 * it at once, where the projections would count it record by record. A rebuild that dies leaves the gap noted, and the next
 * one makes up for it. Shards that somebody counts are left alone.
 */
export async function skipBacklog(options: SkipBacklogOptions): Promise<void> {
  const arn = await streamArn(options.table)
  let records = 0
  for (const { shardId } of await listShards(options.streams, arn)) {
    records = await skipShard(options, arn, shardId, records)
  }
}

async function skipShard(options: SkipBacklogOptions, arn: string, shardId: string, before: number): Promise<number> {
  const { table, streams, clock, idleMs, leaseMs, signal, onRecords } = options
  const owner = randomUUID()
  const lease = (): Promise<boolean> => {
    const now = clock()
    return acquireLease(table, shardId, { owner, now, until: now + leaseMs })
  }
  if ((await readCheckpoint(table, shardId)).finished || !(await lease())) return before
  try {
    const { sequenceNumber } = await readCheckpoint(table, shardId)
    const reader = createShardReader(streams, arn, shardId, sequenceNumber)
    let renewedAt = clock()
    let records = 0
    let last: string | undefined
    for (let short = 0; short < SHORT_READS; ) {
      signal.throwIfAborted()
      if (clock() - renewedAt > leaseMs / 3) {
        if (!(await lease())) return before + records
        renewedAt = clock()
      }
      const batch = await reader.next()
      records += batch.records
      onRecords(before + records)
      last = batch.last ?? last
      if (batch.end) break
      short = batch.records < SHORT_READ ? short + 1 : 0
      if (short > 0) await sleep(idleMs)
    }
    if (records >= LEAST_BACKLOG && last !== undefined) await skipTo(table, shardId, owner, sequenceNumber, last)
    return before + records
  } finally {
    await releaseLease(table, shardId, owner)
  }
}

/** Nothing happens if the checkpoint was moved or the lease lost meanwhile: then somebody counts. */
async function skipTo(
  table: TableClient,
  shardId: string,
  owner: string,
  from: string | undefined,
  to: string,
): Promise<void> {
  await unmarkCountsComplete(table)
  try {
    await table.send(
      new UpdateItemCommand({
        TableName: table.tableName,
        Key: keyEntry(checkpointKey(shardId)),
        UpdateExpression: 'SET sequenceNumber = :to, gap = :yes ADD gaps :one',
        ConditionExpression: `#owner = :owner AND ${from === undefined ? 'attribute_not_exists(sequenceNumber)' : 'sequenceNumber = :from'}`,
        ExpressionAttributeNames: { '#owner': 'owner' },
        ExpressionAttributeValues: {
          ':to': { S: to },
          ':yes': { BOOL: true },
          ':one': { N: '1' },
          ':owner': { S: owner },
          ...(from === undefined ? {} : { ':from': { S: from } }),
        },
      }),
    )
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'ConditionalCheckFailedException') throw error
  }
}
