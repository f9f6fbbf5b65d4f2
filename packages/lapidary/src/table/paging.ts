import {
  QueryCommand,
  type QueryCommandInput,
  type QueryCommandOutput,
  ScanCommand,
  type ScanCommandInput,
  type ScanCommandOutput,
} from '@aws-sdk/client-dynamodb'
import type { Entry } from '../model/entry.ts'
import type { TableClient } from './table-client.ts'

/** The input of a query or a scan; the table and the start key are filled in. */
type Asked<Input> = Omit<Input, 'TableName' | 'ExclusiveStartKey'>

/** Reads all pages of a query, each when it is asked for. */
export async function* queryPages(
  { tableName, send }: Pick<TableClient, 'tableName' | 'send'>,
  input: Asked<QueryCommandInput>,
  signal?: AbortSignal,
): AsyncGenerator<QueryCommandOutput> {
  let after: Entry | undefined
  do {
    const place = after === undefined ? {} : { ExclusiveStartKey: after }
    const page: QueryCommandOutput = await send(
      new QueryCommand({ ReturnConsumedCapacity: 'TOTAL', ...input, ...place, TableName: tableName }),
      signal === undefined ? undefined : { abortSignal: signal },
    )
    yield page
    after = page.LastEvaluatedKey
  } while (after !== undefined)
}

/** Reads all pages of a scan, from its start or after a key. A function as input is called anew for each page. */
export async function* scanPages(
  { tableName, send }: Pick<TableClient, 'tableName' | 'send'>,
  input: Asked<ScanCommandInput> | (() => Asked<ScanCommandInput>),
  signal?: AbortSignal,
  from?: Entry,
): AsyncGenerator<ScanCommandOutput> {
  let after = from
  do {
    const asked = typeof input === 'function' ? input() : input
    const place = after === undefined ? {} : { ExclusiveStartKey: after }
    const page: ScanCommandOutput = await send(
      new ScanCommand({ ReturnConsumedCapacity: 'TOTAL', ...asked, ...place, TableName: tableName }),
      signal === undefined ? undefined : { abortSignal: signal },
    )
    yield page
    after = page.LastEvaluatedKey
  } while (after !== undefined)
}

/** Returns the query of a whole partition of the table itself. */
export function wholePartition(partition: string): Asked<QueryCommandInput> {
  return {
    KeyConditionExpression: 'PK = :partition',
    ExpressionAttributeValues: { ':partition': { S: partition } },
  }
}

/** Collects the items of all pages. */
export async function itemsOfPages(pages: AsyncIterable<{ readonly Items?: Entry[] | undefined }>): Promise<Entry[]> {
  const items: Entry[] = []
  for await (const page of pages) items.push(...(page.Items ?? []))
  return items
}
