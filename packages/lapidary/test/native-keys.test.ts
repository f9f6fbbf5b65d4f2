import { PutItemCommand, type PutItemCommandInput, ScanCommand } from '@aws-sdk/client-dynamodb'
import {
  anyOf,
  defineCollection,
  type Facets,
  type IndexDeclaration,
  type Item,
  indexes,
  nativeKeys,
  oneOf,
  segments,
  tableFor,
} from 'lapidary'
import { beforeAll, describe, expect, test } from 'vitest'
import { testEngines } from '../../../test/engines/index.ts'
import { ownAttributeType } from '../src/layouts/native-keys/own-attributes.ts'
import { isReservedName } from '../src/model/reserved-names.ts'
import { seededRandom } from '../src/model/seeded-random.ts'
import { deadLetterWrite } from '../src/stream/dead-letters.ts'
import { type Comment, comment, schemaOf } from './comments-fixture.ts'
import { openTestTable, type TestTable } from './test-table.ts'

const [embedded] = testEngines()
const local = testEngines().find(({ name }) => name === 'dynamodb-local')
if (local === undefined || embedded === undefined) throw new Error('DynamoDB Local is not there')

const base = {
  name: 'COMMENT',
  schema: schemaOf<Comment>(),
  id: 'id',
  order: 'createdAt',
  version: 'version',
  scope: { name: 'PRODUCT', attribute: 'productId' },
  facets: { language: oneOf(), rating: anyOf([1, 2, 3, 4, 5]) },
} as const
const short = defineCollection({
  ...base,
  attributes: {
    ...{ id: 'i', productId: 'p', language: 'l', rating: 'r', createdAt: 'c', text: 't', version: 'v', updatedAt: 'u' },
  },
})

describe('the same comments in both layouts', () => {
  const tables: TestTable<{ comments: typeof short }>[] = []

  beforeAll(async () => {
    const random = seededRandom(7)
    const all = Array.from({ length: 400 }, (_, i): Comment => {
      const rating = ([5, 5, 5, 5, 5, 4, 4, 3, 2, 1] as const)[Math.floor(random() * 10)] ?? 5
      // Some share their time, as comments of one import do.
      const createdAt = new Date(Date.UTC(2024, 0, 1) + Math.floor(i / 3) * 60_000).toISOString()
      const text = 'x'.repeat(200 + Math.floor(random() * 400))
      return comment({ id: String(100_000 + i), createdAt, text, rating, language: random() < 0.7 ? 'en' : 'de' })
    })
    for (const layout of [indexes(), nativeKeys()]) {
      const table = await openTestTable(local, { comments: short }, { layout })
      tables.push(table)
      for (let i = 0; i < all.length; i += 50)
        await Promise.all(
          all
            .slice(i, i + 50)
            .map(({ version, updatedAt, ...sent }) => table.lapidary.comments.create(sent as Comment)),
        )
    }
    return async () => {
      for (const table of tables) await table[Symbol.asyncDispose]()
    }
  })

  const wheres = [
    {},
    { language: 'en' },
    { language: 'de', rating: [5] },
    { rating: [5] },
    { rating: [1, 2] },
    { language: 'en', rating: [3, 4] },
  ] as const

  test.each(wheres)('%j: the first page costs no more, and the pages after it', async (where) => {
    const [texts, native] = tables.map(({ lapidary }) => lapidary.comments)
    if (texts === undefined || native === undefined) throw new Error('there is no table')
    const query = { scope: '42', where: where as object }
    const firsts = [await texts.list(query), await native.list(query)] as const
    expect(firsts[1].items).toEqual(firsts[0].items)
    const [first, firstNative] = firsts.map(({ plan }) => plan.actual)
    expect(firstNative?.rcu).toBeLessThanOrEqual(first?.rcu ?? 0)
    expect(firstNative?.rounds).toBe(first?.rounds)
    expect(firstNative?.bytes).toBeLessThan(1.05 * (first?.bytes ?? 0))

    // Either layout goes on from the other's cursor.
    const cursor = firsts[0].cursors.next ?? ''
    const nexts = [await texts.list({ ...query, cursor }), await native.list({ ...query, cursor })] as const
    expect(nexts[1].items).toEqual(nexts[0].items)
    const [next, nextNative] = nexts.map(({ plan }) => plan.actual)
    expect(nextNative?.rcu).toBeLessThanOrEqual(next?.rcu ?? 0)
    expect(nextNative?.rounds).toBe(next?.rounds)
    console.info(
      `${JSON.stringify(where)} first ${first?.rcu} ${firstNative?.rcu}, next ${next?.rcu} ${nextNative?.rcu} RCU`,
    )
  })

  test('a create costs the same: a unit for the table, and one for each index', async () => {
    const units = []
    for (const { client, tableName, lapidary } of tables) {
      const { version, ...sent } = comment({ id: '900000', text: 'x'.repeat(400) })
      const [write] = (await lapidary.comments.writes.create(sent)).writes
      const { ConsumedCapacity } = await client.send(
        new PutItemCommand({
          ...(write?.Put as PutItemCommandInput),
          TableName: tableName,
          ReturnConsumedCapacity: 'TOTAL',
        }),
      )
      units.push(ConsumedCapacity?.CapacityUnits)
    }
    expect(units).toEqual([5, 5])
  })
})

