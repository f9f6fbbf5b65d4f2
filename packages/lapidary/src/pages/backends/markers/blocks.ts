import { GetItemCommand, type QueryCommandInput } from '@aws-sdk/client-dynamodb'
import { keyEntry, REVISION } from '../../../derived/guarded-write.ts'
import type { TargetKey } from '../../../derived/target-key.ts'
import { type Entry, entryBytes } from '../../../model/entry.ts'
import { LapidaryError } from '../../../model/errors.ts'
import { queryPages } from '../../../table/paging.ts'
import type { TableClient } from '../../../table/table-client.ts'
import type { Place } from '../../place.ts'
import { type Packed, packCounts, packEntries, unpackCounts, unpackEntries } from '../../tree/packing.ts'

/**
 * Entries of a group that follow each other, and the stamp of the first: how many entries of each list come before it. Blocks have
 * numbers from the oldest on, so what is appended changes the last one, and every change before it all that follow.
 */
export interface Block {
  readonly number: number
  /** By the number of the list. */
  readonly before: ReadonlyMap<number, number>
  readonly entries: readonly Packed[]
  /** What the table has; undefined for a new one. */
  readonly stored: Entry | undefined
}

const PREFIX = 'B#'
const NUMBER_DIGITS = 10
const MOST_AT_ONCE = 1_000
/** DynamoDB's 400 KB of an item, without its keys and revision. */
const MOST_BLOCK_BYTES = 400 * 1024 - 2_048
/** A number no block has; `#` and digits are below it. */
const LAST = `${PREFIX}~`

export function blockKey(partition: string, number: number): TargetKey {
  return { PK: partition, SK: `${PREFIX}${String(number).padStart(NUMBER_DIGITS, '0')}` }
}

/** @throws {LapidaryError} `unprocessable` for a block that no item of the table can hold. */
export function blockEntry({ before, entries }: Pick<Block, 'before' | 'entries'>): Entry {
  const entry = { '~e': { B: packEntries(entries) }, '~c': { B: packCounts(before) } }
  const bytes = entryBytes(entry)
  if (bytes <= MOST_BLOCK_BYTES) return entry
  throw new LapidaryError(
    'unprocessable',
    `a block of page markers would have ${entries.length} entries and counts of ${before.size} lists, ${bytes} bytes, and an item has at most ${MOST_BLOCK_BYTES}: open pageMarkers with a smaller every and rebuild page-index, or take segments`,
  )
}

/** A block as the table has it. With many lists its stamp is most of it, so that is held packed, and read anew each time. */
class StoredBlock implements Block {
  readonly number: number
  readonly entries: readonly Packed[]
  readonly stored: Entry

  constructor(stored: Entry) {
    this.number = Number((stored.SK?.S ?? '').slice(PREFIX.length))
    this.entries = unpackEntries(stored['~e']?.B ?? new Uint8Array())
    this.stored = stored
  }

  get before(): ReadonlyMap<number, number> {
    return unpackCounts(this.stored['~c']?.B ?? new Uint8Array())
  }
}

const blockFrom = (stored: Entry): Block => new StoredBlock(stored)

export function firstOf({ entries }: Block): Place {
  return (entries[0] as Packed).place
}

/** Whether a block has not been written since it was read. */
export function isSameBlock(read: Block, now: Block | undefined): boolean {
  return read.number === now?.number && read.stored?.[REVISION]?.S === now.stored?.[REVISION]?.S
}

/** Counts with those of more entries. */
export function countsAfter(before: ReadonlyMap<number, number>, entries: readonly Packed[]): Map<number, number> {
  const counts = new Map(before)
  for (const { cell } of entries) counts.set(cell, (counts.get(cell) ?? 0) + 1)
  return counts
}

/** Entries cut into blocks, from the number and the stamp of one on: one at a time, since each has a stamp with counts of all lists. */
export function* blocksOf(
  { number, before }: Pick<Block, 'number' | 'before'>,
  entries: Iterable<Packed>,
  every: number,
): Generator<Block, undefined> {
  let block = { number, before, entries: [] as Packed[], stored: undefined }
  for (const entry of entries) {
    if (block.entries.length === every) {
      yield block
      const counts = countsAfter(block.before, block.entries)
      block = { number: block.number + 1, before: counts, entries: [], stored: undefined }
    }
    block.entries.push(entry)
  }
  if (block.entries.length > 0) yield block
}

/** What blocks were read, and what it took. */
export interface BlocksRead {
  readonly blocks: readonly Block[]
  readonly rcu: number
}

/** Blocks from the newest on, at most so many, from before a number if there is one. */
export async function readNewest(
  table: TableClient,
  partition: string,
  most: number,
  { before, consistent }: { readonly before?: number; readonly consistent: boolean },
): Promise<BlocksRead> {
  const to = before === undefined ? LAST : blockKey(partition, before - 1).SK
  const input: Omit<QueryCommandInput, 'TableName'> = {
    KeyConditionExpression: 'PK = :partition AND SK BETWEEN :from AND :to',
    ExpressionAttributeValues: { ':partition': { S: partition }, ':from': { S: PREFIX }, ':to': { S: to } },
    ScanIndexForward: false,
    ConsistentRead: consistent,
    Limit: Math.min(most, MOST_AT_ONCE),
  }
  const blocks: Block[] = []
  let rcu = 0
  if (before === 0) return { blocks, rcu }
  for await (const { Items = [], ConsumedCapacity } of queryPages(table, input)) {
    blocks.push(...Items.map(blockFrom))
    rcu += ConsumedCapacity?.CapacityUnits ?? 0
    if (blocks.length >= most) break
  }
  return { blocks: blocks.slice(0, most), rcu }
}

/** Some blocks by their numbers; those that are there. */
export async function readBlocks(
  table: TableClient,
  partition: string,
  numbers: readonly number[],
  consistent: boolean,
): Promise<BlocksRead> {
  const answers = await Promise.all(
    numbers.map((number) =>
      table.send(
        new GetItemCommand({
          ...{ TableName: table.tableName, Key: keyEntry(blockKey(partition, number)) },
          ...{ ConsistentRead: consistent, ReturnConsumedCapacity: 'TOTAL' },
        }),
      ),
    ),
  )
  return {
    blocks: answers.flatMap(({ Item }) => (Item === undefined ? [] : [blockFrom(Item)])),
    rcu: answers.reduce((sum, { ConsumedCapacity }) => sum + (ConsumedCapacity?.CapacityUnits ?? 0), 0),
  }
}
