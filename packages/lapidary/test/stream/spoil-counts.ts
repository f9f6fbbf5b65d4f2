import { DeleteItemCommand, type DynamoDBClient, UpdateItemCommand } from '@aws-sdk/client-dynamodb'
import { scan } from './recount.ts'

/** Changes some counts by hand, and removes some. */
export async function spoilCounts(client: DynamoDBClient, TableName: string, random: () => number): Promise<void> {
  for (const { PK, SK } of await scan(client, TableName)) {
    if (PK?.S?.startsWith('~counts.') !== true || SK === undefined || random() < 0.5) continue
    const Key = { PK, SK }
    const add = { UpdateExpression: 'ADD count_3 :n', ExpressionAttributeValues: { ':n': { N: '7' } } }
    const isGone = random() < 0.5
    await client.send(
      isGone ? new DeleteItemCommand({ TableName, Key }) : new UpdateItemCommand({ TableName, Key, ...add }),
    )
  }
}
