import type { AttributeValue, DynamoDBClient, QueryCommandInput } from '@aws-sdk/client-dynamodb'
import type { Comment } from './comments.ts'
import { entryOf } from './stored-comments.ts'

type Entry = Record<string, AttributeValue>

const BLOCK_BYTES = 4096

/**
 * A client whose table is sorted arrays in memory, and that answers the library's Queries: many pages in little time,
 * charged by DynamoDB's rule. It knows only what the library sends.
 */
export function simulatedClient(comments: readonly Comment[], bytesOf: (comment: Comment) => number): DynamoDBClient {
  const lists = new Map<string, { readonly entry: Entry; readonly bytes: number }[]>()
  for (const comment of comments) {
    const entry = entryOf(comment)
    for (const key of ['k', 'k.l', 'k.r', 'k.l.r']) {
      const name = `${key} ${entry[key]?.S}`
      const list = lists.get(name)
      if (list === undefined) lists.set(name, [{ entry, bytes: bytesOf(comment) }])
      else list.push({ entry, bytes: bytesOf(comment) })
    }
  }

  const query = (input: QueryCommandInput) => {
    const names = input.ExpressionAttributeNames ?? {}
    const values = input.ExpressionAttributeValues ?? {}
    const list = lists.get(`${names['#k']} ${values[':k']?.S}`) ?? []
    const upper = values[':u']?.S
    if (values[':l'] !== undefined || input.ScanIndexForward !== false) throw new Error('only newest first, forwards')
    let at = upper === undefined ? list.length : firstNotBelow(list, upper)
    const items: Entry[] = []
    let bytes = 0
    let scanned = 0
    for (; scanned < (input.Limit ?? 0) && at > 0; scanned++) {
      const read = list[--at]
      if (read === undefined) break
      bytes += read.bytes
      if (passes(read.entry, names, values)) items.push(read.entry)
    }
    return {
      Items: items,
      Count: items.length,
      ScannedCount: scanned,
      ConsumedCapacity: { CapacityUnits: 0.5 * Math.max(1, Math.ceil(bytes / BLOCK_BYTES)) },
      ...(scanned === input.Limit ? { LastEvaluatedKey: list[at]?.entry } : {}),
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

function firstNotBelow(list: readonly { readonly entry: Entry }[], position: string): number {
  let low = 0
  let high = list.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((list[middle]?.entry.s?.S ?? '') < position) low = middle + 1
    else high = middle
  }
  return low
}
