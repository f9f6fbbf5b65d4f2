import { isDeepStrictEqual } from 'node:util'
import type { AttributeValue, TransactWriteItem } from '@aws-sdk/client-dynamodb'
import type { Entry } from '../model/entry.ts'
import { readEntry } from '../table/read-entries.ts'
import type { TableClient } from '../table/table-client.ts'

/**
 * Whether the table holds what a write of an item would make of it, its version and all: asked where an earlier try of the write got no
 * answer, so that the item may have been found changed by the write itself.
 *
 * @param write One that `transactItem` made.
 */
export async function isWritten(table: TableClient, { Put, Update, Delete }: TransactWriteItem): Promise<boolean> {
  const { PK, SK } = Put?.Item ?? Update?.Key ?? Delete?.Key ?? {}
  const entry = await readEntry(table, { PK, SK } as Record<string, AttributeValue>)
  if (Delete !== undefined || entry === undefined) return Delete !== undefined && entry === undefined
  return Put === undefined ? isUpdated(entry, Update ?? {}) : isDeepStrictEqual(entry, Put.Item)
}

/** Attributes that an update sets are `#s0 = :s0`, those that it removes `#r0`; the others are of its condition. */
function isUpdated(
  entry: Entry,
  { ExpressionAttributeNames = {}, ExpressionAttributeValues = {} }: NonNullable<Partial<TransactWriteItem['Update']>>,
): boolean {
  return Object.entries(ExpressionAttributeNames).every(([placeholder, name]) => {
    if (placeholder.startsWith('#r')) return entry[name] === undefined
    const value = ExpressionAttributeValues[placeholder.replace('#', ':')]
    return !placeholder.startsWith('#s') || isDeepStrictEqual(entry[name], value)
  })
}
