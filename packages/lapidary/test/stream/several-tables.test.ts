import { CreateTableCommand, PutItemCommand } from '@aws-sdk/client-dynamodb'
import { expect, test } from 'vitest'
import {
  createTestClient,
  createTestStreams,
  dropTables,
  testEngines,
  uniqueTableName,
} from '../../../../test/engines/index.ts'
import { createShardReader } from '../../src/stream/shard-reader.ts'
import { listShards } from '../../src/stream/shards.ts'

test.each(testEngines())(
  'a first change that comes after those of another table is not lost ($name)',
  async (engine) => {
    const [client, streams] = [createTestClient(engine), createTestStreams(engine)]
    const [mine, other] = [uniqueTableName(), uniqueTableName()]
    const arns: string[] = []
    for (const TableName of [mine, other]) {
      const { TableDescription } = await client.send(
        new CreateTableCommand({
          ...{ TableName, BillingMode: 'PAY_PER_REQUEST', KeySchema: [{ AttributeName: 'PK', KeyType: 'HASH' }] },
          AttributeDefinitions: [{ AttributeName: 'PK', AttributeType: 'S' }],
          StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
        }),
      )
      arns.push(TableDescription?.LatestStreamArn ?? expect.fail('no stream'))
    }
    const [arn = ''] = arns
    for (const TableName of [other, other, mine]) {
      for (const PK of ['1', '2', '3']) await client.send(new PutItemCommand({ TableName, Item: { PK: { S: PK } } }))
    }
    const [shard = expect.fail('no shard')] = await listShards(streams, arn)
    const { gap, records } = await createShardReader({ streams, arn, shard }, undefined).next()
    expect({ gap, records }).toEqual({ gap: false, records: 3 })
    await dropTables(client, [mine, other])
    streams.destroy()
  },
)