test('a leaderboard has an index of its own, whose keys are texts', async () => {
  const ranked = defineCollection({ ...base, leaderboards: { 'five-star': { where: { rating: [5] } } } })
  const layout = nativeKeys().of(ranked)
  expect(layout.carrier).toMatchObject({ name: 'leaderboards', partitionKey: 'k.~leaders' })
  expect(nativeKeys().of(short).carrier).toBeUndefined()
  expect(layout.indexes.map(({ name }) => name)).toContain('leaderboards')
})

describe('what can be no key is refused', () => {
  const invalid = (message: RegExp) =>
    expect.objectContaining({ code: 'declaration_invalid', message: expect.stringMatching(message) })
  const declared = (facets: Facets, index: IndexDeclaration) => () =>
    tableFor({
      tableName: 'things',
      collections: {
        things: defineCollection({ ...base, schema: schemaOf<Item>(), facets, indexes: { all: {}, index } }),
      },
      layout: nativeKeys(),
    })

  test.each<[string, Facets, IndexDeclaration, RegExp]>([
    [
      'a boolean',
      { on: oneOf('boolean') },
      { partition: ['on'] },
      /index index is on on, which can be no key.*no boolean/,
    ],
    [
      'texts and numbers',
      { on: oneOf(['a', 1]) },
      { sort: ['on'] },
      /on on, which can be no key.*numbers alone or texts/,
    ],
    ['the empty text', { on: oneOf(['', 'a']) }, { sort: ['on'] }, /which can be no key.*empty text/],
    ['null', { on: oneOf(['a'], { optional: true }) }, { sort: ['on'] }, /which can be no key.*null/],
    ['a condition', { on: oneOf(['a']) }, { only: { on: ['a'] } }, /index index says only.*declare it without/],
    [
      'five facets',
      Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((name) => [name, oneOf()])),
      { partition: ['a', 'b', 'c', 'd', 'e'] },
      /has 5 facets.*beside k\.~, scope, order and id there is room for 4 in 4 \+ 4/,
    ],
  ])('%s in a declaration, with what to do', (_, facets, index, message) => {
    expect(declared(facets, index)).toThrow(invalid(message))
  })

  test.each([
    [
      'count, as a text',
      { count: oneOf(['few', 'many']) },
      /index byCount has the key attribute count with texts.*items of the library's own/,
    ],
    ['a counter', { count_5: oneOf(['a']) }, /key attribute count_5 with texts/],
    [
      'state, as a number',
      { state: oneOf([1, 2]) },
      /key attribute state with numbers.*attributes: \{ …, state: 'its_state' \}/,
    ],
    ['fills', { fills: oneOf(['a']) }, /key attribute fills with texts/],
  ])(
    'an attribute under a name by which the library keeps another type in items of its own: %s',
    (_, facets, message) => {
      const declared = defineCollection({ ...base, schema: schemaOf<Item>(), facets })
      expect(() => nativeKeys().of(declared)).toThrow(invalid(message))
      const [name = ''] = Object.keys(facets)
      const attributes = { id: 'id', productId: 'p', createdAt: 'c', version: 'v', [name]: `its_${name}` }
      const renamed = defineCollection({ ...base, schema: schemaOf<Item>(), facets, attributes })
      expect(nativeKeys().of(renamed).indexes).toHaveLength(2)
    },
  )

  test('every attribute of the library’s own items is known by that', async () => {
    const ranked = defineCollection({ ...base, leaderboards: { 'five-star': { where: { rating: [5] } } } })
    await using table = await openTestTable(embedded, { ranked }, { derived: { counts: true, pages: segments() } })
    const { lapidary, client, tableName: TableName } = table
    await using _poller = await lapidary.stream.start({ idleMs: 20, gatherMs: 0 })
    const { version, ...sent } = comment()
    await lapidary.ranked.create(sent, { idempotencyKey: 'a key of the tests' })
    while ((await lapidary.derived.verify({ idleMs: 20 })).pending > 0)
      await new Promise((done) => setTimeout(done, 50))
    await lapidary.stream.catchUp()
    const { Items = [] } = await client.send(new ScanCommand({ TableName, ConsistentRead: true }))
    const letter = {
      ...{ shardId: 's', sequenceNumber: '1', at: 1, reason: 'x' },
      key: { PK: 'a', SK: 'b' },
      refusedBy: [],
    }
    const own = [
      // Those of the register are named by what they are of.
      ...Items.filter(({ PK }) => PK?.S?.startsWith('~') && PK.S !== '~DERIVED'),
      deadLetterWrite({ tableName: TableName } as never, letter).Put?.Item ?? {},
    ]
    const found = own
      .flatMap((item) => Object.entries(item))
      .filter(([name]) => !isReservedName(name) && !name.startsWith('~'))
    expect(new Set(found.map(([name]) => name)).size).toBeGreaterThan(12)
    for (const [name, value] of found) expect([name, ownAttributeType(name)]).toEqual([name, Object.keys(value)[0]])
  })

  test('what is not declared is left out: facets that can be no keys, and an index on more than there is room for', () => {
    const indexesOf = (facets: Facets) =>
      nativeKeys()
        .of(defineCollection({ ...base, schema: schemaOf<Item>(), facets }))
        .indexes.map(({ name }) => name)
    expect(indexesOf({ a: oneOf(), on: oneOf('boolean') })).toEqual(['all', 'byA'])
    const five = Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((name) => [name, oneOf()]))
    expect(indexesOf(five)).toEqual(['all', 'byA', 'byB', 'byC', 'byD', 'byE'])
  })

  test('an item: an id that sorts otherwise, an empty text, a key that is too long', async () => {
    await using table = await openTestTable(
      local,
      { comments: defineCollection({ ...base, idOrder: 'raw' }), plain: defineCollection({ ...base, name: 'PLAIN' }) },
      { layout: nativeKeys() },
    )
    const { comments, plain } = table.lapidary
    const { version, ...sent } = comment()
    const refused = (path: string, message: RegExp) =>
      expect.objectContaining({ details: { errors: [{ path, message: expect.stringMatching(message) }] } })
    await expect(plain.create({ ...sent, id: 'a/b' })).rejects.toEqual(
      refused('id', /no id for native keys.*idOrder: 'raw'/),
    )
    await expect(comments.create({ ...sent, id: 'a/b' })).resolves.toMatchObject({ id: 'a/b' })
    await expect(comments.create({ ...sent, id: '2', language: '' })).rejects.toEqual(refused('language', /empty text/))
    const long = '😀'.repeat(250)
    await expect(comments.create({ ...sent, id: `${long}${'é'.repeat(12)}` })).rejects.toMatchObject({
      details: {
        errors: expect.arrayContaining([
          { path: 'all', message: expect.stringMatching(/sort key of 10\d\d bytes.*1024/) },
        ]),
      },
    })
  })
})
