import { isDeepStrictEqual } from 'node:util'
import type { AttributeValue, TransactWriteItem } from '@aws-sdk/client-dynamodb'
import type { Entry } from '../model/entry.ts'
import { readEntry } from '../table/read-entries.ts'
import type { TableClient } from '../table/table-client.ts'

/**
 * Tells whether the table already holds the result of a write, its version included. A writer asks this where an earlier try got no answer: the
 * item that it found changed may be changed by its own write.
 *
 * @param write A write that `transactItem` made.
 */
export async function isWritten(table: TableClient, { Put, Update, Delete }: TransactWriteItem): Promise<boolean> {
  const { PK, SK } = Put?.Item ?? Update?.Key ?? Delete?.Key ?? {}
  const entry = await readEntry(table, { PK, SK } as Record<string, AttributeValue>)
  if (Delete !== undefined || entry === undefined) return Delete !== undefined && entry === undefined
  return Put === undefined ? isUpdated(entry, Update ?? {}) : isDeepStrictEqual(entry, Put.Item)
}

/** Tells whether the entry holds all that an update sets, `#s0 = :s0`, and nothing that it removes, `#r0`; other names belong to the condition. */
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
