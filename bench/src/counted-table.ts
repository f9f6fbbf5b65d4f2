import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type AttributeValue, DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb'
import {
  type Collection,
  createFreshness,
  createLapidary,
  createTable,
  type Freshness,
  startChangeStream,
  tableFor,
} from 'lapidary'
import { type Engine, openEngine } from 'lapidary-engine'
import { type Comment, comments } from './comments.ts'
import { TABLE_NAME } from './stored-comments.ts'

/** The benches' comments with the leaderboard that the comments system has. */
const ledComments = {
  ...comments,
  leaderboards: [{ name: 'five-star', where: { rating: [5] }, shards: 4 }],
} as typeof comments

/** As the server polls an embedded engine. */
const IDLE_MS = 100
const COUNTED_WITHIN_MS = 120_000

/** A table in a file, as a server has it, with a poller that counts what is written to it. */
export interface CountedTable extends AsyncDisposable {
  /** Where its database is. */
  readonly folder: string
  /** Of whoever writes; the poller has one of its own. */
  readonly client: DynamoDBClient
  /** Of the poller. */
  readonly pollerClient: DynamoDBClient
  readonly lapidary: ReturnType<typeof openCounting>
  startPoller(): AsyncDisposable
  /** Resolves when everything written so far is counted. */
  counted(): Promise<void>
}

export async function openCountedTable({ leaderboard = false } = {}): Promise<CountedTable> {
  const folder = mkdtempSync(join(tmpdir(), 'lapidary-bench-'))
  const engine: Engine = await openEngine({ dataDir: folder })
  const collection = leaderboard ? ledComments : comments
  const client = new DynamoDBClient(engine.clientConfig)
  const pollerClient = new DynamoDBClient(engine.clientConfig)
  await createTable(client, tableFor({ tableName: TABLE_NAME, collections: { comments: collection } }))
  const freshness = createFreshness({ propagationMs: 0 })
  return {
    folder,
    client,
    pollerClient,
    lapidary: openCounting(client, freshness, collection),
    startPoller: () => countChanges(pollerClient, freshness, collection),
    counted: () => caughtUp(freshness),
    async [Symbol.asyncDispose]() {
      client.destroy()
      pollerClient.destroy()
      await engine.close()
      rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    },
  }
}

/** The library on a table whose comments are counted. */
function openCounting(client: DynamoDBClient, freshness: Freshness, collection: typeof comments = comments) {
  return createLapidary({
    client,
    tableName: TABLE_NAME,
    collections: { comments: collection as Collection<Comment, typeof comments.facets> },
    cursorSecret: 'a secret that only the bench knows',
    statistics: true,
    freshness,
  })
}

/** Counts changes as the server does. */
function countChanges(
  client: DynamoDBClient,
  freshness: Freshness,
  collection: typeof comments = comments,
): AsyncDisposable {
  const { endpoint, region, credentials, requestHandler } = client.config
  return startChangeStream([openCounting(client, freshness, collection).comments], {
    clientConfig: { region, credentials, requestHandler, ...(endpoint === undefined ? {} : { endpoint }) },
    freshness,
    idleMs: IDLE_MS,
    endReads: 1,
    onError: (error) => console.error('the poller goes on after', error),
  })
}

async function caughtUp(freshness: Freshness): Promise<void> {
  const from = Date.now()
  while ((freshness.caughtUpAt ?? 0) <= from) {
    if (Date.now() - from > COUNTED_WITHIN_MS) throw new Error('the poller does not catch up')
    await sleep(20)
  }
}

/** Counters of an item of counts; none when there is no such item. */
export async function readCounters(client: DynamoDBClient, PK: string, SK: string): Promise<Record<string, number>> {
  const Key: Record<string, AttributeValue> = { PK: { S: PK }, SK: { S: SK } }
  const { Item = {} } = await client.send(new GetItemCommand({ TableName: TABLE_NAME, Key, ConsistentRead: true }))
  const counters = Object.entries(Item).filter(([name]) => name.startsWith('count_'))
  return Object.fromEntries(counters.map(([name, { N }]) => [name, Number(N)]))
}
