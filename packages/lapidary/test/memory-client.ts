import type { AttributeValue, QueryCommandInput } from '@aws-sdk/client-dynamodb'
import { type Entry, entryBytes } from '../src/model/entry.ts'
import type { CommandSender } from '../src/table/table-client.ts'

/** Answers Queries of lists newest first from memory, charged by DynamoDB's rule, and notes them. */
export interface MemoryClient extends CommandSender {
  readonly queries: QueryCommandInput[]
}

/**
 * @param partitionKeys Partition keys of the indexes, by name.
 * @param beside What Queries of a partition of the table itself give.
 */
export function memoryClient(
  entries: readonly Entry[],
  partitionKeys: Readonly<Record<string, string>>,
  beside: (partition: string) => Promise<readonly Entry[]> = async () => [],
): MemoryClient {
  const newestFirst = [...entries].sort((a, b) => ((a.s?.S ?? '') < (b.s?.S ?? '') ? 1 : -1))
  const queries: QueryCommandInput[] = []
  const answer = (input: QueryCommandInput) => {
    const { ':k': partition, ':u': upper } = input.ExpressionAttributeValues ?? {}
    const key = partitionKeys[input.IndexName ?? ''] ?? ''
    const found = newestFirst.filter(
      (entry) => entry[key]?.S === partition?.S && (upper?.S === undefined || (entry.s?.S ?? '') < upper.S),
    )
    const read = found.slice(0, input.Limit)
    const passed = read.filter((entry) => passes(entry, input))
    const bytes = read.reduce((sum, entry) => sum + entryBytes(entry), 0)
    return {
      Items: passed,
      ScannedCount: read.length,
      ConsumedCapacity: { CapacityUnits: 0.5 * Math.max(1, Math.ceil(bytes / 4096)) },
      ...(read.length === input.Limit ? { LastEvaluatedKey: read.at(-1) } : {}),
    }
  }
  const send = async ({ input }: { readonly input: QueryCommandInput }) => {
    // Everything but a Query finds an empty table.
    if (input.KeyConditionExpression === undefined) return {}
    if (input.IndexName === undefined)
      return { Items: await beside(partitionOf(input)), ConsumedCapacity: { CapacityUnits: 0.5 } }
    queries.push(input)
    return answer(input)
  }
  return { queries, send: send as unknown as CommandSender['send'] }
}

function partitionOf({ ExpressionAttributeValues = {} }: QueryCommandInput): string {
  return ExpressionAttributeValues[':partition']?.S ?? ''
}

/** `#f0 IN (:f0v0, …)` for each facet filtered. */
function passes(entry: Entry, { ExpressionAttributeNames = {}, ExpressionAttributeValues = {} }: QueryCommandInput) {
  return Object.entries(ExpressionAttributeNames).every(([placeholder, name]) => {
    if (!placeholder.startsWith('#f')) return true
    const values = Object.entries(ExpressionAttributeValues).filter(([key]) =>
      key.startsWith(`:${placeholder.slice(1)}v`),
    )
    return values.some(([, { S, N }]: [string, AttributeValue]) => S === entry[name]?.S && N === entry[name]?.N)
  })
}
