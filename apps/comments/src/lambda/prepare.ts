import { DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb'
import { openServices } from './services.ts'

const { config, services, logger } = await openServices(process.env)
const client = new DynamoDBClient({})

/**
 * Runs in a deployment, when it is new or changed: registers the indexes of a table that a stack made, and makes its derived data while it has
 * none, when that costs nothing.
 */
export async function handler(): Promise<void> {
  const { comments, database } = services
  await comments.explain({ scope: 'any' })
  const unready = (await database.derived.states()).filter(({ isDeclared, state }) => isDeclared && state !== 'ready')
  if (unready.length === 0) return
  if (await isEmpty()) await database.derived.fill()
  else logger.warn('catch-up makes the derived data of the comments in some hours; or run lapidary rebuild')
}

/** Tells whether the table has only what the library keeps for itself, which is little in a new one. */
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
