import type { TransactWriteItem } from '@aws-sdk/client-dynamodb'
import { type Entry, entryBytes } from '../model/entry.ts'
import { LapidaryError, shown } from '../model/errors.ts'
import { keySources } from '../model/key-sources.ts'
import { INTERNAL_VERSION, isTableAttribute } from '../model/reserved-names.ts'
import { PRIMARY_SORT_KEY } from '../model/stored-item.ts'
import { inLanes } from '../table/in-lanes.ts'
import { Again, retrying } from '../table/retrying.ts'
import { stillAsRead } from '../writes/as-read.ts'
import type { EntryKey } from '../writes/entry-writes.ts'
import { MOST_TRANSACTION_BYTES, transactItem } from '../writes/item-writes.ts'
import { sendWrites } from '../writes/send-writes.ts'
import { type DifferingDuplicate, type DuplicatesContext, type ItemPartition, readPartition } from './partition.ts'

/** DynamoDB's cap on a transaction, less the check of the item. */
const MOST_WRITES = 99
const MOST_TRIES = 10
/** How many items are settled at once. */
const CONCURRENCY = 8
/** The most bytes of one transaction's writes: the check of the item names its attributes too, so the bytes of an item are left for it. */
const MOST_BYTES = MOST_TRANSACTION_BYTES - 512 * 1024

/**
 * Brings the duplicates of an item to what the item says. It reads only the table, and each transaction checks the item once more. So the order
 * of changes does not matter, nor how often this runs, nor how many processes run it at once.
 *
 * @returns How many duplicates were written or deleted.
 * @throws {LapidaryError} `unavailable` when the item keeps changing.
 */
export async function settleDuplicates(context: DuplicatesContext, partition: string): Promise<number> {
  let written = 0
  const gaveUp = (): never => {
    throw new LapidaryError(
      'unavailable',
      `the item ${shown(partition)} changed ${MOST_TRIES} times while its duplicates were written; try again`,
    )
  }
  return retrying<number>(context.table, { most: MOST_TRIES, gaveUp }, async () => {
    const found = await readPartition(context, partition)
    const check = unchanged(context, partition, found)
    // If there are too many for one transaction, those that must go go first: no list then shows what the item no longer is.
    const ordered = found.differing.toSorted((a, b) => Number(a.wanted !== undefined) - Number(b.wanted !== undefined))
    for (const few of inTransactions(ordered)) {
      const writes = few.map((each) => duplicateWrite(context, partition, each))
      const sent = await sendWrites(context.table, [check, ...writes], { ReturnConsumedCapacity: 'TOTAL' })
      if (sent.outcome !== 'written') return new Again()
      written += writes.length
    }
    return written
  })
}

/** Settles the duplicates of many items, each once. */
export function settleAll(context: DuplicatesContext, partitions: Iterable<string>): Promise<void> {
  return inLanes(new Set(partitions), CONCURRENCY, (partition) => settleDuplicates(context, partition))
}

/** Cuts the differences into transactions, each as full as DynamoDB takes it. */
function* inTransactions(all: readonly DifferingDuplicate[]): Generator<readonly DifferingDuplicate[]> {
  let few: DifferingDuplicate[] = []
  let bytes = 0
  for (const each of all) {
    const more = each.wanted === undefined ? 0 : entryBytes(each.wanted)
    if (few.length === MOST_WRITES || (few.length > 0 && bytes + more > MOST_BYTES)) {
      yield few
      few = []
      bytes = 0
    }
    few.push(each)
    bytes += more
  }
  if (few.length > 0) yield few
}

function duplicateWrite(
  { table: { tableName } }: DuplicatesContext,
  partition: string,
  { sortKey, wanted }: DifferingDuplicate,
): TransactWriteItem {
  const key: EntryKey = { PK: { S: partition }, SK: { S: sortKey } }
  const write =
    wanted === undefined ? ({ kind: 'delete', key } as const) : ({ kind: 'put', key, entry: wanted } as const)
  return transactItem(tableName, write, undefined)
}

/** Makes the condition that the item is as it was read: its version, and all attributes that its duplicates are made from. */
function unchanged(
  { collection, codec, table }: DuplicatesContext,
  partition: string,
  { primary, differing }: ItemPartition,
): TransactWriteItem {
  const Key = { PK: { S: partition }, SK: { S: PRIMARY_SORT_KEY } }
  if (primary === undefined) {
    return { ConditionCheck: { TableName: table.tableName, Key, ConditionExpression: 'attribute_not_exists(PK)' } }
  }
  const { version } = collection
  const declared = version === undefined ? [] : [codec.storedName(version)]
  const copied = differing.flatMap(({ wanted }) => Object.keys(wanted ?? ({} as Entry)))
  const names = [
    ...keySources(collection, codec, primary),
    ...declared,
    INTERNAL_VERSION,
    ...copied.filter((name) => !isTableAttribute(name)),
  ]
  return { ConditionCheck: { TableName: table.tableName, Key, ...stillAsRead(primary, names) } }
}
