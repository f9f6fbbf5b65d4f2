import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { createLapidary } from 'lapidary'
import type { FunctionConfig } from './functions/open-database.ts'

/** Returns the patterns by which only items, and what else is followed, invoke the function of the stream. */
export function streamFilters(
  { collections, layout }: FunctionConfig,
  followedKeys: readonly string[],
): readonly string[] {
  const { stream } = createLapidary({
    ...{ client: new DynamoDBClient({ region: 'us-east-1' }), tableName: 'lapidary', collections },
    ...(layout === undefined ? {} : { layout }),
    cursorSecret: 'this program reads no page',
  })
  const further = followedKeys.map((prefix) => ({ dynamodb: { Keys: { PK: { S: [{ prefix }] } } } }))
  return [...stream.filterPatterns(), ...further.map((pattern) => JSON.stringify(pattern))]
}
