import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { createLapidary, type LapidaryOptions, powerSet } from 'lapidary'
import { clientConfig } from 'lapidary-engine'
import { createFaultKit } from 'lapidary-testing'
import { describe, expect, test } from 'vitest'
import { type Fate, startFaultyProxy } from '../../../test/engines/faulty-proxy.ts'
import { testEngines } from '../../../test/engines/index.ts'
import { comment, comments } from './comments-fixture.ts'
import { openTestTable } from './test-table.ts'

const { version: _, updatedAt, ...NEW } = comment()
const WRITES = /^(Put|Update|Delete|TransactWrite)/

type Options = Partial<LapidaryOptions<{ comments: typeof comments }>>

/** Writes whose first try meets a fate on its way, sent by the SDK as it is. */
async function meeting(engine: ReturnType<typeof testEngines>[number], fate: Fate, options: Options = {}) {
  const table = await openTestTable(engine, { comments }, options as object)
  let left = 0
  const proxy = await startFaultyProxy(engine.endpoint, ({ operation }) =>
    WRITES.test(operation) && left-- > 0 ? fate : 'forward',
  )
  const client = new DynamoDBClient(clientConfig(proxy.endpoint, {}))
  const { tableName } = table
  const own = createLapidary({
    client,
    tableName,
    collections: { comments },
    cursorSecret: 'a secret of the tests',
    ...options,
  })
  return {
    own: own.comments,
    plain: table.lapidary.comments,
    proxy,
    /** The next so many writes meet it. */
    next(count: number) {
      left = count
    },
    async [Symbol.asyncDispose]() {
      client.destroy()
      await proxy[Symbol.asyncDispose]()
      await table[Symbol.asyncDispose]()
    },
  }
}

describe.each(testEngines())('a write whose answer was lost, on $name,', (engine) => {
  describe.each<[string, Options]>([
    ['indexes', {}],
    ['power-set', { layout: powerSet() }],
  ])('in %s', (_, options) => {
    test('is answered as what it was: a success', async () => {
      await using losing = await meeting(engine, 'lose', options)
      const { own, plain, next } = losing
      next(1)
      expect(await own.create(NEW)).toEqual(comment())
      next(1)
      expect(await own.patch('100001', { rating: 2 }, { ifVersion: 1 })).toMatchObject({ rating: 2, version: 2 })
      next(1)
      const replaced = await own.replace({ ...NEW, rating: 3 } as never, { ifVersion: 2 })
      expect(replaced).toMatchObject({ rating: 3, version: 3 })
      next(1)
      await own.delete('100001')
      await expect(plain.get('100001')).rejects.toMatchObject({ code: 'not_found' })
      await expect(own.delete('100001')).rejects.toMatchObject({ code: 'not_found' })
      await plain.create(NEW)
      next(1)
      await own.delete('100001', { ifVersion: 1 })
      await expect(plain.get('100001')).rejects.toMatchObject({ code: 'not_found' })
      expect(Object.values(losing.proxy.befallen).reduce((sum, count) => sum + count, 0)).toBe(5)
    })

    test('is refused as ever where it was not made', async () => {
      await using losing = await meeting(engine, 'lose', options)
      const { own, plain, next } = losing
      await plain.create(NEW)
      next(1)
      await expect(own.create({ ...NEW, text: 'another' })).rejects.toMatchObject({ code: 'already_exists' })
      next(1)
      await expect(own.patch('100001', { rating: 1 }, { ifVersion: 7 })).rejects.toMatchObject({
        code: 'version_conflict',
      })
      expect(await plain.get('100001')).toEqual(comment())
    })
  })
})

test('a delete that was throttled did nothing, so one that finds nothing says so', async () => {
  const [engine] = testEngines()
  await using throttling = await meeting(engine as never, 'throttle')
  throttling.next(1)
  await expect(throttling.own.delete('never there')).rejects.toMatchObject({ code: 'not_found' })
  expect(throttling.proxy.befallen).toEqual({ DeleteItem: 1 })
})

test('a delete costs as much as it did: one request, no read and no transaction', async () => {
  const [engine] = testEngines()
  await using forwarding = await meeting(engine as never, 'forward')
  const { own, plain, proxy } = forwarding
  await plain.create(NEW)
  await own.delete('100001')
  const { DeleteItem, TransactWriteItems, GetItem } = proxy.calls
  // The register of indexes is read once by each process, before its first write.
  expect([DeleteItem, TransactWriteItems, GetItem]).toEqual([1, undefined, 1])
})

test('where DynamoDB fails after a delete was made, the next try knows', async () => {
  const [engine] = testEngines()
  await using table = await openTestTable(engine as never, { comments })
  const { client, tableName, lapidary } = table
  for (let seed = 1; seed <= 20; seed++) {
    await lapidary.comments.create(NEW)
    const faults = createFaultKit({ seed, rates: { failed: 0.5 } })
    const own = createLapidary({
      ...{ client: faults.dynamodb(client), tableName, collections: { comments } },
      cursorSecret: 'a secret of the tests',
    })
    await expect
      .poll(() =>
        own.comments.delete('100001').then(
          () => 'deleted',
          ({ code }) => code,
        ),
      )
      .toBe('deleted')
  }
})
