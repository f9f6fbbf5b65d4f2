import { DeleteItemCommand, type TransactWriteItem } from '@aws-sdk/client-dynamodb'
import { keyEntry } from '../derived/guarded-write.ts'
import type { TargetKey } from '../derived/target-key.ts'
import { itemsOfPages, queryPages, wholePartition } from '../table/paging.ts'
import type { TableClient } from '../table/table-client.ts'

/** All dead letters are one partition, in order of shard and sequence. They are rare. */
export const DEAD_LETTER_PARTITION = '~DEADLETTER'

/** With a mark, since items are often ordered by `at`, as a text, which may be the key of an index. */
const CHANGED_AT = '~at'

const LONGEST_REASON = 1_000

/** A change of which something is not in the derived data, and why. A repair makes it good, from the items. */
export interface DeadLetter {
  /** The key of the item that was changed. */
  readonly key: TargetKey
  readonly shardId: string
  readonly sequenceNumber: string
  /** When the change was made, in milliseconds since 1970. */
  readonly at: number
  readonly reason: string
  /** Copies that refused the change. */
  readonly refusedBy: readonly string[]
}

/** Keeps a dead letter, in the transaction that passes over what it tells of. */
export function deadLetterWrite({ tableName }: TableClient, letter: DeadLetter): TransactWriteItem {
  const { key, at, refusedBy, reason } = letter
  const Item = {
    ...keyEntry(letterKey(letter)),
    item: { M: keyEntry(key) },
    [CHANGED_AT]: { N: String(at) },
    reason: { S: reason.slice(0, LONGEST_REASON) },
    refusedBy: { L: refusedBy.map((name) => ({ S: name })) },
  }
  return { Put: { TableName: tableName, Item } }
}

/** Costs 0.5 RCU for each 4 KB kept. */
export async function listDeadLetters(table: TableClient): Promise<readonly DeadLetter[]> {
  const pages = queryPages(table, { ...wholePartition(DEAD_LETTER_PARTITION), ConsistentRead: true })
  return (await itemsOfPages(pages)).map(({ SK, item, [CHANGED_AT]: at, reason, refusedBy }) => {
    const [, shardId = '', sequenceNumber = ''] = /^(.*)#0*(\d+)$/.exec(SK?.S ?? '') ?? []
    return {
      key: { PK: item?.M?.PK?.S ?? '', SK: item?.M?.SK?.S ?? '' },
      shardId,
      sequenceNumber,
      at: Number(at?.N ?? 0),
      reason: reason?.S ?? '',
      refusedBy: (refusedBy?.L ?? []).map(({ S }) => S ?? ''),
    }
  })
}

/** How many there are; reads no more than a page of them. */
export async function countDeadLetters(table: TableClient): Promise<number> {
  const input = { ...wholePartition(DEAD_LETTER_PARTITION), Select: 'COUNT', ConsistentRead: true } as const
  return (await queryPages(table, input).next()).value?.Count ?? 0
}

export async function forgetDeadLetter(table: TableClient, letter: DeadLetter): Promise<void> {
  await table.send(new DeleteItemCommand({ TableName: table.tableName, Key: keyEntry(letterKey(letter)) }))
}

/** Sequence numbers of one width are in order as texts. */
function letterKey({ shardId, sequenceNumber }: DeadLetter): TargetKey {
  return { PK: DEAD_LETTER_PARTITION, SK: `${shardId}#${sequenceNumber.padStart(40, '0')}` }
}
