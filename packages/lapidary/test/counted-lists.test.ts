import { setTimeout as sleep } from 'node:timers/promises'
import { DeleteItemCommand, type DynamoDBClient, PutItemCommand, QueryCommand } from '@aws-sdk/client-dynamodb'
import fc from 'fast-check'
import { createLapidary, defineCollection, type Lapidary, oneOf, type Poller } from 'lapidary'
import { chosenSeed, createOracle, intercepted } from 'lapidary/testing'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createTestClient, dropTables, testEngines, uniqueTableName } from '../../../test/engines/index.ts'
import { PATIENCE } from '../../../test/engines/patience.ts'
import { type Comment, comment, comments, schemaOf } from './comments-fixture.ts'

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
  const counted = createLapidary({ ...options, derived: { counts: true }, stream: { immediate: true } })
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
              expect(page.total).toBeGreaterThanOrEqual(items.length)
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
      await sleep(1_000)
      expect((await setting.counted.comments.list({ scope, where: { language: 'da' } })).items).toEqual([written])
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
      command instanceof QueryCommand && JSON.stringify(command.input).includes('~counts#')
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

describe('zero is not believed', () => {
  test('of a table whose counts do not go back to its beginning', async () => {
    const { client, tableName, counted, foreign } = setting
    const mark = { PK: { S: '~STATISTICS' }, SK: { S: '~' } }
    const written = await foreign.comments.create(comment({ id: 'old', productId: 'older' }))
    await sleep(500)
    await client.send(new DeleteItemCommand({ TableName: tableName, Key: mark }))
    for (const SK of ['~', 'en']) {
      await client.send(
        new DeleteItemCommand({ TableName: tableName, Key: { PK: { S: '~counts#COMMENT#older' }, SK: { S: SK } } }),
      )
    }
    await sleep(1_500)
    expect((await counted.comments.list({ scope: 'older', where: { rating: [5] } })).items).toEqual([written])
    await client.send(new PutItemCommand({ TableName: tableName, Item: mark }))
    await trusted('nobody')
  })

  test('while a record is set aside', async () => {
    const { client, tableName, counted } = setting
    const poison = { PK: { S: '~POISON' }, SK: { S: 'by hand' } }
    await client.send(new PutItemCommand({ TableName: tableName, Item: poison }))
    await sleep(1_000)
    expect((await counted.comments.list({ scope: 'nobody' })).plan.actual?.requests).toBe(1)
    await client.send(new DeleteItemCommand({ TableName: tableName, Key: poison }))
    await trusted('nobody')
  })
})
