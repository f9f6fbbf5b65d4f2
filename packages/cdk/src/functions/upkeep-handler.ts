import { DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb'
import { embeddedMetrics, measuredFunction, measuring } from 'lapidary-telemetry'
import { answerDeployment, type DeploymentEvent, isDeployment } from './deployment.ts'
import { type FunctionConfig, type OpenDatabase, openDatabase, required } from './open-database.ts'

/**
 * Makes the function that runs every few hours, and in each deployment that changes it.
 *
 * It counts what is left in shards without new writes, which the stream shows to no handler, and notes that they were read: without it a quiet day
 * could not be told from a lost one. It also makes what a new declaration lacks, and makes up for lost changes. In a deployment it first registers
 * the indexes of a table that CloudFormation made, and makes its derived data while it has no item, when that costs nothing.
 *
 * @example
 * ```ts
 * export const handler = upkeepHandler({ collections: { comments } })
 * ```
 */
export function upkeepHandler(config: FunctionConfig): (event: unknown, context?: TimeLeft) => Promise<void> {
  const client = new DynamoDBClient({})
  const metrics = embeddedMetrics({ table: required('TABLE_NAME') })
  const database = openDatabase(config, { client, observers: [measuring(metrics)] })
  const keepUp = async (context?: TimeLeft): Promise<void> =>
    void (await database.stream.catchUp({
      heal: true,
      onError: (error, shardId) => console.error(shardId ?? 'upkeep', error),
      signal: AbortSignal.timeout(timeFor(context)),
    }))
  const measured = measuredFunction(keepUp, {
    ...{ metrics, database },
    onError: (error) => console.warn('the states of derived data could not be read, and are not in the metrics', error),
  })
  return async (event, context) => {
    if (isDeployment(event)) {
      await answerDeployment(event, () => prepare(database, client))
      if (event.RequestType === 'Delete') return
    }
    await measured(context)
  }
}

/** The part of Lambda's context that is used. */
export interface TimeLeft {
  getRemainingTimeInMillis(): number
}

/** Milliseconds that are left for Lambda itself, so that what was stopped says why. */
const SPARE_MS = 5_000
const LONGEST_MS = 900_000

function timeFor(context: TimeLeft | undefined): number {
  return Math.max(SPARE_MS, (context?.getRemainingTimeInMillis?.() ?? LONGEST_MS) - SPARE_MS)
}

async function prepare(database: OpenDatabase, client: DynamoDBClient): Promise<void> {
  // The first process that plans a query registers the indexes; readers may not.
  for (const collection of database.collections) await collection.explain({ scope: 'any' })
  const unready = (await database.derived.states()).filter(({ isDeclared, state }) => isDeclared && state !== 'ready')
  if (unready.length > 0 && (await isEmpty(client))) await database.derived.fill()
}

/** Tells whether the table has only what the library keeps for itself, which is little in a new one. */
async function isEmpty(client: DynamoDBClient): Promise<boolean> {
  const { Count, LastEvaluatedKey } = await client.send(
    new ScanCommand({
      ...{ TableName: required('TABLE_NAME'), Limit: 100 },
      FilterExpression: 'NOT begins_with(PK, :own)',
      ExpressionAttributeValues: { ':own': { S: '~' } },
    }),
  )
  return Count === 0 && LastEvaluatedKey === undefined
}

export type { DeploymentEvent }
