import {
  type DynamoDBClient,
  PutItemCommand,
  type TransactWriteItem,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb'
import { AWKWARD_DECIMALS } from '../decimal-units.ts'
import { type Review, reviewEntry, reviewKey } from './reviews.ts'

export const PRODUCTS = ['a', 'b', 'c#1/x']
export const LANGUAGES = ['en', 'de', 'pt-br']
const IDS = 14
const MOST_OF_A_WRITE = 5

/** Makes random changes to a table's reviews, several at once now and then. */
export interface Workload {
  /** Writes the next changes. False when all are made. */
  write(): Promise<boolean>
  /** Has so many more made. */
  add(changes: number): void
  /** All that each review was, one after the other; undefined where there was none. */
  readonly versions: ReadonlyMap<string, readonly (Review | undefined)[]>
}

export function createWorkload(
  client: DynamoDBClient,
  TableName: string,
  random: () => number,
  changes: number,
  entryOf: typeof reviewEntry = reviewEntry,
): Workload {
  const current = new Map<string, Review>()
  const versions = new Map<string, (Review | undefined)[]>()
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T
  let left = changes

  function changed(id: string, before: Review | undefined): Review | undefined {
    const price = random() < 0.3 ? {} : { price: pick(AWKWARD_DECIMALS) }
    const rating = 1 + Math.floor(random() * 5)
    const made = { id, productId: pick(PRODUCTS), language: pick(LANGUAGES), rating, ...price }
    if (before === undefined) return { ...made, text: '0' }
    const kind = random()
    if (kind < 0.25) return undefined
    const { price: _, ...free } = before
    if (kind < 0.35) return { ...free, ...price }
    if (kind < 0.5) return { ...before, rating: made.rating }
    if (kind < 0.6) return { ...before, language: made.language }
    if (kind < 0.75) return { ...before, productId: made.productId }
    if (kind < 0.85) return { ...before, text: String(Number(before.text) + 1) }
    if (kind < 0.92) return before
    return { ...before, ...made }
  }

  return {
    async write() {
      if (left === 0) return false
      const size = random() < 0.4 ? 1 : 1 + Math.floor(random() * MOST_OF_A_WRITE)
      const ids = new Set(Array.from({ length: Math.min(size, left) }, () => `r${Math.floor(random() * IDS)}`))
      left -= ids.size
      const TransactItems = [...ids].map((id): TransactWriteItem => {
        const before = current.get(id)
        const after = changed(id, before)
        versions.set(id, [...(versions.get(id) ?? [undefined]), after])
        if (after === undefined) {
          current.delete(id)
          return { Delete: { TableName, Key: reviewKey(id) } }
        }
        current.set(id, after)
        return { Put: { TableName, Item: entryOf(after) } }
      })
      const [only] = TransactItems
      if (TransactItems.length === 1 && only?.Put !== undefined) {
        await client.send(new PutItemCommand({ TableName, Item: only.Put.Item }))
      } else await client.send(new TransactWriteItemsCommand({ TransactItems }))
      return true
    },
    add(changes) {
      left += changes
    },
    versions,
  }
}
