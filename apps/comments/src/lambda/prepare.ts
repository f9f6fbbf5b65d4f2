import { DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb'
import { openServices } from './services.ts'

const { config, services } = openServices(process.env)
const client = new DynamoDBClient({})

/**
 * Runs in a deployment, when it is new or changed: registers the indexes of a table that a stack made, and begins its page index
 * while it has no items, when that costs nothing.
 */
export async function handler(): Promise<void> {
  const { comments, database } = services
  await comments.explain({ scope: 'any' })
  const state = await comments.context.pages[0]?.lists.state()
  if (state === undefined || state === 'ready') return
  if (await isEmpty()) await database.derived.rebuildPages()
  else console.warn('there is no page index, so pages have cursors only; run lapidary rebuild page-index')
}

/** Whether the table has nothing but what the library keeps for itself, which is little in a new one. */
async function isEmpty(): Promise<boolean> {
  const { Count, LastEvaluatedKey } = await client.send(
    new ScanCommand({
      ...{ TableName: config.tableName, Limit: 100 },
      FilterExpression: 'NOT begins_with(PK, :own)',
      ExpressionAttributeValues: { ':own': { S: '~' } },
    }),
  )
  return Count === 0 && LastEvaluatedKey === undefined
}
