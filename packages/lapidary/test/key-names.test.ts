import { type AttributeValue, PutItemCommand, ScanCommand, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb'
import fc from 'fast-check'
import { createLapidary, defineCollection, type LapidaryOptions, segments } from 'lapidary'
import { importItems } from 'lapidary/transfer'
import { chosenSeed } from 'lapidary-testing'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createTestClient, dropTables, testEngines, uniqueTableName } from '../../../test/engines/index.ts'
import { PATIENCE } from '../../../test/engines/patience.ts'
import { compareTable } from '../src/schema/compare-table.ts'
import { createTableInput } from '../src/schema/table-definition.ts'
import { keyRenaming } from '../src/table/key-names.ts'
import { type Comment, comment, comments, schemaOf } from './comments-fixture.ts'
import { withoutDigest } from './derived-keys.ts'

/** The second can't stand in an expression as it is, and an item has an attribute that is called as the first. */
const KEYS = { pk: 'pk', sk: 'sort-key' } as const
const NOTE = { pk: { S: 'CUSTOMER#1' }, 'sort-key': { S: 'PROFILE' }, PK: { S: 'of another program' } }
const { version: _, updatedAt: __, ...NEW } = comment()

const notes = defineCollection({
  name: 'NOTE',
  schema: schemaOf<{ id: string; list: string; at: string; pk: string; PK?: never }>(),
  id: 'id',
  scope: { name: 'LIST', attribute: 'list' },
  order: 'at',
  facets: {},
})

describe.each(testEngines())('a table with keys of other names, on $name', (engine) => {
  const client = createTestClient(engine)
  const tableName = uniqueTableName()
  const options = {
    ...{ client, tableName, keys: KEYS, collections: { comments, notes }, cursorSecret: 'a secret of the tests' },
    ...{ derived: { counts: true, pages: segments() }, stream: { immediate: true } },
  } satisfies LapidaryOptions<{ comments: typeof comments; notes: typeof notes }>
  const lapidary = createLapidary(options)
  const scan = async () => (await client.send(new ScanCommand({ TableName: tableName }))).Items ?? []

  beforeAll(async () => {
    await lapidary.table.create()
    await client.send(new PutItemCommand({ TableName: tableName, Item: NOTE }))
  })
  afterAll(() => dropTables(client, [tableName]))

  test('is made, compared and read as any other; what another program has in it stays', async () => {
    const { KeySchema } = (await lapidary.table.describe()) ?? {}
    expect(KeySchema?.map(({ AttributeName }) => AttributeName)).toEqual(['pk', 'sort-key'])
    await using _poller = await lapidary.stream.start({ idleMs: 20, gatherMs: 20 })
    const many = Array.from({ length: 30 }, (_, i) =>
      comment({ id: `c${i}`, rating: ((i % 5) + 1) as Comment['rating'] }),
    )
    await importItems(lapidary.comments, many)
    await lapidary.comments.create(NEW)
    await expect(lapidary.comments.create(NEW)).rejects.toMatchObject({ code: 'already_exists' })
    await lapidary.comments.patch('c1', { rating: 5 })
    await lapidary.comments.upsert(comment({ id: 'c2', rating: 1 }))
    await lapidary.comments.delete('c3')
    await expect(lapidary.comments.patch('c3', { rating: 1 })).rejects.toMatchObject({ code: 'not_found' })

    const rated = await lapidary.comments.list({ scope: '42', where: { rating: [4, 5] }, limit: 4 })
    const next = await lapidary.comments.list({
      scope: '42',
      where: { rating: [4, 5] },
      limit: 100,
      cursor: rated.cursors.next ?? '',
    })
    expect([...rated.items, ...next.items].every(({ rating }) => rating >= 4)).toBe(true)
    expect(rated.items.length + next.items.length).toBe(6 + 5 + 1 + 1)
    expect((await lapidary.comments.getMany(['c1', 'c3'])).map((found) => found?.rating)).toEqual([5, undefined])
    await vi.waitFor(
      async () => expect((await lapidary.comments.page(2, { scope: '42', limit: 20 })).page.total).toBe(30),
      PATIENCE,
    )
    const bad = { scope: '42', where: { rating: 1 } } as const
    await vi.waitFor(async () => expect((await lapidary.comments.count(bad)).total).toBe(7), PATIENCE)
    expect(await lapidary.derived.verify()).toMatchObject({ differences: [], items: 30, deadLetters: 0 })
    expect(await lapidary.derived.rebuild()).toMatchObject({ differences: [] })

    const entries = await scan()
    expect(entries.filter(({ PK }) => PK !== undefined)).toEqual([NOTE])
    expect(entries.map(({ pk }) => pk?.S)).toContain('COMMENT#c1')
  })

  test('an attribute that is called as a key is stored and read', async () => {
    const note = { id: 'n1', list: 'l', at: '2020-11-09T12:00:00.123Z', pk: 'mine' }
    await lapidary.notes.create(note)
    expect((await lapidary.notes.list({ scope: 'l' })).items).toEqual([note])
    expect(await lapidary.notes.get('n1')).toEqual(note)
    await lapidary.notes.delete('n1')
  })

  test('writes for a transaction of the caller, and events that Lambda delivers, have the names of the table', async () => {
    const { writes } = await lapidary.comments.writes.create({ ...NEW, id: 'own', productId: '43' })
    await client.send(new TransactWriteItemsCommand({ TransactItems: [...writes] }))
    expect((await lapidary.comments.get('own'))?.productId).toBe('43')
    const image = (await scan()).find(({ pk }) => pk?.S === 'COMMENT#own') as Record<string, AttributeValue>
    const { pk, 'sort-key': sk } = image
    expect(lapidary.stream.filterPatterns()[0]).toContain('"pk":{"S":[{"prefix":"COMMENT#"}]},"sort-key"')
    const errors: unknown[] = []
    const handler = createLapidary({ ...options, derived: { counts: true } }).stream.handler({
      onError: (error) => errors.push(error),
    })
    const dynamodb = {
      Keys: { pk, 'sort-key': sk },
      NewImage: image,
      SequenceNumber: '1',
      StreamViewType: 'NEW_AND_OLD_IMAGES',
    }
    const event = { Records: [{ eventName: 'INSERT', dynamodb }], shardId: 'shardId-of-lambda' }
    expect(await handler(event as never)).toMatchObject({ batchItemFailures: [] })
    expect(
      (await scan()).find((entry) => withoutDigest(entry.pk?.S ?? '') === '~counts#COMMENT#43')?.count_total,
    ).toEqual({ N: '1' })
  })
})

