import {
  ConditionalCheckFailedException,
  GetItemCommand,
  PutItemCommand,
  ScanCommand,
  type ScanCommandOutput,
} from '@aws-sdk/client-dynamodb'
import { type CollectionContext, importItems, LapidaryError } from 'lapidary'
import type { Comment } from '../comment.ts'
import { generateComments } from './generate-comments.ts'
import { createCatalogue } from './products.ts'

const PRODUCTS = 40
const COMMENTS = 5_000
const SEED = 42

export interface FillOptions {
  /** Comments written so far, and how many there will be. */
  readonly onProgress?: (progress: { readonly written: number; readonly total: number }) => void
  /** Stops it; the next call begins again. */
  readonly signal?: AbortSignal
}

/** Ids of the most popular demo products, most popular first. */
export const POPULAR_PRODUCTS: readonly string[] = popularProducts(12)

/**
 * Fills an empty table with demo comments, once: a table in which somebody has written is left alone, and so is one whose
 * demo comments were deleted. What a crash interrupted is done again, with the same comments.
 *
 * @returns How many comments were written; 0 when there was nothing to do.
 * @throws {LapidaryError} `unavailable` when not all of them could be written.
 */
export async function fillDemoData(context: CollectionContext<Comment>, options: FillOptions = {}): Promise<number> {
  if (!(await begin(context))) return 0
  const { signal, onProgress } = options
  const items = generateComments({ products: PRODUCTS, comments: COMMENTS, seed: SEED })
  const { written, interrupted, failed } = await importItems(context, items, {
    ...(signal === undefined ? {} : { signal }),
    onProgress: (progress) => onProgress?.({ written: progress.written, total: COMMENTS }),
  })
  if (failed > 0) throw new LapidaryError('unavailable', `${failed} demo comments were not written; start again`)
  if (!interrupted) await mark(context, 'filled')
  return written
}

/** Whether there is something to do; if so, the mark that it has begun is set. */
async function begin(context: CollectionContext<Comment>): Promise<boolean> {
  const state = await markedState(context)
  if (state !== undefined) return state !== 'filled'
  if (await hasComments(context)) return false
  try {
    await mark(context, 'filling', 'attribute_not_exists(PK)')
    return true
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error
    // Another process began at the same time, and may even be done.
    return (await markedState(context)) !== 'filled'
  }
}

async function markedState({ table, collection }: CollectionContext<Comment>): Promise<string | undefined> {
  const { Item } = await table.send(
    new GetItemCommand({ TableName: table.tableName, Key: markKey(collection.name), ConsistentRead: true }),
  )
  return Item?.state?.S
}

/** Whether somebody has written. Checkpoints and counts say nothing of that: a server keeps them before the first comment. */
async function hasComments({ table, collection }: CollectionContext<Comment>): Promise<boolean> {
  let start: ScanCommandOutput['LastEvaluatedKey']
  do {
    const page: ScanCommandOutput = await table.send(
      new ScanCommand({
        TableName: table.tableName,
        Limit: 100,
        ConsistentRead: true,
        ExclusiveStartKey: start,
        FilterExpression: 'begins_with(PK, :item) AND SK = :itself',
        ExpressionAttributeValues: { ':item': { S: `${collection.name}#` }, ':itself': { S: '~' } },
        ProjectionExpression: 'PK',
      }),
    )
    if ((page.Items ?? []).length > 0) return true
    start = page.LastEvaluatedKey
  } while (start !== undefined)
  return false
}

async function mark(
  { table, collection }: CollectionContext<Comment>,
  state: 'filling' | 'filled',
  condition?: string,
): Promise<void> {
  await table.send(
    new PutItemCommand({
      TableName: table.tableName,
      Item: { ...markKey(collection.name), state: { S: state } },
      ...(condition === undefined ? {} : { ConditionExpression: condition }),
    }),
  )
}

/** `DEMO~COMMENT`: no item's key has a `~` there. */
function markKey(name: string): { PK: { S: string }; SK: { S: string } } {
  return { PK: { S: `DEMO~${name}` }, SK: { S: '~' } }
}

function popularProducts(count: number): readonly string[] {
  const catalogue = createCatalogue(PRODUCTS, SEED)
  return Array.from({ length: count }, (_, rank) => catalogue.product(rank).id)
}
