import {
  CreateTableCommand,
  DeleteTableCommand,
  PutItemCommand,
  QueryCommand,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb'
import { describe, expect, test } from 'vitest'
import { createSdkClient, testEngines, uniqueTableName } from './index.ts'

describe.each(testEngines())('on $name', (engine) => {
  test('reads and writes report their capacity, in total and for each index', async () => {
    const client = createSdkClient(engine)
    const TableName = uniqueTableName()
    await client.send(
      new CreateTableCommand({
        TableName,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [
          { AttributeName: 'PK', AttributeType: 'S' },
          { AttributeName: 'GPK', AttributeType: 'S' },
        ],
        KeySchema: [{ AttributeName: 'PK', KeyType: 'HASH' }],
        GlobalSecondaryIndexes: [
          {
            IndexName: 'all',
            KeySchema: [{ AttributeName: 'GPK', KeyType: 'HASH' }],
            Projection: { ProjectionType: 'ALL' },
          },
        ],
      }),
    )
    const Item = { PK: { S: '1' }, GPK: { S: 'PRODUCT#42' } }

    const put = await client.send(new PutItemCommand({ TableName, Item, ReturnConsumedCapacity: 'INDEXES' }))
    expect(put.ConsumedCapacity).toMatchObject({
      CapacityUnits: 2,
      Table: { CapacityUnits: 1 },
      GlobalSecondaryIndexes: { all: { CapacityUnits: 1 } },
    })
    const query = {
      TableName,
      IndexName: 'all',
      KeyConditionExpression: 'GPK = :scope',
      ExpressionAttributeValues: { ':scope': { S: 'PRODUCT#42' } },
    }
    const total = await client.send(new QueryCommand({ ...query, ReturnConsumedCapacity: 'TOTAL' }))
    expect(total.ConsumedCapacity).toMatchObject({ CapacityUnits: 0.5 })
    const byIndex = await client.send(new QueryCommand({ ...query, ReturnConsumedCapacity: 'INDEXES' }))
    expect(byIndex.ConsumedCapacity).toMatchObject({
      CapacityUnits: 0.5,
      GlobalSecondaryIndexes: { all: { CapacityUnits: 0.5 } },
    })
    const transaction = await client.send(
      new TransactWriteItemsCommand({
        TransactItems: [{ Put: { TableName, Item: { ...Item, PK: { S: '2' } } } }],
        ReturnConsumedCapacity: 'TOTAL',
      }),
    )
    // In the embedded engine a transaction doubles the units of the table, but not those of its indexes.
    const doubled = engine.name === 'embedded' ? 3 : 4
    expect(transaction.ConsumedCapacity).toMatchObject([{ TableName, CapacityUnits: doubled }])
    await client.send(new DeleteTableCommand({ TableName }))
    client.destroy()
  })
})
