import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { createLapidary } from 'lapidary'
import type { FunctionConfig } from './functions/open-database.ts'

/** Returns the patterns by which only items invoke the function of the stream. */
export function streamFilters({ collections, layout }: FunctionConfig): readonly string[] {
  const { stream } = createLapidary({
    ...{ client: new DynamoDBClient({ region: 'us-east-1' }), tableName: 'lapidary', collections },
    ...(layout === undefined ? {} : { layout }),
    cursorSecret: 'this program reads no page',
  })
  return stream.filterPatterns()
}
