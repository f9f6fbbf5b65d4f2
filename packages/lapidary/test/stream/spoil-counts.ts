import { DeleteItemCommand, type DynamoDBClient, UpdateItemCommand } from '@aws-sdk/client-dynamodb'
import { scan } from './recount.ts'

const COUNTS = /^~counts(-across|-by-day|-by-day-across)?\./

/** Changes some counts and sums by hand, and removes some. */
export async function spoilCounts(client: DynamoDBClient, TableName: string, random: () => number): Promise<void> {
  for (const { PK, SK } of await scan(client, TableName)) {
    if (PK?.S === undefined || !COUNTS.test(PK.S) || SK === undefined || random() < 0.5) continue
    const Key = { PK, SK }
    const add = { UpdateExpression: 'ADD count_3 :n', ExpressionAttributeValues: { ':n': { N: '7' } } }
    const spoil = {
      UpdateExpression: 'SET #sum = :sum',
      ExpressionAttributeNames: { '#sum': 'sum_total.price' },
      ExpressionAttributeValues: { ':sum': { S: random() < 0.5 ? 'by hand' : '0.1' } },
    }
    const chance = random()
    const change = chance < 0.75 ? add : spoil
    await client.send(
      chance < 0.5 ? new DeleteItemCommand({ TableName, Key }) : new UpdateItemCommand({ TableName, Key, ...change }),
    )
  }
}
