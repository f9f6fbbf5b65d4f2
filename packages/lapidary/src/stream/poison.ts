import {
  type AttributeValue,
  DeleteItemCommand,
  GetItemCommand,
  type TransactWriteItem,
} from '@aws-sdk/client-dynamodb'
import type { Change } from '../derived/change.ts'
import { keyEntry } from '../derived/guarded-write.ts'
import type { TargetKey } from '../derived/projection.ts'
import type { Entry } from '../model/entry.ts'
import { byteLength } from '../model/key-text.ts'
import { itemsOf, queryPages, wholePartition } from '../table/paging.ts'
import type { TableClient } from '../table/table-client.ts'
import type { Guard } from './commit.ts'

/** All records that were set aside are one partition, in order of shard and sequence. They are rare. */
export const POISON_PARTITION = '~POISON'

/** Records that a repair has taken out of a replay's reach and counts, until all is mended. They are still missing. */
export const COVERED_PARTITION = '~POISON~COVERED'

/** Bytes of images beyond which they are left out, so that the item with the record stays under DynamoDB's 400 KB. */
const LARGEST_IMAGES = 350_000
const LONGEST_REASON = 1_000

/** One of the two images of a change. A change counts its former image down and its new one up, each by itself. */
export type Image = 'before' | 'after'

/** What is kept of a record that no projection could take in. */
export interface PoisonRecord {
  readonly shardId: string
  readonly change: Change
  /** The images that are not counted; of the change only these are kept. */
  readonly uncounted: readonly Image[]
  /** Projections of copies that refused the change; they have to be rebuilt. */
  readonly refusedBy: readonly string[]
  readonly reason: string
  /** Whether the images were too large to be kept, so that only a rebuild can count them. */
  readonly tooLarge: boolean
}

/** Keeps a record, so that it blocks nothing and can be replayed. */
export function setAside(table: TableClient, record: Omit<PoisonRecord, 'tooLarge'>): TransactWriteItem {
  const { shardId, change, uncounted, refusedBy, reason } = record
  const images = imagesText(change, uncounted)
  const tooLarge = byteLength(images) > LARGEST_IMAGES
  const Item: Record<string, AttributeValue> = {
    ...keyEntry(poisonKey(record)),
    shardId: { S: shardId },
    record: { S: JSON.stringify({ key: change.key, sequenceNumber: change.sequenceNumber, at: change.at }) },
    uncounted: { L: uncounted.map((image) => ({ S: image })) },
    refusedBy: { L: refusedBy.map((name) => ({ S: name })) },
    reason: { S: reason.slice(0, LONGEST_REASON) },
    ...(tooLarge ? { tooLarge: { BOOL: true } } : { images: { S: images } }),
  }
  return { Put: { TableName: table.tableName, Item } }
}

/** Everything that was set aside and not replayed yet. Costs 0.5 RCU for each 4 KB kept. */
export async function listPoison(table: TableClient): Promise<readonly PoisonRecord[]> {
  const pages = queryPages(table, { ...wholePartition(POISON_PARTITION), ConsistentRead: true })
  return (await itemsOf(pages)).map(recordOf)
}

/** How many records were set aside, with those that a repair took and did not finish; reads no more than a page of each. */
export async function countPoison(table: TableClient): Promise<number> {
  const counts = [POISON_PARTITION, COVERED_PARTITION].map(async (partition) => {
    const input = { ...wholePartition(partition), Select: 'COUNT', ConsistentRead: true } as const
    const page = await queryPages(table, input).next()
    return page.value?.Count ?? 0
  })
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0)
}

/** Forgets records whose items were counted anew: replayed after a rebuild they would count twice. */
export async function discardPoison(table: TableClient, records: readonly PoisonRecord[]): Promise<void> {
  for (const record of records) {
    await table.send(new DeleteItemCommand({ TableName: table.tableName, Key: keyEntry(poisonKey(record)) }))
  }
}

/** Makes a replay happen once: the record goes with what it adds. */
export function replayGuard(table: TableClient, record: PoisonRecord): Guard {
  const Key = keyEntry(poisonKey(record))
  return {
    name: `the record ${record.change.sequenceNumber} of ${record.shardId}`,
    write: { Delete: { TableName: table.tableName, Key, ConditionExpression: 'attribute_exists(PK)' } },
    async isSpent() {
      const { Item } = await table.send(new GetItemCommand({ TableName: table.tableName, Key, ConsistentRead: true }))
      return Item === undefined
    },
  }
}

function poisonKey({ shardId, change }: Pick<PoisonRecord, 'shardId' | 'change'>): TargetKey {
  return { PK: POISON_PARTITION, SK: `${shardId}#${change.sequenceNumber.padStart(40, '0')}` }
}

function recordOf(entry: Entry): PoisonRecord {
  const images: Partial<Record<Image, Entry>> = parseImages(entry.images?.S ?? '{}')
  const record = JSON.parse(entry.record?.S ?? '{}') as Pick<Change, 'key' | 'sequenceNumber' | 'at'>
  return {
    shardId: entry.shardId?.S ?? '',
    change: { ...record, before: images.before, after: images.after },
    uncounted: (entry.uncounted?.L ?? []).map(({ S }) => (S === 'before' ? 'before' : 'after')),
    refusedBy: (entry.refusedBy?.L ?? []).map(({ S }) => S ?? ''),
    reason: entry.reason?.S ?? '',
    tooLarge: entry.tooLarge?.BOOL ?? false,
  }
}

/** JSON with binary values as base64, which is how Lambda has them too. */
function imagesText(change: Change, images: readonly Image[]): string {
  const kept = Object.fromEntries(images.map((image) => [image, change[image]]))
  return JSON.stringify(kept, function (this: Record<string, unknown>, name, value: unknown) {
    const raw = this[name]
    return raw instanceof Uint8Array ? Buffer.from(raw).toString('base64') : value
  })
}

/** A text named `B` is a binary value: an attribute of that name would be an object. */
function parseImages(text: string): Partial<Record<Image, Entry>> {
  return JSON.parse(text, (name, value: unknown) => {
    if (name === 'B' && typeof value === 'string') return Buffer.from(value, 'base64')
    if (name === 'BS' && Array.isArray(value)) return value.map((each) => Buffer.from(String(each), 'base64'))
    return value
  }) as Partial<Record<Image, Entry>>
}
