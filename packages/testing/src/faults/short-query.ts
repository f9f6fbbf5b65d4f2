import {
  type AttributeValue,
  QueryCommand,
  type QueryCommandInput,
  type QueryCommandOutput,
} from '@aws-sdk/client-dynamodb'
import type { Send } from './intercept.ts'
import { type KnownTables, keyNames, schemaOf } from './table-keys.ts'

/**
 * Sends a query that ends as DynamoDB's may: after fewer items than asked for, with none left by the filter, or with a LastEvaluatedKey that
 * nothing follows.
 */
export async function shortQuery(
  input: QueryCommandInput,
  random: () => number,
  send: Send,
  tables: KnownTables,
): Promise<unknown> {
  const Limit = 1 + Math.floor(random() * (input.Limit ?? 100))
  const output = (await send(new QueryCommand({ ...input, Limit }))) as QueryCommandOutput
  const last = output.Items?.at(-1)
  const isLastEvaluated = last !== undefined && output.Items?.length === output.ScannedCount
  if (output.LastEvaluatedKey !== undefined || !isLastEvaluated) return output
  // A LastEvaluatedKey is no promise that more exists.
  const { TableName = '', IndexName } = input
  const table = await tables.describe(TableName, send).catch(() => undefined)
  const names = new Set([...keyNames(schemaOf(table, undefined)), ...keyNames(schemaOf(table, IndexName))])
  // An expression may have left out a key, and a table of a stub has none to tell of.
  const key: Record<string, AttributeValue> = {}
  for (const name of names) if (last[name] !== undefined) key[name] = last[name]
  if (names.size === 0 || Object.keys(key).length < names.size) return output
  // DynamoDB Local refuses a start at the bound of a range, which AWS gives and takes.
  const further = new QueryCommand({ ...input, ExclusiveStartKey: key, Limit: 1 })
  const isTaken = await send(further).then(
    () => true,
    () => false,
  )
  return isTaken ? { ...output, LastEvaluatedKey: key } : output
}
