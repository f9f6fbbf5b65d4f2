import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { _Record, DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams'
import { keyEntry } from '../../src/derived/guarded-write.ts'
import { stubStreams } from '../stream/stub-streams.ts'
import { memoryItems } from './memory-items.ts'

/** A table in memory and its change stream of one shard, as an engine's clients give them. */
export function memoryDatabase(tableName: string): {
  readonly client: DynamoDBClient
  readonly streams: DynamoDBStreamsClient
  readonly arn: string
} {
  const arn = `arn:${tableName}`
  const records: _Record[] = []
  let sequence = 1_000
  const items = memoryItems({
    tableName,
    description: { LatestStreamArn: arn },
    changed(key, OldImage, NewImage) {
      const at = new Date(Math.floor(Date.now() / 1_000) * 1_000)
      const change = { Keys: keyEntry(key), SequenceNumber: String(sequence++), ApproximateCreationDateTime: at }
      if (OldImage === undefined && NewImage === undefined) return
      records.push({ dynamodb: { ...change, ...(OldImage && { OldImage }), ...(NewImage && { NewImage }) } })
    },
  })
  const client = { send: items.send, destroy() {} } as unknown as DynamoDBClient
  return { client, streams: stubStreams([{ shardId: 'shard', records }]), arn }
}
