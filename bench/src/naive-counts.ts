import { type DynamoDBClient, UpdateItemCommand } from '@aws-sdk/client-dynamodb'
import type { Comment } from './comments.ts'
import { TABLE_NAME } from './stored-comments.ts'

const PARALLELISM = 8

/** The scope in which the naive version counts, beside the library's items. */
export const NAIVE_SCOPE = 'NAIVE#42'

/**
 * Counts as AWS's aggregation pattern does: one `ADD` for each change and target, here `~` and `<language>`. In a run
 * without faults it is exact; a batch delivered twice it counts twice.
 *
 * @returns Write units, as DynamoDB reported them, and updates.
 */
export async function countNaively(
  client: DynamoDBClient,
  comments: readonly Comment[],
): Promise<{ readonly units: number; readonly updates: number }> {
  const changes = comments.flatMap(({ language, rating }) => [
    { SK: '~', rating },
    { SK: language, rating },
  ])
  let next = 0
  let units = 0
  const work = async (): Promise<void> => {
    for (let change = changes[next++]; change !== undefined; change = changes[next++]) {
      const { ConsumedCapacity } = await client.send(
        new UpdateItemCommand({
          TableName: TABLE_NAME,
          Key: { PK: { S: NAIVE_SCOPE }, SK: { S: change.SK } },
          UpdateExpression: 'ADD #rating :one, count_total :one',
          ExpressionAttributeNames: { '#rating': `count_${change.rating}` },
          ExpressionAttributeValues: { ':one': { N: '1' } },
          ReturnConsumedCapacity: 'TOTAL',
        }),
      )
      units += ConsumedCapacity?.CapacityUnits ?? 0
    }
  }
  await Promise.all(Array.from({ length: PARALLELISM }, work))
  return { units, updates: changes.length }
}
