import { setTimeout as sleep } from 'node:timers/promises'
import {
  DeleteItemCommand,
  type DynamoDBClient,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
} from '@aws-sdk/client-dynamodb'
import {
  DescribeStreamCommand,
  type DescribeStreamCommandOutput,
  DynamoDBStreamsClient,
} from '@aws-sdk/client-dynamodb-streams'
import fc from 'fast-check'
import { createLapidary, defineCollection, type Lapidary, oneOf, type Poller } from 'lapidary'
import { importItems } from 'lapidary/transfer'
import { clientConfig } from 'lapidary-engine'
import { chosenSeed, createOracle, intercepted } from 'lapidary-testing'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createTestClient, dropTables, testEngines, uniqueTableName } from '../../../test/engines/index.ts'
import { PATIENCE } from '../../../test/engines/patience.ts'
import { type Comment, comment, comments, schemaOf } from './comments-fixture.ts'
import { countsPartition } from './derived-keys.ts'

const seed = chosenSeed(process.env.FC_SEED)
console.log(`FC_SEED=${seed}`)

interface Setting {
  readonly client: DynamoDBClient
  readonly tableName: string
  /** In one process with a poller, as the server is. */
  readonly counted: Lapidary<{ comments: typeof comments }>
  /** Another process: it knows nothing of the first. */
  readonly foreign: Lapidary<{ comments: typeof comments }>
  readonly poller: Poller
}

async function openSetting(): Promise<Setting> {
  const [engine] = testEngines()
  if (engine === undefined) throw new Error('no engine')
  const client = createTestClient(engine)
  const tableName = uniqueTableName()
  const collections = { comments }
  const options = { client, tableName, collections, cursorSecret: 'a secret of the tests' }
  const counted = createLapidary({
    ...options,
    derived: { counts: true },
    stream: { immediate: true },
  })
  await counted.table.create()
  const poller = await counted.stream.start({ idleMs: 20, gatherMs: 50, discoverMs: 200 })
  return { client, tableName, counted, foreign: createLapidary(options), poller }
}

let setting: Setting
beforeAll(async () => {
  setting = await openSetting()
})
afterAll(async () => {
  await setting.poller.close()
  await dropTables(setting.client, [setting.tableName])
})

/** Resolves when a plan that finds nothing in a scope reads nothing: the counts are trusted. */
async function trusted(scope: string): Promise<void> {
  await vi.waitUntil(async () => (await setting.counted.comments.list({ scope })).plan.actual?.requests === 0, PATIENCE)
}

const WHERES = [
  {},
  { rating: [2] },
  { rating: [1, 3] },
  { language: 'da' },
  { language: 'en', rating: [2, 5] },
] as const

describe('lists that are counted empty are skipped, and nothing is missed', () => {
  test('of what this process writes, at once', async () => {
    await trusted('nobody')
    let run = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom('en', 'da'), fc.constantFrom(1, 2, 3, 5), fc.boolean()), { maxLength: 8 }),
        async (writes) => {
          run += 1
          const scope = `own-${run}`
          const oracle = createOracle(comments)
          for (const [i, [language, rating, edited]] of writes.entries()) {
            const given = comment({
              id: `${scope}-${i}`,
              productId: scope,
              language,
              rating: rating as Comment['rating'],
            })
            oracle.put(await setting.counted.comments.create(given))
            if (edited) oracle.put(await setting.counted.comments.patch(given.id, { rating: 2 }))
            for (const where of WHERES) {
              const { items, page } = await setting.counted.comments.list({ scope, where, limit: 3 })
              const matching = oracle.matching({ scope, where, limit: 3 })
              expect(items).toEqual(matching.slice(0, 3))
              // Null while what was just written is not counted.
              expect(page.total ?? items.length).toBeGreaterThanOrEqual(items.length)
            }
          }
        },
      ),
      { seed, numRuns: 15 },
    )
  })

  test('of what another process writes, once the stream has told of it', async () => {
    await trusted('nobody')
    for (let i = 0; i < 5; i++) {
      const scope = `foreign-${i}`
      await trusted(scope)
      const written = await setting.foreign.comments.create(comment({ id: scope, productId: scope, language: 'da' }))
      await vi.waitFor(async () => {
        expect((await setting.counted.comments.list({ scope, where: { language: 'da' } })).items).toEqual([written])
      }, PATIENCE)
    }
  })

  test('while nothing is written, a rating that nobody gave costs nothing', async () => {
    await setting.counted.comments.create(comment({ id: 'only', productId: 'still', rating: 5 }))
    await vi.waitFor(async () => {
      const none = await setting.counted.comments.list({ scope: 'still', where: { rating: [2] } })
      expect(none.plan.actual).toMatchObject({ rcu: 0, requests: 0 })
      const some = await setting.counted.comments.list({ scope: 'still', where: { rating: [2, 5] } })
      expect(some.plan.actual).toMatchObject({ requests: 1 })
      expect(some.items).toHaveLength(1)
    }, PATIENCE)
  })
})

