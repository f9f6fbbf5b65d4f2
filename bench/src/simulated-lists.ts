import type { AttributeValue, DynamoDBClient, QueryCommandInput } from '@aws-sdk/client-dynamodb'
import { entriesBefore, type MemoryList } from './memory-lists.ts'

type Entry = Record<string, AttributeValue>

const BLOCK_BYTES = 4096

/**
 * A client whose table is sorted arrays in memory, and that answers the library's Queries: many pages in little time,
 * charged by DynamoDB's rule. It knows only what the library sends.
 *
 * @param beside Items of the table itself: the register, and counts.
 */
export function simulatedClient(lists: ReadonlyMap<string, MemoryList>, beside: readonly Entry[] = []): DynamoDBClient {
  const query = (input: QueryCommandInput) => {
    const names = input.ExpressionAttributeNames ?? {}
    const values = input.ExpressionAttributeValues ?? {}
    if (input.IndexName === undefined) {
      const Items = beside.filter(({ PK }) => PK?.S === values[':partition']?.S)
      return { Items, ConsumedCapacity: { CapacityUnits: 0.5 } }
    }
    const list = lists.get(`${input.IndexName} ${values[':k']?.S}`)
    if (values[':l'] !== undefined || input.ScanIndexForward !== false) throw new Error('only newest first, forwards')
    if (list === undefined) return { Items: [], ScannedCount: 0, ConsumedCapacity: { CapacityUnits: 0.5 } }
    const end = entriesBefore(list, values[':u']?.S)
    const start = Math.max(0, end - (input.Limit ?? 0))
    const bytes = (list.bytesBefore[end] ?? 0) - (list.bytesBefore[start] ?? 0)
    const read = list.entries.slice(start, end).reverse()
    const items = read.filter((entry) => passes(entry, names, values))
    return {
      Items: items,
      Count: items.length,
      ScannedCount: end - start,
      ConsumedCapacity: { CapacityUnits: 0.5 * Math.max(1, Math.ceil(bytes / BLOCK_BYTES)) },
      ...(end - start === input.Limit ? { LastEvaluatedKey: list.entries[start] } : {}),
    }
  }
  return { send: async ({ input }: { input: QueryCommandInput }) => query(input) } as unknown as DynamoDBClient
}

/** `#f0 IN (:f0v0, …)` for each facet filtered. */
function passes(entry: Entry, names: Record<string, string>, values: Record<string, AttributeValue>): boolean {
  return Object.entries(names).every(([placeholder, name]) => {
    if (!placeholder.startsWith('#f')) return true
    const wanted = Object.entries(values).filter(([key]) => key.startsWith(`:${placeholder.slice(1)}v`))
    return wanted.some(([, { S, N }]) => S === entry[name]?.S && N === entry[name]?.N)
  })
}
