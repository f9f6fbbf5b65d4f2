import { DescribeTableCommand } from '@aws-sdk/client-dynamodb'
import type { TableClient } from './table-client.ts'

/** The prefix of table ARNs in dynoxide, the embedded engine. */
const DYNOXIDE = 'arn:aws:dynamodb:dynoxide:'

/**
 * Returns how many segments a scan may have. dynoxide reads every row for each page of a segment, and ends the segment where the item that the
 * last page ended with was deleted meanwhile; so a scan reads it as a whole.
 */
export async function segmentsFor({ send, tableName }: TableClient, wanted: number): Promise<number> {
  if (wanted === 1) return 1
  // AWS may refuse this to a caller who may scan; dynoxide never does.
  const described = await send(new DescribeTableCommand({ TableName: tableName })).catch(() => undefined)
  return described?.Table?.TableArn?.startsWith(DYNOXIDE) === true ? 1 : wanted
}
