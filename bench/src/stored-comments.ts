import {
  type AttributeValue,
  BatchWriteItemCommand,
  CreateTableCommand,
  DynamoDBClient,
} from '@aws-sdk/client-dynamodb'
import { createLapidary, tableFor } from 'lapidary'
import { createTableInput } from 'lapidary/schema'
import { type Engine, openEngine } from 'lapidary-engine'
import { type Comment, comments } from './comments.ts'

export const TABLE_NAME = 'comments'
const CURSOR_SECRET = 'a secret that only the bench knows'
const BATCH = 25

/** An engine without a folder, with the comments' table. */
export interface CommentsTable extends AsyncDisposable {
  readonly client: DynamoDBClient
  readonly lapidary: ReturnType<typeof openLapidary>
}

export async function openCommentsTable(): Promise<CommentsTable> {
  const engine: Engine = await openEngine()
  const client = new DynamoDBClient(engine.clientConfig)
  await createCommentsTable(client)
  return {
    client,
    lapidary: openLapidary(client),
    async [Symbol.asyncDispose]() {
      client.destroy()
      await engine.close()
    },
  }
}

/** The comments' table without the change stream, which costs every write something, and nothing here reads it. */
export async function createCommentsTable(client: DynamoDBClient): Promise<void> {
  const { StreamSpecification: _, ...table } = createTableInput(
    tableFor({ tableName: TABLE_NAME, collections: { comments } }),
  )
  await client.send(new CreateTableCommand(table))
}

export function openLapidary(client: DynamoDBClient, options: { readonly roundPrice?: number } = {}) {
  return createLapidary({
    client,
    tableName: TABLE_NAME,
    collections: { comments },
    cursorSecret: CURSOR_SECRET,
    ...options,
  })
}

/** Stores comments by plain BatchWriteItem calls, some at a time. */
export async function storeComments(
  client: DynamoDBClient,
  entries: readonly Record<string, AttributeValue>[],
  parallelism = 4,
): Promise<void> {
  let next = 0
  const work = async (): Promise<void> => {
    while (next < entries.length) {
      const batch = entries.slice(next, next + BATCH)
      next += BATCH
      let unsent = batch.map((Item) => ({ PutRequest: { Item } }))
      while (unsent.length > 0) {
        const { UnprocessedItems } = await client.send(
          new BatchWriteItemCommand({ RequestItems: { [TABLE_NAME]: unsent } }),
        )
        unsent = (UnprocessedItems?.[TABLE_NAME] ?? []) as typeof unsent
      }
    }
  }
  await Promise.all(Array.from({ length: parallelism }, work))
}

/** The entry of a comment in the table, with its index keys, as plain SDK code would write it. */
export function entryOf(comment: Comment): Record<string, AttributeValue> {
  const { id, productId, language, rating, text, createdAt } = comment
  const product = `PRODUCT#${productId}`
  return {
    PK: { S: `COMMENT#${id}` },
    SK: { S: '~' },
    k: { S: product },
    'k.l': { S: `${product}/${language}` },
    'k.r': { S: `${product}/${rating}` },
    'k.l.r': { S: `${product}/${language}/${rating}` },
    s: { S: `${createdAt}#${id}` },
    '~v': { N: '1' },
    i: { S: id },
    p: { S: productId },
    l: { S: language },
    r: { N: String(rating) },
    x: { S: text },
    c: { S: createdAt },
  }
}
