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

/** What a query or a scan asks; table and place are filled in. */
type Asked<Input> = Omit<Input, 'TableName' | 'ExclusiveStartKey'>

/** All pages of a query, each read when it is asked for. */
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

/** All pages of a scan, from its start or after a key; given a function, each page asks anew. */
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

/** The query of a whole partition of the table itself. */
export function wholePartition(partition: string): Asked<QueryCommandInput> {
  return {
    KeyConditionExpression: 'PK = :partition',
    ExpressionAttributeValues: { ':partition': { S: partition } },
  }
}

/** The items of all pages. */
export async function itemsOf(pages: AsyncIterable<{ readonly Items?: Entry[] | undefined }>): Promise<Entry[]> {
  const items: Entry[] = []
  for await (const page of pages) items.push(...(page.Items ?? []))
  return items
}
