import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type AttributeValue, DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb'
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams'
import { type Collection, createLapidary, type Poller } from 'lapidary'
import { type Engine, openEngine } from 'lapidary-engine'
import { createAwsStream } from 'lapidary-testing'
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
  /** The folder of its database. */
  readonly folder: string
  /** The client of the writers; the library and its poller have one of their own. */
  readonly client: DynamoDBClient
  /** The client of the library and its poller. */
  readonly pollerClient: DynamoDBClient
  readonly lapidary: ReturnType<typeof openCounting>
  startPoller(): Promise<Poller>
  /** Resolves when everything written so far is counted. */
  counted(): Promise<void>
}

/** @param options.shards Shards of the change stream, each an equal part of the items; the engine's own one when not given. */
export async function openCountedTable({
  leaderboard = false,
  shards,
}: {
  readonly leaderboard?: boolean
  readonly shards?: number
} = {}): Promise<CountedTable> {
  const folder = mkdtempSync(join(tmpdir(), 'lapidary-bench-'))
  const engine: Engine = await openEngine({ dataDir: folder })
  const client = new DynamoDBClient(engine.clientConfig)
  const pollerClient = new DynamoDBClient(engine.clientConfig)
  const streams = shards === undefined ? undefined : shardedStreams(engine, client, shards)
  const lapidary = openCounting(pollerClient, leaderboard ? ledComments : comments, streams)
  await lapidary.table.create()
  let poller: Poller | undefined
  return {
    folder,
    client,
    pollerClient,
    lapidary,
    async startPoller() {
      const onError = (error: unknown): void => console.error('the poller goes on after', error)
      poller = await lapidary.stream.start({ idleMs: IDLE_MS, onError })
      return poller
    },
    counted: () => caughtUp(() => poller?.status().caughtUpAt),
    async [Symbol.asyncDispose]() {
      client.destroy()
      pollerClient.destroy()
      await engine.close()
      rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    },
  }
}

/** The library on a table whose comments are counted. */
function openCounting(client: DynamoDBClient, collection: typeof comments, streams: DynamoDBStreamsClient | undefined) {
  return createLapidary({
    client,
    tableName: TABLE_NAME,
    collections: { comments: collection as Collection<Comment, typeof comments.facets> },
    cursorSecret: 'a secret that only the bench knows',
    derived: { counts: true },
    stream: { immediate: true, ...(streams === undefined ? {} : { client: streams }) },
  })
}

/** None of them closes: what is measured is how they meet. */
function shardedStreams(engine: Engine, client: DynamoDBClient, shards: number): DynamoDBStreamsClient {
  const streams = new DynamoDBStreamsClient(engine.clientConfig)
  return createAwsStream({ client, streams, tableName: TABLE_NAME, seed: 1, listenMs: 0, behaviour: { shards } })
    .streams
}

async function caughtUp(at: () => number | undefined): Promise<void> {
  const from = Date.now()
  while ((at() ?? 0) <= from) {
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
