import {
  BatchWriteItemCommand,
  CreateTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  ScanCommand,
} from '@aws-sdk/client-dynamodb'
import { expect, test } from 'vitest'
import { openCliHome } from './run-cli.ts'

/** The procedures of docs/operations.md that are commands. */

const RESTORED = ['--table-name', 'restored']

/** Makes a table of what another has at this moment, as DynamoDB restores a backup: with its items and indexes, and a stream of its own. */
async function restore(client: DynamoDBClient, from: string, to: string): Promise<void> {
  const { Table = {} } = await client.send(new DescribeTableCommand({ TableName: from }))
  const indexes = (Table.GlobalSecondaryIndexes ?? []).map(({ IndexName, KeySchema, Projection }) => ({
    ...{ IndexName, KeySchema, Projection },
  }))
  await client.send(
    new CreateTableCommand({
      ...{ TableName: to, KeySchema: Table.KeySchema, AttributeDefinitions: Table.AttributeDefinitions },
      ...{ BillingMode: 'PAY_PER_REQUEST', GlobalSecondaryIndexes: indexes },
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
    }),
  )
  const { Items = [] } = await client.send(new ScanCommand({ TableName: from, ConsistentRead: true }))
  for (let i = 0; i < Items.length; i += 25) {
    const puts = Items.slice(i, i + 25).map((Item) => ({ PutRequest: { Item } }))
    await client.send(new BatchWriteItemCommand({ RequestItems: { [to]: puts } }))
  }
}

test('a table is restored under another name, made right, and gets what was written since', async () => {
  await using home = await openCliHome()
  await home.run(['generate', '--products', '5', '--comments', '60', '--seed', '3'])
  expect((await home.run(['rebuild', 'all'])).code).toBe(0)
  const client = new DynamoDBClient(home.engine.clientConfig)
  await restore(client, 'comments', 'restored')

  const before = await home.run(['doctor', ...RESTORED, '--json'])
  expect(before.code).toBe(1)
  const counted = async (): Promise<unknown> =>
    JSON.parse((await home.run(['count', ...RESTORED, '--scope', '1', '--json'])).stdout).total
  const repaired = await home.run(['repair', ...RESTORED, '--json'])
  expect(repaired.code).toBe(0)
  expect((await home.run(['verify', ...RESTORED])).code).toBe(0)
  const total = JSON.parse((await home.run(['count', '--scope', '1', '--json'])).stdout).total
  expect(await counted()).toBe(total)

  // Writers of the old table went on: what they created and changed is brought over.
  const written = JSON.stringify({
    ...{ id: 'since', productId: '1', language: 'en', rating: 4, title: '', text: 'Written since.', author: 'Ada' },
    createdAt: '2026-01-02T03:04:05.678Z',
  })
  await home.runAlone(['import', '-'], { input: written })
  const { stdout: exported } = await home.run(['export'])
  const brought = await home.runAlone(['import', '-', ...RESTORED, '--on-conflict', 'newer'], { input: exported })
  expect(brought.code).toBe(0)
  expect((await home.run(['repair', ...RESTORED])).code).toBe(0)
  expect(await counted()).toBe(total + 1)
  expect((await home.run(['verify', ...RESTORED])).code).toBe(0)
  client.destroy()
})
