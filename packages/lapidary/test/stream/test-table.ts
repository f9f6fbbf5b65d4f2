import { CreateTableCommand, DeleteTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams'
import { createTableInput } from 'lapidary/schema'
import { createTestClient, createTestStreams, testEngines, uniqueTableName } from '../../../../test/engines/index.ts'
import type { Collection } from '../../src/model/collection.ts'
import { GivenLane } from '../../src/stream/given-lane.ts'
import { createRunner, type Runner } from '../../src/stream/runner.ts'
import { createShardReader } from '../../src/stream/shard-reader.ts'
import { listShards } from '../../src/stream/shards.ts'
import { createTableClient, type TableClient } from '../../src/table/table-client.ts'
import { memoryDatabase } from '../memory-items/memory-database.ts'
import { reviewProjections, reviewTable } from './reviews.ts'

/** A table of its own on the embedded engine; in a mutation run one in memory, on which a mutant dies sooner. */
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
  const tableName = uniqueTableName()
  const isInMemory = process.env.MUTATION_TABLE === 'memory'
  const { client, streams, arn } = isInMemory ? memoryDatabase(tableName) : await engineTable(tableName)
  const table = tableThrough(client, tableName, () => 0)
  const furthest = new Map<string, string | undefined>()
  return {
    ...{ client, streams, tableName, arn, table },
    runner: (collection) => createRunner({ table, projections: reviewProjections(collection) }),
    async drain(runner) {
      for (const { shardId } of await listShards(streams, arn)) {
        const lane = new GivenLane({ runner, shardId, owner: undefined, sequenceNumber: furthest.get(shardId) })
        const reader = createShardReader({ streams, arn, shard: { shardId } }, lane.sequenceNumber)
        for (let batch = await reader.next(); batch.records > 0; batch = await reader.next()) {
          await lane.count(batch.changes)
        }
        furthest.set(shardId, lane.sequenceNumber)
      }
    },
    async [Symbol.asyncDispose]() {
      if (!isInMemory) await client.send(new DeleteTableCommand({ TableName: tableName }))
      client.destroy()
      streams.destroy()
    },
  }
}

async function engineTable(tableName: string): Promise<Pick<TestTable, 'client' | 'streams' | 'arn'>> {
  const [engine] = testEngines()
  if (engine === undefined) throw new Error('there is no engine')
  const client = createTestClient(engine)
  const created = await client.send(new CreateTableCommand(createTableInput(reviewTable(tableName))))
  return { client, streams: createTestStreams(engine), arn: created.TableDescription?.LatestStreamArn ?? '' }
}

/** Waits are over at once: there is nothing to wait for. */
export function tableThrough(client: DynamoDBClient, tableName: string, random: () => number): TableClient {
  return createTableClient({ client, tableName, random, sleep: () => new Promise((resolve) => setImmediate(resolve)) })
}
