import { DescribeTableCommand } from '@aws-sdk/client-dynamodb'
import type { TableClient } from './table-client.ts'

/** The tables of dynoxide, the embedded engine. */
const DYNOXIDE = 'arn:aws:dynamodb:dynoxide:'

/**
 * How many segments a scan may have. dynoxide reads every row for each page of a segment, and ends the segment where the
 * item that the last page ended with was deleted meanwhile; it is read as a whole.
 */
export async function segmentsFor({ send, tableName }: TableClient, wanted: number): Promise<number> {
  if (wanted === 1) return 1
  // AWS may refuse it to a caller who may scan; dynoxide refuses it to none.
  const described = await send(new DescribeTableCommand({ TableName: tableName })).catch(() => undefined)
  return described?.Table?.TableArn?.startsWith(DYNOXIDE) === true ? 1 : wanted
}
