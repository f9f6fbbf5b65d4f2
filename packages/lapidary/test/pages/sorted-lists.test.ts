import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { S3Client } from '@aws-sdk/client-s3'
import { Redis } from 'ioredis'
import { pageMarkers, segments, tableFor } from 'lapidary'
import { redisLists } from 'lapidary-pages'
import { fileLists } from 'lapidary-pages/file'
import { s3Lists } from 'lapidary-pages/s3'
import { describeSortedListsConformance, memoryLists } from 'lapidary-testing'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { createTestClient, dropTables, testEngines, uniqueTableName } from '../../../../test/engines/index.ts'
import { startRedis, type TestRedis } from '../../../../test/engines/redis.ts'
import { s3Client, startS3, type TestS3 } from '../../../../test/engines/s3.ts'
import { createTable } from '../../src/schema/create-table.ts'
import { createTableClient } from '../../src/table/table-client.ts'
import { comments } from '../comments-fixture.ts'

const noTable = createTableClient({
  client: { send: () => Promise.reject(new Error('there is no table')) } as never,
  tableName: 'none',
  random: Math.random,
  sleep: async () => undefined,
})

describeSortedListsConformance({ name: 'memory', describe, it, open: async () => memoryLists() })

{
  let folder: string
  let opened = 0
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lapidary-test-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  for (const commitBytes of [undefined, 1]) {
    describeSortedListsConformance({
      name: `files${commitBytes === undefined ? '' : ' that are merged all the time'}`,
      describe,
      it,
      async open() {
        const store = fileLists({
          folder: join(folder, String(opened++)),
          ...(commitBytes === undefined ? {} : { commitBytes }),
        })
        return store.open({ table: noTable, namespace: 'T', clock: Date.now })
      },
    })
  }
}

{
  let server: TestS3
  let client: S3Client
  let opened = 0
  beforeAll(async () => {
    server = await startS3()
    client = await s3Client(server, 'lists')
  })
  afterAll(async () => {
    client.destroy()
    await server[Symbol.asyncDispose]()
  })

  for (const commitBytes of [undefined, 1]) {
    describeSortedListsConformance({
      name: `objects in S3${commitBytes === undefined ? '' : ' that are merged all the time'}`,
      describe,
      it,
      runs: 4,
      ...(commitBytes === undefined ? {} : { most: 1_200 }),
      async open() {
        const store = s3Lists({ client, bucket: 'lists', ...(commitBytes === undefined ? {} : { commitBytes }) })
        return store.open({ table: noTable, namespace: `T${opened++}`, clock: Date.now })
      },
    })
  }
}

for (const kind of ['redis', 'valkey'] as const) {
  let server: TestRedis
  let redis: Redis
  let opened = 0
  beforeAll(async () => {
    server = await startRedis(kind)
    redis = new Redis(server.url)
  })
  afterAll(async () => {
    redis.disconnect()
    await server[Symbol.asyncDispose]()
  })

  describeSortedListsConformance({
    name: `a real ${kind}`,
    describe,
    it,
    async open() {
      const store = redisLists({ send: ([name = '', ...args]) => redis.call(name, ...args) })
      return store.open({ table: noTable, namespace: `T${opened++}`, clock: Date.now })
    },
  })
}

for (const engine of testEngines()) {
  let client: DynamoDBClient
  const tableName = uniqueTableName()
  // DynamoDB Local is slower; what differs between the engines shows in few cases.
  const drawn = engine.name === 'embedded' ? {} : { runs: 5, most: 1_200 }
  let opened = 0
  beforeAll(async () => {
    client = createTestClient(engine)
    await createTable(client, tableFor({ tableName, collections: { comments } }))
  })
  afterAll(() => dropTables(client, [tableName]))

  describeSortedListsConformance({
    name: `the segments of ${engine.name}`,
    describe,
    it,
    ...drawn,
    async open() {
      const table = createTableClient({ client, tableName, random: Math.random, sleep: (ms) => sleep(ms) })
      return segments().open({ table, namespace: `T${opened++}`, clock: Date.now })
    },
  })

  // Of 3,000 entries the oldest is no further back than is mended.
  describeSortedListsConformance({
    name: `the page markers of ${engine.name}`,
    describe,
    it,
    ...drawn,
    async open() {
      const table = createTableClient({ client, tableName, random: Math.random, sleep: (ms) => sleep(ms) })
      const store = pageMarkers({ every: 75 })
      return store.open({ table, namespace: `T${opened++}`, clock: Date.now })
    },
  })
}
