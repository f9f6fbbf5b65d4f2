import { type AttributeValue, DeleteTableCommand, type DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb'
import type { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import {
  anyOf,
  type Collection,
  type CollectionClient,
  createLapidary,
  type DatabaseServices,
  defineCollection,
  oneOf,
  type Poller,
  type Runner,
} from 'lapidary'
import {
  createTestClient,
  createTestStreams,
  type TestEngine,
  uniqueTableName,
} from '../../../../test/engines/index.ts'
import { collectionProjections } from '../../src/derived/collection-projections.ts'
import type { Entry } from '../../src/model/entry.ts'
import { createRunner } from '../../src/stream/runner.ts'
import { memoryDatabase } from '../memory-items/memory-database.ts'

export interface Review {
  readonly id: string
  readonly shopId: string
  readonly language: string
  readonly stars: number
  readonly at: string
}

const schema: StandardSchemaV1<unknown, Review> = {
  '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value: value as Review }) },
}

export const reviews = defineCollection({
  name: 'REVIEW',
  schema,
  id: 'id',
  scope: { name: 'SHOP', attribute: 'shopId' },
  order: 'at',
  facets: { language: oneOf(), stars: anyOf([1, 2, 3, 4, 5]) },
  leaderboards: { best: { where: { stars: [5] }, shards: 2 } },
})

export interface ReviewDatabase extends DatabaseServices {
  readonly reviews: CollectionClient<Review>
}

/** A table of reviews on a test engine. */
export interface MaintenanceSetting extends AsyncDisposable {
  readonly client: DynamoDBClient
  readonly streams: DynamoDBStreamsClient
  readonly tableName: string
  readonly reviews: CollectionClient<Review>
  /** What `verify` and its like take; nothing waits longer than these engines need. */
  readonly options: { readonly idleMs: number }
  readonly database: DatabaseServices
  /** The same database through another client. */
  through(client: Pick<DynamoDBClient, 'send'>, streams?: DynamoDBStreamsClient): ReviewDatabase
  /** Keeps the derived data of the reviews, of none that it can't read. */
  runner(isUnreadable?: (image: Entry) => boolean): Runner
  poller(): Promise<Poller>
  /** Everything in the table but leases, checkpoints and dead letters, by key. */
  contents(): Promise<Map<string, Record<string, AttributeValue>>>
}

export async function maintenanceSetting(engine: TestEngine): Promise<MaintenanceSetting> {
  const tableName = uniqueTableName()
  // In a mutation run: a mutant dies sooner there.
  const isInMemory = process.env.MUTATION_TABLE === 'memory'
  const { client, streams } = isInMemory
    ? memoryDatabase(tableName)
    : { client: createTestClient(engine), streams: createTestStreams(engine) }
  const through = (sender: Pick<DynamoDBClient, 'send'>, follow = streams): ReviewDatabase =>
    createLapidary({
      client: sender as DynamoDBClient,
      tableName,
      collections: { reviews },
      cursorSecret: 'a secret for the tests',
      stream: { client: follow, listedMs: 400 },
    }) as unknown as ReviewDatabase
  const own = through(client)
  await own.table.create()
  return {
    client,
    streams,
    tableName,
    reviews: own.reviews,
    database: own,
    options: { idleMs: 20 },
    through,
    runner(isUnreadable = () => false) {
      const { table, layout } = own.reviews.context
      const projections = collectionProjections(reviews as Collection, layout).map((projection) => ({
        ...projection,
        contributions(image: Entry) {
          if (isUnreadable(image)) throw new TypeError('odd')
          return projection.contributions(image)
        },
      }))
      return createRunner({ table, projections })
    },
    poller: () => own.stream.start({ idleMs: 20, leaseMs: 2_000 }),
    async contents() {
      const found = new Map<string, Record<string, AttributeValue>>()
      let after: Record<string, AttributeValue> | undefined
      do {
        const page = await client.send(
          new ScanCommand({ TableName: tableName, ConsistentRead: true, ExclusiveStartKey: after }),
        )
        for (const entry of page.Items ?? []) {
          if (/^(?!~)|^~(counts|leaders)\./.test(entry.PK?.S ?? '')) found.set(`${entry.PK?.S} ${entry.SK?.S}`, entry)
        }
        after = page.LastEvaluatedKey
      } while (after !== undefined)
      return found
    },
    async [Symbol.asyncDispose]() {
      await client.send(new DeleteTableCommand({ TableName: tableName }))
      client.destroy()
      streams.destroy()
    },
  }
}

/** Makes reviews and changes and deletes some, by chance, until stopped or so many times. */
export async function writeAtRandom(
  target: CollectionClient<Review>,
  random: () => number,
  writes: number,
  prefix = 'r',
  signal?: AbortSignal,
): Promise<void> {
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T
  const ids: string[] = []
  for (let i = 0; i < writes && signal?.aborted !== true; i++) {
    const kind = random()
    if (ids.length < 5 || kind < 0.6) {
      const id = `${prefix}${i}`
      ids.push(id)
      await target.create({
        id,
        shopId: pick(['a', 'b', 'c#/~', 'd']),
        language: pick(['en', 'de', 'ja']),
        stars: pick([1, 2, 3, 4, 5, 5, 5]),
        at: new Date(1_700_000_000_000 + Math.floor(random() * 1e9)).toISOString(),
      })
    } else if (kind < 0.85) {
      await target.patch(pick(ids), { stars: pick([1, 2, 3, 4, 5]), language: pick(['en', 'de', 'fr']) })
    } else {
      await target.delete(ids.splice(Math.floor(random() * ids.length), 1)[0] as string)
    }
  }
}

/** Resolves when the projections have counted all. */
export async function untilCounted(verify: () => Promise<{ pending: number }>): Promise<void> {
  while ((await verify()).pending > 0) await new Promise((resolve) => setTimeout(resolve, 50))
}

/** Runs the projections until they have counted all. */
export async function count(setting: MaintenanceSetting): Promise<void> {
  await using _poller = await setting.poller()
  await untilCounted(() => setting.database.derived.verify(setting.options))
}
