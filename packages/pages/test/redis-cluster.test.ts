import { Cluster } from 'ioredis'
import { createLapidary } from 'lapidary'
import { redisLists } from 'lapidary-pages'
import { createOracle, describeSortedListsConformance } from 'lapidary-testing'
import { afterAll, beforeAll, describe, expect, it, test, vi } from 'vitest'
import { createTestClient, dropTables, testEngines, uniqueTableName } from '../../../test/engines/index.ts'
import { PATIENCE } from '../../../test/engines/patience.ts'
import { startRedisCluster, type TestRedisCluster } from '../../../test/engines/redis-cluster.ts'
import { createTableClient } from '../../lapidary/src/table/table-client.ts'
import { type Comment, comment, comments } from '../../lapidary/test/comments-fixture.ts'

const noTable = createTableClient({
  client: { send: () => Promise.reject(new Error('there is no table')) } as never,
  tableName: 'none',
  random: Math.random,
  sleep: async () => undefined,
})

let servers: TestRedisCluster
let cluster: Cluster
let opened = 0
const store = () => redisLists({ send: ([name = '', ...args]) => cluster.call(name, ...args) })

beforeAll(async () => {
  servers = await startRedisCluster()
  cluster = new Cluster(servers.ports.map((port) => ({ host: '127.0.0.1', port })))
})
afterAll(async () => {
  cluster?.disconnect()
  await servers?.[Symbol.asyncDispose]()
})

// Each namespace has a slot of its own, so the cases are on different nodes.
describeSortedListsConformance({
  name: 'a real Redis Cluster',
  describe,
  it,
  open: async () => store().open({ table: noTable, namespace: `T${opened++}`, clock: Date.now }),
})

describe('a slot that moves to another node', () => {
  test('loses no change that is taken in meanwhile', async () => {
    const [engine] = testEngines()
    if (engine === undefined) throw new Error('no engine')
    const client = createTestClient(engine)
    const tableName = uniqueTableName()
    const lapidary = createLapidary({
      ...{ client, tableName, collections: { comments }, cursorSecret: 'a secret of the tests' },
      ...{ derived: { counts: true, pages: store() }, stream: { immediate: true } },
    })
    await lapidary.table.create()
    const oracle = createOracle(comments)
    const write = async (from: number, count: number): Promise<void> => {
      for (let i = from; i < from + count; i++) {
        const rating = ((i % 5) + 1) as Comment['rating']
        oracle.put(await lapidary.comments.create(comment({ id: `c${i}`, rating })))
        if (i % 3 === 0) oracle.put(await lapidary.comments.patch(`c${i}`, { rating: 5 }))
        if (i % 7 === 0) {
          await lapidary.comments.delete(`c${i}`)
          oracle.delete(`c${i}`)
        }
      }
    }
    try {
      await using _poller = await lapidary.stream.start({ idleMs: 10, gatherMs: 10, discoverMs: 200 })
      await write(0, 60)
      for (let moves = 0; moves < 3; moves++) {
        await Promise.all([servers.reshard(), write(60 + moves * 60, 60)])
      }
      for (const where of [{}, { rating: 5 }, { rating: [1, 2] }] as const) {
        const expected = oracle.matching({ scope: '42', where })
        await vi.waitFor(async () => {
          const { items, page } = await lapidary.comments.page(3, { scope: '42', where, limit: 7 })
          expect(page.total).toBe(expected.length)
          expect(items).toEqual(expected.slice(14, 21))
        }, PATIENCE)
      }
      expect(await lapidary.derived.verify()).toMatchObject({ differences: [], notVerified: [] })
    } finally {
      await dropTables(client, [tableName])
    }
  })
})