describe('an abort ends the wait for counts that do not come', () => {
  /** A process whose reads of counts are never answered. */
  const withoutCounts = (): DynamoDBClient =>
    intercepted<DynamoDBClient>(setting.client, (command, send) =>
      command instanceof QueryCommand && JSON.stringify(command.input).includes('~counts.')
        ? new Promise(() => undefined)
        : send(command),
    )
  const optionsOf = () => ({
    client: withoutCounts(),
    tableName: setting.tableName,
    cursorSecret: 'a secret of the tests',
  })

  test('with the items that were read, and no totals', async () => {
    const written = await setting.counted.comments.create(comment({ id: 'waits', productId: 'waits' }))
    await setting.counted.comments.create(
      comment({ id: 'beyond', productId: 'waits', createdAt: '2019-01-01T00:00:00.000Z' }),
    )
    const waiting = createLapidary({ ...optionsOf(), collections: { comments }, derived: { counts: true } })
    const stop = new AbortController()
    const page = waiting.comments.list({ scope: 'waits', limit: 1, signal: stop.signal })
    expect(await Promise.race([page, sleep(300)])).toBeUndefined()
    stop.abort()
    const { items, page: of, facets, plan } = await page
    expect(items).toEqual([written])
    expect(of).toMatchObject({ total: null, count: null })
    expect({ facets, limits: plan.limits }).toEqual({ facets: null, limits: ['aborted'] })
  })

  test('where nothing can be planned without them, with an error', async () => {
    const byLanguage = defineCollection({
      ...{ name: 'COMMENT', schema: schemaOf<Comment>(), id: 'id', order: 'createdAt' },
      scope: { name: 'PRODUCT', attribute: 'productId' },
      facets: { language: oneOf() },
      indexes: { byLanguage: { partition: ['language'] } },
    })
    const waiting = createLapidary({ ...optionsOf(), collections: { byLanguage }, derived: { counts: true } })
    const page = waiting.byLanguage.list({ scope: 'waits', signal: AbortSignal.timeout(100) })
    await expect(page).rejects.toMatchObject({ code: 'aborted' })
  })
})

describe('a list that is counted empty is read', () => {
  const written = comment({ id: 'uncounted', productId: 'uncounted', rating: 4 })
  /** The counts of a scope are gone, as if nothing had been counted. */
  const forget = async (): Promise<void> => {
    for (const SK of ['~', 'en']) {
      const Key = { PK: { S: countsPartition(comments, 'uncounted') }, SK: { S: SK } }
      await setting.client.send(new DeleteItemCommand({ TableName: setting.tableName, Key }))
    }
  }

  test('unless that was asked for', async () => {
    const { client, tableName, foreign, poller } = setting
    await foreign.comments.create(written)
    const before = Date.now()
    await vi.waitUntil(() => (poller.status().caughtUpAt ?? 0) > before, PATIENCE)
    await forget()
    const options = { client, tableName, collections: { comments }, cursorSecret: 'a secret of the tests' }
    const usual = createLapidary({ ...options, derived: { counts: true }, stream: { immediate: true } })
    await using _poller = await usual.stream.start({ idleMs: 20, discoverMs: 200 })
    for (const where of [{}, { rating: [4] }, { language: 'en' }] as const) {
      const { items, plan, page } = await usual.comments.list({ scope: 'uncounted', where })
      expect(items).toMatchObject([{ id: 'uncounted' }])
      expect(page.total).toBe(1)
      expect(plan.actual?.requests).toBeGreaterThan(0)
    }
    expect((await usual.comments.list({ scope: 'nobody' })).plan.actual).toMatchObject({ requests: 1, rcu: 0.5 })
  })
})

