import { BatchWriteItemCommand, type DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb'
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { anyOf, defineCollection, oneOf } from 'lapidary'
import { clientConfig } from 'lapidary-engine'
import { describe, expect, test } from 'vitest'
import { testEngines } from '../../../../test/engines/index.ts'
import { collectionProjections } from '../../src/derived/collection-projections.ts'
import { countsShape } from '../../src/derived/counts/counts-shape.ts'
import { createFreshness } from '../../src/derived/freshness.ts'
import { indexes } from '../../src/layouts/indexes/indexes.ts'
import type { Collection } from '../../src/model/collection.ts'
import { createEntryCodec } from '../../src/model/entry.ts'
import { createStatisticsReader } from '../../src/read/statistics.ts'
import type { DerivedData } from '../../src/recount/maintenance-options.ts'
import { rebuild } from '../../src/recount/mend.ts'
import { verify } from '../../src/recount/verify.ts'
import { createTableClient } from '../../src/table/table-client.ts'
import { countsPartition } from '../derived-keys.ts'
import { openTestTable } from '../test-table.ts'

const [engine] = testEngines()
if (engine === undefined) throw new Error('there is no engine')
const { endpoint } = engine

interface Thing {
  readonly id: string
  readonly customerId: string
  readonly status: string
  readonly size: number
  readonly at: string
}

const schema: StandardSchemaV1<unknown, Thing> = {
  '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value: value as Thing }) },
}

function thingsOf(name: string) {
  return defineCollection({
    name,
    schema,
    id: 'id',
    scope: { name: 'CUSTOMER', attribute: 'customerId' },
    order: 'at',
    facets: { status: oneOf(), size: anyOf([1, 2, 3]) },
    leaderboards: { biggest: { where: { size: [3] } } },
  })
}

const orders = thingsOf('ORDER')
const returns = thingsOf('RETURN')

/** A table of these collections, with what is derived from them. */
async function openThings(collections: readonly Collection<Thing>[]) {
  const table = await openTestTable(engine as NonNullable<typeof engine>, { orders })
  const { client, tableName } = table
  const { clock, now } = table.lapidary.orders.context
  const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
  const seam = createTableClient({ client, tableName, random: Math.random, sleep })
  const streams = new DynamoDBStreamsClient(clientConfig(endpoint, {}))
  const derived: DerivedData = {
    ...{ table: seam, streams, clock, now },
    projections: collections.flatMap((collection) =>
      collectionProjections(collection as Collection, indexes().of(collection as Collection)),
    ),
  }
  const options = { idleMs: 20 }
  const countsOf = (collection: Collection<Thing>, scope: string) =>
    createStatisticsReader({
      ...{ collection: collection as Collection, table: seam, clock, freshness: createFreshness() },
      shape: countsShape(collection as Collection, indexes().of(collection as Collection)),
      states: { unknown: async () => undefined },
    }).read(scope)
  return {
    ...{ client, tableName, derived, options, countsOf },
    async [Symbol.asyncDispose]() {
      streams.destroy()
      await table[Symbol.asyncDispose]()
    },
  }
}

/** Written past the clients: two collections with one scope can't yet be given to one of them. */
async function putThing(client: DynamoDBClient, TableName: string, collection: Collection<Thing>, id: number) {
  const thing = { id: `${id}`, customerId: '7', status: 'open', size: 1 + (id % 3), at: '2024-01-01T00:00:00.000Z' }
  const Item = { PK: { S: `${collection.name}#${id}` }, SK: { S: '~' }, ...createEntryCodec(collection).toEntry(thing) }
  await client.send(new PutItemCommand({ TableName, Item }))
}

describe('derived data has keys of its own', () => {
  test('a rebuild leaves alone what another program keeps beside the orders of a customer', async () => {
    await using setting = await openThings([orders])
    const { client, tableName: TableName, derived, options } = setting
    const foreign = [
      { PK: { S: 'CUSTOMER#7' }, SK: { S: 'S#2024' }, turnover: { N: '1200' } },
      { PK: { S: 'CUSTOMER#7' }, SK: { S: 'L#gold' }, since: { S: '2019' } },
      { PK: { S: 'CUSTOMER#7' }, SK: { S: 'S' }, count_total: { N: '99' } },
      { PK: { S: '~counts' }, SK: { S: 'S' }, count_total: { N: '99' } },
    ]
    for (const Item of foreign) await client.send(new PutItemCommand({ TableName, Item }))
    for (let id = 0; id < 5; id++) await putThing(client, TableName, orders, id)
    await rebuild(derived, options)
    for (const Item of foreign) {
      const Key = { PK: Item.PK, SK: Item.SK }
      expect((await client.send(new GetItemCommand({ TableName, Key, ConsistentRead: true }))).Item).toEqual(Item)
    }
    expect((await verify(derived, options)).differences).toEqual([])
    expect((await setting.countsOf(orders, '7')).statistics.count({})).toBe(5)
  })

  test('400 sessions of a customer make the reading of its counts no dearer', async () => {
    await using setting = await openThings([orders])
    const { client, tableName, derived, options } = setting
    const sessions = Array.from({ length: 400 }, (_, i) => ({
      ...{ PK: { S: 'CUSTOMER#7' }, SK: { S: `SESSION#${i}` } },
      note: { S: 'x'.repeat(500) },
    }))
    for (let i = 0; i < sessions.length; i += 25) {
      const requests = sessions.slice(i, i + 25).map((Item) => ({ PutRequest: { Item } }))
      await client.send(new BatchWriteItemCommand({ RequestItems: { [tableName]: requests } }))
    }
    for (let id = 0; id < 5; id++) await putThing(client, tableName, orders, id)
    await rebuild(derived, options)
    expect(await setting.countsOf(orders, '7')).toMatchObject({ rcu: 0.5 })
  })

  test('two collections under one parent in one table have their own counts', async () => {
    await using setting = await openThings([orders, returns])
    const { client, tableName, derived, options } = setting
    for (let id = 0; id < 9; id++) await putThing(client, tableName, orders, id)
    for (let id = 0; id < 4; id++) await putThing(client, tableName, returns, id)
    await rebuild(derived, options)
    for (const [collection, total] of [
      [orders, 9],
      [returns, 4],
    ] as const) {
      expect((await setting.countsOf(collection, '7')).statistics.count({})).toBe(total)
    }
    expect((await verify(derived, options)).differences).toEqual([])
    const Item = {
      PK: { S: countsPartition(returns, '7') },
      SK: { S: '~' },
      count_total: { N: '4' },
      count_1: { N: '9' },
    }
    await client.send(new PutItemCommand({ TableName: tableName, Item }))
    const { differences } = await verify(derived, options)
    expect(new Set(differences.map(({ collection, projection }) => `${projection} of ${collection}`))).toEqual(
      new Set(['counts of RETURN']),
    )
    expect((await rebuild(derived, options)).mended).toBe(1)
    expect((await verify(derived, options)).differences).toEqual([])
  })
})
