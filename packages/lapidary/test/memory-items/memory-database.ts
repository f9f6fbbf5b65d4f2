import {
  CreateTableCommand,
  DeleteTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb'
import type { _Record, DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams'
import { keyEntry } from '../../src/derived/guarded-write.ts'
import { stubStreams } from '../stream/stub-streams.ts'
import { memoryItems } from './memory-items.ts'

/** A table in memory and its change stream of one shard, as an engine's clients give them. It is there once it is created. */
export function memoryDatabase(tableName: string): {
  readonly client: DynamoDBClient
  readonly streams: DynamoDBStreamsClient
  readonly arn: string
} {
  const arn = `arn:${tableName}/stream/2026-01-02`
  const records: _Record[] = []
  const description: Record<string, unknown> = { LatestStreamArn: arn }
  const indexes: Record<string, string> = {}
  let sequence = 1_000
  const items = memoryItems({
    tableName,
    description,
    indexes,
    before(command) {
      if (command instanceof DescribeTableCommand && description.TableStatus === undefined)
        throw Object.assign(new Error(`there is no table ${tableName}`), { name: 'ResourceNotFoundException' })
      if (command instanceof CreateTableCommand) {
        const { GlobalSecondaryIndexes = [], ...input } = command.input
        for (const { IndexName = '', KeySchema = [] } of GlobalSecondaryIndexes) {
          indexes[IndexName] = KeySchema.at(-1)?.AttributeName ?? ''
        }
        const active = GlobalSecondaryIndexes.map((index) => ({ ...index, IndexStatus: 'ACTIVE' }))
        Object.assign(description, input, { GlobalSecondaryIndexes: active, TableStatus: 'ACTIVE' })
        return { TableDescription: description }
      }
      return command instanceof DeleteTableCommand || command instanceof UpdateTimeToLiveCommand ? {} : undefined
    },
    changed(key, OldImage, NewImage) {
      if (OldImage === undefined && NewImage === undefined) return
      const at = new Date(Math.floor(Date.now() / 1_000) * 1_000)
      const change = { Keys: keyEntry(key), SequenceNumber: String(sequence++), ApproximateCreationDateTime: at }
      records.push({ dynamodb: { ...change, ...(OldImage && { OldImage }), ...(NewImage && { NewImage }) } })
    },
  })
  const client = { send: items.send, destroy() {} } as unknown as DynamoDBClient
  return { client, streams: stubStreams([{ shardId: 'shard', records }]), arn }
}
