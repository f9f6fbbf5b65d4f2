import { QueryCommand, type QueryCommandInput, type QueryCommandOutput } from '@aws-sdk/client-dynamodb'
import type { Send } from './intercept.ts'

/**
 * Sends a query that ends as DynamoDB's may: after fewer items than asked for, with none left by the filter, or with a LastEvaluatedKey that
 * nothing follows.
 */
export async function shortQuery(input: QueryCommandInput, random: () => number, send: Send): Promise<unknown> {
  const Limit = 1 + Math.floor(random() * (input.Limit ?? 100))
  const output = (await send(new QueryCommand({ ...input, Limit }))) as QueryCommandOutput
  const last = output.Items?.at(-1)
  const isLastEvaluated = last !== undefined && output.Items?.length === output.ScannedCount
  if (output.LastEvaluatedKey !== undefined || !isLastEvaluated) return output
  // A LastEvaluatedKey is no promise that more exists. That of an index holds the whole entry here, and so its keys, whatever their names.
  const { PK, SK } = last
  const key = input.IndexName === undefined && PK !== undefined && SK !== undefined ? { PK, SK } : last
  return { ...output, LastEvaluatedKey: key }
}