test('a table whose keys have other names than declared is told from one that is as declared', async () => {
  const table = createLapidary({
    client: createTestClient(testEngines()[0] as never),
    tableName: 'things',
    keys: KEYS,
    collections: { comments },
    cursorSecret: 'a secret of the tests',
  }).table
  const keysOf = (definition: ReturnType<typeof table.definition>) => createTableInput(definition).KeySchema
  expect(keysOf(table.definition())?.[0]?.AttributeName).toBe('pk')
  const usual = createTableInput({ ...table.definition(), keys: { pk: 'PK', sk: 'SK' } })
  expect(compareTable(table.definition(), usual as never, 'ttl')).toContainEqual(
    expect.objectContaining({ what: 'primary key', expected: 'pk, sort-key', actual: 'PK, SK' }),
  )
})

test.each([
  [{ pk: '', sk: 'sk' }, /keys.pk is ""/],
  [{ pk: 'pk', sk: 'pk' }, /both pk/],
  [{ pk: 'SK', sk: 'foo' }, /can't be called SK/],
  [{ pk: 'foo', sk: 'PK' }, /nor its sort key PK/],
  [{ pk: 'pk', sk: 's.rating' }, /keys.sk is "s.rating".*indexes/],
])('key names %j are refused', (keys, message) => {
  const options = {
    client: createTestClient(testEngines()[0] as never),
    tableName: 'things',
    collections: { comments },
    cursorSecret: 'a secret of the tests',
  }
  expect(() => createLapidary({ ...options, keys })).toThrow(
    expect.objectContaining({ code: 'declaration_invalid', message: expect.stringMatching(message) }),
  )
})

test('a short name that is a key of the table is refused', () => {
  const short = defineCollection({
    ...{
      name: 'SHORT',
      schema: schemaOf<{ id: string; list: string; at: string }>(),
      id: 'id',
      order: 'at',
      facets: {},
    },
    ...{ scope: { name: 'LIST', attribute: 'list' }, attributes: { id: 'pk', list: 'l', at: 'a' } },
  } as const)
  const options = {
    client: createTestClient(testEngines()[0] as never),
    tableName: 'things',
    collections: { short },
    cursorSecret: 'a secret of the tests',
  }
  expect(() => createLapidary({ ...options, keys: KEYS })).toThrow(/SHORT stores an attribute as pk/)
})

test('what is renamed twice is what it was, and values are left alone', () => {
  const { renamed } = keyRenaming(KEYS)
  const entry = fc.dictionary(
    fc.constantFrom('PK', 'SK', 'pk', 'sort-key', 'text'),
    fc.constant({ M: { PK: { S: 'x' } } }),
  )
  fc.assert(
    fc.property(entry, (Item) => {
      const command = {
        TransactItems: [{ Put: { TableName: 'Items', Item } }],
        RequestItems: { Items: [{ PutRequest: { Item } }] },
      }
      const there = renamed(command)
      expect(Object.keys(there.TransactItems[0]?.Put.Item ?? {})).toHaveLength(Object.keys(Item).length)
      expect(renamed(there)).toEqual(command)
      expect(Object.values(there.TransactItems[0]?.Put.Item ?? {})).toEqual(Object.values(Item))
    }),
    { seed: chosenSeed(process.env.FC_SEED) },
  )
})
