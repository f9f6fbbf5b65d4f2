import { setTimeout as sleep } from 'node:timers/promises'
import { DeleteItemCommand, type DynamoDBClient, QueryCommand } from '@aws-sdk/client-dynamodb'
import fc from 'fast-check'
import { createLapidary, defineCollection, type Lapidary, oneOf, type Poller } from 'lapidary'
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

const WHERES = [
  {},
  { rating: [2] },
  { rating: [1, 3] },
  { language: 'da' },
  { language: 'en', rating: [2, 5] },
] as const

describe('lists that are counted empty are read, and nothing is missed', () => {
  test('of what this process writes, at once', async () => {
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

  test('of what another process writes, before the stream tells of it', async () => {
    for (let i = 0; i < 5; i++) {
      const scope = `foreign-${i}`
      expect((await setting.counted.comments.list({ scope })).items).toEqual([])
      const written = await setting.foreign.comments.create(comment({ id: scope, productId: scope, language: 'da' }))
      const { items } = await setting.counted.comments.list({ scope, where: { language: 'da' } })
      expect(items).toEqual([written])
    }
  })

  test('for half a unit each, in the same round', async () => {
    await setting.counted.comments.create(comment({ id: 'only', productId: 'still', rating: 5 }))
    await vi.waitFor(async () => {
      const { total } = await setting.counted.comments.count({ scope: 'still' })
      expect(total).toBe(1)
    }, PATIENCE)
    await setting.counted.comments.list({ scope: 'still' })
    const none = await setting.counted.comments.list({ scope: 'still', where: { rating: [2] } })
    expect(none.plan.actual).toMatchObject({ rcu: 0.5, requests: 1, rounds: 1 })
    const some = await setting.counted.comments.list({ scope: 'still', where: { rating: [2, 5] } })
    expect(some.plan.actual?.rounds).toBe(1)
    expect(some.plan.actual?.rcu).toBeLessThanOrEqual(1)
    expect(some.items).toHaveLength(1)
  })

  test('also where the counts of a scope are gone', async () => {
    await setting.counted.comments.create(comment({ id: 'uncounted', productId: 'uncounted', rating: 4 }))
    await vi.waitUntil(async () => (await setting.counted.comments.count({ scope: 'uncounted' })).total === 1, PATIENCE)
    for (const SK of ['~', 'en']) {
      const Key = { PK: { S: countsPartition(comments, 'uncounted') }, SK: { S: SK } }
      await setting.client.send(new DeleteItemCommand({ TableName: setting.tableName, Key }))
    }
    for (const where of [{}, { rating: [4] }, { language: 'en' }] as const) {
      const { items, page } = await setting.counted.comments.list({ scope: 'uncounted', where })
      expect(items).toMatchObject([{ id: 'uncounted' }])
      expect(page.total).toBe(1)
    }
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

  test('where no index answers, at once with an error: counts would not help', async () => {
    const byLanguage = defineCollection({
      ...{ name: 'COMMENT', schema: schemaOf<Comment>(), id: 'id', order: 'createdAt' },
      scope: { name: 'PRODUCT', attribute: 'productId' },
      facets: { language: oneOf() },
      indexes: { byLanguage: { partition: ['language'] } },
    })
    const waiting = createLapidary({ ...optionsOf(), collections: { byLanguage }, derived: { counts: true } })
    const page = waiting.byLanguage.list({ scope: 'waits' })
    await expect(page).rejects.toMatchObject({ code: 'query_not_plannable' })
  })
})
