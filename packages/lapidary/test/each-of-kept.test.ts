import { ScanCommand } from '@aws-sdk/client-dynamodb'
import { anyOf, createLapidary, defineCollection, eachOf, type IndexDeclaration, increment } from 'lapidary'
import { importItems } from 'lapidary/transfer'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createTestClient, dropTables, testEngines, uniqueTableName } from '../../../test/engines/index.ts'
import { schemaOf } from './comments-fixture.ts'

type Ticket = {
  readonly id: string
  readonly tenant: string
  readonly openedAt: string
  readonly tags: readonly string[]
  readonly status: 'closed' | 'open'
  readonly note?: string
  readonly views?: number
}

const ticketsWith = (indexes: Readonly<Record<string, IndexDeclaration<'status' | 'tags'>>>) =>
  defineCollection({
    name: 'TICKET',
    schema: schemaOf<Ticket>(),
    id: 'id',
    scope: { name: 'TENANT', attribute: 'tenant' },
    order: 'openedAt',
    facets: { tags: eachOf(), status: anyOf(['closed', 'open']) },
    indexes,
  })

const both = ticketsWith({ all: {}, byTags: { partition: ['tags'] }, byBoth: { partition: ['tags', 'status'] } })
const less = ticketsWith({ all: {}, byTags: { partition: ['tags'] } })
const none = ticketsWith({ all: {} })
const ticket = (id: string, tags: readonly string[]): Ticket => ({
  ...{ id, tenant: 't', openedAt: `2026-01-0${id}T00:00:00.000Z`, tags, status: 'open' },
})

describe.each(testEngines())('processes that do not declare an index on several values, on $name', (engine) => {
  const client = createTestClient(engine)
  let tableName: string
  const process = (tickets: typeof both) =>
    createLapidary({
      client,
      tableName,
      collections: { tickets },
      cursorSecret: 'a secret of the tests',
      stream: { immediate: true },
    })
  /** Ids in the lists of each tag, by the declaration with all indexes. */
  const listed = async () => {
    const { tickets } = process(both)
    const ids = async (tag: string, index: object): Promise<string> =>
      (await tickets.list({ scope: 't', where: { tags: tag, ...index } })).items.map(({ id }) => id).join()
    const tags = ['a', 'b', 'c'] as const
    return Promise.all(tags.map(async (tag) => `${tag}: ${await ids(tag, {})}; ${await ids(tag, { status: 'open' })}`))
  }

  beforeEach(async () => {
    tableName = uniqueTableName()
    await process(both).table.create()
    for (const id of ['1', '2']) await process(both).tickets.create(ticket(id, ['a', 'b']))
  })
  afterEach(() => dropTables(client, [tableName]))

  test.each([
    ['less', less],
    ['none', none],
  ])('%s of them: each kind of write keeps its lists', async (_, declared) => {
    const { tickets } = process(declared)
    await tickets.patch('1', { note: 'seen' })
    expect(await listed()).toEqual(['a: 2,1; 2,1', 'b: 2,1; 2,1', 'c: ; '])
    await tickets.patch('1', { tags: ['c', 'b'] })
    expect(await listed()).toEqual(['a: 2; 2', 'b: 2,1; 2,1', 'c: 1; 1'])
    await tickets.patch('1', { views: increment(5, { blind: true }) })
    const { items } = await process(both).tickets.list({ scope: 't', where: { tags: 'b' } })
    expect(items.map(({ views }) => views)).toEqual([undefined, 5])
    await tickets.delete('2')
    expect(await listed()).toEqual(['a: ; ', 'b: 1; 1', 'c: 1; 1'])
    await tickets.create(ticket('3', ['a', 'c']))
    expect(await listed()).toEqual(['a: 3; 3', 'b: 1; 1', 'c: 3,1; 3,1'])
    await importItems(tickets, [ticket('1', ['a', 'b'])])
    expect(await listed()).toEqual(['a: 3,1; 3,1', 'b: 1; 1', 'c: 3; 3'])
    await tickets.delete('1')
    await tickets.delete('3')
    const { Items = [] } = await client.send(new ScanCommand({ TableName: tableName }))
    expect(Items.filter(({ PK }) => PK?.S?.startsWith('TICKET#'))).toEqual([])
  })

  test.each([
    ['less', less],
    ['none', none],
  ])('%s of them: a repair takes nothing away, and verify finds nothing', async (_, declared) => {
    const { derived } = process(declared)
    expect(await derived.verify()).toMatchObject({ differences: [] })
    await derived.repair()
    expect(await listed()).toEqual(['a: 2,1; 2,1', 'b: 2,1; 2,1', 'c: ; '])
    await process(declared).table.backfill()
    expect(await listed()).toEqual(['a: 2,1; 2,1', 'b: 2,1; 2,1', 'c: ; '])
  })
})