describe('a process skips nothing', () => {
  interface Skipping {
    readonly client: DynamoDBClient
    readonly tableName: string
    /** Requests for a list that is counted empty, once the process has read the stream to its end. */
    requests(streams?: DynamoDBStreamsClient): Promise<number | undefined>
    /** Milliseconds that pass between the end of its poller and the list; 0 while it polls. */
    after: number
  }

  /** A table of its own, which one process alone counts. */
  async function withTable(use: (skipping: Skipping) => Promise<void>): Promise<void> {
    const [engine] = testEngines()
    const client = createTestClient(engine as NonNullable<typeof engine>)
    const tableName = uniqueTableName()
    const options = { client, tableName, collections: { comments }, cursorSecret: 'a secret of the tests' }
    await createLapidary(options).table.create()
    const skipping: Skipping = {
      ...{ client, tableName, after: 0 },
      async requests(streams) {
        let stopped: number | undefined
        const lapidary = createLapidary({
          ...options,
          derived: { counts: true },
          stream: { immediate: true, ...(streams === undefined ? {} : { client: streams }) },
          clock: () => stopped ?? Date.now(),
        })
        const poller = await lapidary.stream.start({ idleMs: 20, discoverMs: 200 })
        const caughtUpAt = Number(await vi.waitUntil(() => poller.status().caughtUpAt, PATIENCE))
        if (skipping.after > 0) await poller.close()
        // However long the lists take on a busy machine, no more time has passed.
        stopped = caughtUpAt + skipping.after
        // The first one reads the counts, which the second goes by.
        await lapidary.comments.list({ scope: 'nobody' })
        const { plan } = await lapidary.comments.list({ scope: 'nobody' })
        await poller.close()
        return plan.actual?.requests
      },
    }
    try {
      await use(skipping)
    } finally {
      await dropTables(client, [tableName])
    }
  }

  const streamsOf = () => {
    const [engine] = testEngines()
    return new DynamoDBStreamsClient(clientConfig(engine?.endpoint ?? '', {}))
  }

  test('but lists that are counted empty', async () => {
    await withTable(async ({ requests }) => expect(await requests()).toBe(0))
  })

  test('while there is a dead letter', async () => {
    await withTable(async ({ client, tableName, requests }) => {
      const Item = { PK: { S: '~DEADLETTER' }, SK: { S: 'by hand' } }
      await client.send(new PutItemCommand({ TableName: tableName, Item }))
      expect(await requests()).toBe(1)
    })
  })

  test('while a shard has lost records', async () => {
    await withTable(async ({ client, tableName, requests }) => {
      await requests()
      const shards = await client.send(new ScanCommand({ TableName: tableName }))
      const checkpoint = shards.Items?.find(({ PK }) => PK?.S?.startsWith('~STREAM#'))
      const Item = { ...checkpoint, gap: { BOOL: true }, gaps: { N: '1' } }
      await client.send(new PutItemCommand({ TableName: tableName, Item }))
      expect(await requests()).toBe(1)
    })
  })

  test('where the stream has forgotten a shard that no process read', async () => {
    await withTable(async ({ requests }) => {
      const forgetful = intercepted<DynamoDBStreamsClient>(streamsOf(), async (command, send) => {
        const answer = (await send(command)) as DescribeStreamCommandOutput
        if (!(command instanceof DescribeStreamCommand)) return answer
        const Shards = answer.StreamDescription?.Shards?.map((shard) => ({ ...shard, ParentShardId: 'forgotten' }))
        return { ...answer, StreamDescription: { ...answer.StreamDescription, Shards } }
      })
      expect(await requests(forgetful)).toBe(1)
    })
  })

  test('seconds after the stream was read to its end', async () => {
    await withTable(async (skipping) => {
      expect(await skipping.requests()).toBe(0)
      skipping.after = 3_000
      expect(await skipping.requests()).toBe(1)
    })
  })

  test('of a scope that it has just imported to', async () => {
    await trusted('imported')
    const { items: before } = await setting.counted.comments.list({ scope: 'imported' })
    expect(before).toEqual([])
    await importItems(setting.counted.comments, [comment({ id: 'imported', productId: 'imported' })])
    expect((await setting.counted.comments.list({ scope: 'imported' })).items).toMatchObject([{ id: 'imported' }])
  })
})
