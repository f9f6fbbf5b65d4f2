import type { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams'
import { GetRecordsCommand } from '@aws-sdk/client-dynamodb-streams'
import { expect, test } from 'vitest'
import { followShard } from './follow-shard.ts'

const FULL = 1_000

/** A shard whose reads give so many records one after the other, or fail; it ends after them. */
function shardOf(reads: readonly (number | Error)[]): Pick<DynamoDBStreamsClient, 'send'> {
  const left = [...reads]
  const send = async (command: object): Promise<unknown> => {
    if (!(command instanceof GetRecordsCommand)) return { ShardIterator: 'next' }
    const read = left.shift()
    if (read instanceof Error) throw read
    const Records = Array.from({ length: read ?? 0 }, () => ({ dynamodb: {} }))
    return { Records, ...(left.length > 0 ? { NextShardIterator: 'next' } : {}) }
  }
  return { send } as unknown as DynamoDBStreamsClient
}

function follow(reads: readonly (number | Error)[], endReads: number, mostFailures = 0, signal = aborts().signal) {
  let time = 0
  const clock = () => ++time
  const place = { arn: 'arn', shardId: 's', after: undefined, pauseAfter: () => 0 }
  return followShard({ streams: shardOf(reads), ...place, endReads, mostFailures, clock, signal })
}

const aborts = (): AbortController => new AbortController()

test('is at the end once so many reads in a row left nothing waiting, as of the first of them', async () => {
  const found: (number | undefined)[] = []
  for await (const { caughtUpAt } of follow([0, 0, FULL, 3, 0, 5, FULL, 0], 3)) found.push(caughtUpAt)
  expect(found).toEqual([undefined, undefined, undefined, undefined, undefined, 4, undefined, undefined])
})

test('reads to the end of the shard, and says so', async () => {
  const ends: boolean[] = []
  for await (const { end } of follow([1, 2, 0], 1)) ends.push(end)
  expect(ends).toEqual([false, false, true])
})

test('passes over so many failures in a row, and no more', async () => {
  const down = new Error('down')
  const records: number[] = []
  for await (const read of follow([1, down, 2, down, 3], 1, 1)) records.push(read.records)
  expect(records).toEqual([1, 2, 3])
  await expect(follow([down, down], 1, 1).next()).rejects.toBe(down)
})

test('stops when it is told to', async () => {
  const stop = aborts()
  let reads = 0
  for await (const _ of follow([0, 0, 0, 0], 1, 0, stop.signal)) {
    reads++
    stop.abort()
  }
  expect(reads).toBe(1)
})
