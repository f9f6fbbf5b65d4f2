import { queryPages, wholePartition } from '../table/paging.ts'
import type { TableClient } from '../table/table-client.ts'
import { readCheckpoint } from './checkpoint.ts'
import { areCountsMarkedComplete } from './counted-mark.ts'
import { COVERED_PARTITION, POISON_PARTITION } from './poison.ts'

/**
 * Whether the counts of a table lack nothing but what is still in the stream: they were counted from an empty table or
 * rebuilt, no records were lost to the stream's retention, and none were set aside. Costs some 3 RCU.
 */
export async function countsAreComplete(table: TableClient, shardIds: readonly string[]): Promise<boolean> {
  const [marked, aside, covered, checkpoints] = await Promise.all([
    areCountsMarkedComplete(table),
    isEmpty(table, POISON_PARTITION),
    isEmpty(table, COVERED_PARTITION),
    Promise.all(shardIds.map((shardId) => readCheckpoint(table, shardId))),
  ])
  return marked && aside && covered && checkpoints.every(({ gap }) => !gap)
}

async function isEmpty(table: TableClient, partition: string): Promise<boolean> {
  const page = await queryPages(table, { ...wholePartition(partition), ConsistentRead: true, Limit: 1 }).next()
  return (page.value?.Items ?? []).length === 0
}
