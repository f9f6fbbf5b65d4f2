import {
  ConditionalCheckFailedException,
  GetItemCommand,
  PutItemCommand,
  ScanCommand,
  type ScanCommandOutput,
} from '@aws-sdk/client-dynamodb'
import { type CollectionClient, type CollectionContext, LapidaryError } from 'lapidary'
import type { CollectionLayout } from 'lapidary/layouts'
import { importItems } from 'lapidary/transfer'
import type { Comment } from '../comment.ts'
import type { Photos } from '../photos/photos.ts'
import { withDemoPhotos } from './demo-photos.ts'
import { generateComments } from './generate-comments.ts'
import { createCatalogue } from './products.ts'

/** The demo data of an empty table. */
export const DEMO_DATA = { products: 40, comments: 5_000, seed: 42 } as const

/**
 * Returns how many comments to make up: fewer for a layout that writes each many times, since the embedded engine takes some thousand entries a
 * second.
 */
export function demoComments({ entries }: Pick<CollectionLayout, 'entries'>): number {
  return entries === 'many' ? DEMO_DATA.comments / 5 : DEMO_DATA.comments
}

export interface FillOptions {
  /** The number of comments; that of {@link DEMO_DATA} when not given. */
  readonly comments?: number
  /** Photos for some of them; none when not given. */
  readonly photos?: Photos | undefined
  /** Called with the number of comments written so far, and their total. */
  readonly onProgress?: (progress: { readonly written: number; readonly total: number }) => void
  /** Waits until all written comments are counted, and returns whether they are; if not, the next call waits again. */
  readonly counted?: () => Promise<boolean>
  /** Stops the filling; the next call begins again. */
  readonly signal?: AbortSignal
}

/** Ids of the most popular demo products, most popular first. */
export const POPULAR_PRODUCTS: readonly string[] = popularProducts(12)

/**
 * Fills an empty table with demo comments, once: a table that has comments is left alone, and so is one whose demo comments were deleted. After
 * a crash it starts again, with the same comments.
 *
 * @returns How many comments were written; 0 when the table was not to be filled.
 * @throws {LapidaryError} `unavailable` when not all of them could be written.
 */
export async function fillDemoData(
  comments: Pick<CollectionClient<Comment>, 'context'>,
  options: FillOptions = {},
): Promise<number> {
  const { context } = comments
  const { comments: total = DEMO_DATA.comments, photos, signal, onProgress, counted } = options
  const done = async (): Promise<void> => {
    if (await counted?.()) await mark(context, 'counted')
  }
  const state = await begin(context)
  if (state === 'filled') await done()
  if (state !== 'filling') return 0
  const made = generateComments({ ...DEMO_DATA, comments: total })
  const items = photos === undefined ? made : await withDemoPhotos([...made], photos)
  const { written, interrupted, failed } = await importItems(comments, items, {
    ...(signal === undefined ? {} : { signal }),
    onProgress: (progress) => onProgress?.({ written: progress.written, total }),
  })
  if (failed > 0) throw new LapidaryError('unavailable', `${failed} demo comments were not written; start again`)
  if (interrupted) return written
  await mark(context, 'filled')
  await done()
  return written
}

/** Tells whether the table was filled with demo comments, so that its products are the made-up ones. */
export async function hasDemoData({ context }: Pick<CollectionClient<Comment>, 'context'>): Promise<boolean> {
  return (await markedState(context)) !== undefined
}

/** The state of the filling. */
type State = 'filling' | 'filled' | 'counted'

/** Returns the state of the filling, and sets the mark where it has to begin; undefined where the table is not to be filled. */
async function begin(context: CollectionContext<Comment>): Promise<State | undefined> {
  const state = await markedState(context)
  if (state !== undefined) return state
  if (await hasComments(context)) return undefined
  try {
    await mark(context, 'filling', 'attribute_not_exists(PK)')
    return 'filling'
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error
    // Another process began at the same time, and may even be done.
    return markedState(context)
  }
}

async function markedState({ table, collection }: CollectionContext<Comment>): Promise<State | undefined> {
  const { Item } = await table.send(
    new GetItemCommand({ TableName: table.tableName, Key: markKey(collection.name), ConsistentRead: true }),
  )
  return Item?.state?.S as State | undefined
}

/** Tells whether the table has comments. Checkpoints and counts are no sign of them: a server keeps those before the first comment. */
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
  state: State,
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

/** Returns the key of the mark, `DEMO~COMMENT`: no item's key has a `~` there. */
function markKey(name: string): { PK: { S: string }; SK: { S: string } } {
  return { PK: { S: `DEMO~${name}` }, SK: { S: '~' } }
}

function popularProducts(count: number): readonly string[] {
  const catalogue = createCatalogue(DEMO_DATA.products, DEMO_DATA.seed)
  return Array.from({ length: count }, (_, rank) => catalogue.product(rank).id)
}
