import { CreateTableCommand, DeleteTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams'
import { createTableInput } from 'lapidary/schema'
import { createTestClient, createTestStreams, testEngines, uniqueTableName } from '../../../../test/engines/index.ts'
import type { Collection } from '../../src/model/collection.ts'
import { createRunner, type Runner } from '../../src/stream/runner.ts'
import { createShardReader } from '../../src/stream/shard-reader.ts'
import { listShards } from '../../src/stream/shards.ts'
import { createTableClient, type TableClient } from '../../src/table/table-client.ts'
import { reviewProjections, reviewTable } from './reviews.ts'

/** A table of its own on the embedded engine, with the real SDK's clients. */
export interface TestTable extends AsyncDisposable {
  readonly client: DynamoDBClient
  readonly streams: DynamoDBStreamsClient
  readonly tableName: string
  readonly arn: string
  readonly table: TableClient
  runner(collection?: Collection): Runner
  /** Applies everything that is in the stream, as one owner after the other would. */
  drain(runner: Runner): Promise<void>
}

export async function openTestTable(): Promise<TestTable> {
  const [engine] = testEngines()
  if (engine === undefined) throw new Error('there is no engine')
  const client = createTestClient(engine)
  const streams = createTestStreams(engine)
  const tableName = uniqueTableName()
  const created = await client.send(new CreateTableCommand(createTableInput(reviewTable(tableName))))
  const arn = created.TableDescription?.LatestStreamArn ?? ''
  const table = tableThrough(client, tableName, () => 0)
  const furthest = new Map<string, string | undefined>()
  return {
    ...{ client, streams, tableName, arn, table },
    runner: (collection) => createRunner({ table, projections: reviewProjections(collection) }),
    async drain(runner) {
      for (const { shardId } of await listShards(streams, arn)) {
        const lane = { shardId, owner: undefined, sequenceNumber: furthest.get(shardId) }
        const reader = createShardReader({ streams, arn, shard: { shardId } }, lane.sequenceNumber)
        for (let batch = await reader.next(); batch.records > 0; batch = await reader.next()) {
          await runner.apply(lane, batch.changes)
        }
        furthest.set(shardId, lane.sequenceNumber)
      }
    },
    async [Symbol.asyncDispose]() {
      await client.send(new DeleteTableCommand({ TableName: tableName }))
      client.destroy()
      streams.destroy()
    },
  }
}

/** Waits are over at once: there is nothing to wait for. */
export function tableThrough(client: DynamoDBClient, tableName: string, random: () => number): TableClient {
  return createTableClient({ client, tableName, random, sleep: () => new Promise((resolve) => setImmediate(resolve)) })
}
