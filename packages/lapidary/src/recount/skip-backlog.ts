import { randomUUID } from 'node:crypto'
import { checkpointKey, readCheckpoint } from '../stream/checkpoint.ts'
import { unmarkCountsComplete } from '../stream/counted-mark.ts'
import { followShard } from '../stream/follow-shard.ts'
import { ifOwner, type Lease, leaseOf, updateIf } from '../stream/lease.ts'
import { listShards, streamArn } from '../stream/shards.ts'
import type { StreamsClient } from '../stream/streams-client.ts'
import type { TableClient } from '../table/table-client.ts'

export interface SkipBacklogOptions {
  readonly table: TableClient
  readonly streams: StreamsClient
  readonly clock: () => number
  readonly idleMs: number
  readonly leaseMs: number
  readonly signal: AbortSignal
  /** Told how many records were read. */
  readonly onRecords: (records: number) => void
}

/** Records that the projections count in about a second; fewer are not worth a gap. */
const LEAST_BACKLOG = 1_000
const END_READS = 2

/**
 * Moves checkpoints over what no process counts, up to the newest record, and notes a gap: the rebuild that follows makes up for
 * it at once, where the projections would count it record by record. A rebuild that dies leaves the gap noted, and the next
 * one makes up for it. Shards that another process counts are left alone.
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
  const lease = leaseOf(table, { key: checkpointKey(shardId), owner: randomUUID(), leaseMs, clock })
  if ((await readCheckpoint(table, shardId)).finished || !(await lease.renew())) return before
  try {
    const { sequenceNumber } = await readCheckpoint(table, shardId)
    let records = 0
    let last: string | undefined
    const reads = followShard({
      ...{ streams, arn, shardId, after: sequenceNumber, endReads: END_READS, clock, signal },
      pauseAfter: ({ cut }) => (cut ? 0 : idleMs),
    })
    for await (const read of reads) {
      if (!(await lease.keep())) return before + records
      records += read.records
      onRecords(before + records)
      last = read.last ?? last
      if (read.caughtUpAt !== undefined) break
    }
    signal.throwIfAborted()
    if (records >= LEAST_BACKLOG && last !== undefined) await skipTo(table, shardId, lease, sequenceNumber, last)
    return before + records
  } finally {
    await lease.release()
  }
}

/** Nothing happens if the checkpoint was moved or the lease lost meanwhile: then another process counts. */
async function skipTo(
  table: TableClient,
  shardId: string,
  { owner }: Lease,
  from: string | undefined,
  to: string,
): Promise<void> {
  await unmarkCountsComplete(table)
  const owned = ifOwner(owner, {
    UpdateExpression: 'SET sequenceNumber = :to, gap = :yes ADD gaps :one',
    ExpressionAttributeValues: {
      ...{ ':to': { S: to }, ':yes': { BOOL: true }, ':one': { N: '1' } },
      ...(from === undefined ? {} : { ':from': { S: from } }),
    },
  })
  const unmoved = from === undefined ? 'attribute_not_exists(sequenceNumber)' : 'sequenceNumber = :from'
  const ConditionExpression = `${owned.ConditionExpression} AND ${unmoved}`
  await updateIf(table, checkpointKey(shardId), { ...owned, ConditionExpression })
}
