import { GetItemCommand } from '@aws-sdk/client-dynamodb'
import { createLapidary, type Item, indexes, type Layout, lookup, powerSet } from 'lapidary'
import { deflated, packed, trainDictionary } from 'lapidary/codecs'
import { exportItems, importItems } from 'lapidary/transfer'
import { describe, expect, test } from 'vitest'
import { createTestClient, dropTables, testEngines, uniqueTableName } from '../../../../test/engines/index.ts'
import { anyOf, defineCollection, oneOf } from '../../src/index.ts'
import { schemaOf } from '../comments-fixture.ts'

const options = {
  ...{ name: 'COMMENT', schema: schemaOf<Item>(), id: 'id', order: 'createdAt', version: 'version' },
  scope: { name: 'PRODUCT', attribute: 'productId' },
  facets: { language: oneOf(), rating: anyOf([1, 2, 3, 4, 5]) },
} as const
const attributes = {
  ...{ id: 'i', productId: 'p', createdAt: 'c', language: 'l', rating: 'r', version: 'v', text: 'x' },
  note: lookup('n'),
} as never

const text = (i: number): string => `Comment ${i} says that it is good and sharp, and that it would be bought again.`
const commentOf = (i: number): Item => ({
  ...{ id: String(100 + i), productId: '42', language: i % 3 === 0 ? 'de' : 'en', rating: (i % 5) + 1, text: text(i) },
  ...{ createdAt: new Date(Date.UTC(2024, 0, 1) + i * 60_000).toISOString(), note: `only a look-up shows ${text(i)}` },
})
const dictionary = trainDictionary(
  defineCollection(options),
  Array.from({ length: 100 }, (_, i) => commentOf(i)),
)
const other = trainDictionary(
  defineCollection(options),
  Array.from({ length: 100 }, (_, i) => commentOf(i)),
  { bytes: 512 },
)

const CODECS = {
  plain: undefined,
  packed: packed(),
  deflated: deflated({ dictionaries: [dictionary] }),
  redeflated: deflated({ dictionaries: [other, dictionary] }),
  'plain again': deflated({ dictionaries: [other, dictionary], readOnly: true }),
} as const

const LAYOUTS: readonly (readonly [string, Layout, boolean])[] = [
  ['indexes', indexes(), false],
  ['indexes with short names', indexes(), true],
  ['power set', powerSet(), false],
  ['power set with short names', powerSet(), true],
]

describe.each(LAYOUTS)('%s', (_, layout, isShort) => {
  const declared = isShort ? { ...options, attributes } : options
  const open = (
    codec: (typeof CODECS)[keyof typeof CODECS],
    client: ReturnType<typeof createTestClient>,
    tableName: string,
  ) => {
    const comments = defineCollection(codec === undefined ? declared : { ...declared, codec })
    const cursorSecret = 'a secret of the tests'
    return createLapidary({
      client,
      tableName,
      collections: { comments },
      cursorSecret,
      layout,
      derived: { counts: true },
    })
  }

  test('one table holds items of every codec: lists, filters, counts, verify, changes, export and import go on', async () => {
    const [engine] = testEngines()
    if (engine === undefined) throw new Error('there is no engine')
    const [client, tableName] = [createTestClient(engine), uniqueTableName()]
    // A declaration with short names makes indexes for packed attributes too.
    await open(CODECS.deflated, client, tableName).table.create()
    const names = Object.keys(CODECS) as (keyof typeof CODECS)[]
    const writers = isShort ? names.filter((name) => name !== 'plain') : names
    for (let i = 0; i < 25; i++)
      await open(CODECS[writers[i % writers.length] ?? 'packed'], client, tableName).comments.create(
        commentOf(i) as never,
      )

    const reader = open(CODECS.redeflated, client, tableName)
    const listed = (where: object) => reader.comments.list({ scope: '42', where, limit: 100 } as never)
    const shown = (i: number): Item => {
      const { note, ...rest } = { ...commentOf(i), version: 1 } as Item
      return isShort ? rest : { ...rest, note }
    }
    const wanted = (keep: (item: Item) => boolean) =>
      Array.from({ length: 25 }, (_none, i) => shown(24 - i)).filter((item) => keep(item))
    expect((await listed({})).items).toEqual(wanted(() => true))
    const answer = await listed({ language: 'en', rating: [2, 4] })
    expect(answer.items).toEqual(wanted(({ language, rating }) => language === 'en' && (rating === 2 || rating === 4)))
    expect(await reader.comments.get('103')).toEqual({ ...commentOf(3), version: 1 })
    const chosen = await reader.comments.list({ scope: '42', attributes: ['id', 'text'], limit: 100 } as never)
    expect(chosen.items).toEqual(wanted(() => true).map(({ id, text: own }) => ({ id, text: own })))

    // Each change stores the item anew by the codec of its writer, and leaves nothing of the former.
    for (let i = 0; i < 25; i++) {
      const writer = open(CODECS[writers[(i + 1) % writers.length] ?? 'packed'], client, tableName)
      await writer.comments.patch(String(100 + i), { rating: ((i + 2) % 5) + 1 } as never)
      expect(await reader.comments.get(String(100 + i))).toEqual({
        ...commentOf(i),
        rating: ((i + 2) % 5) + 1,
        version: 2,
      })
      const stored = await client.send(
        new GetItemCommand({ TableName: tableName, Key: { PK: { S: `COMMENT#${100 + i}` }, SK: { S: '~' } } }),
      )
      const own = isShort ? 'x' : 'text'
      expect(Object.keys(stored.Item ?? {}).filter((name) => name === own || name === '~p')).toHaveLength(1)
    }

    await using _poller = await reader.stream.start()
    const ones = { scope: '42', where: { rating: [1, 2] } }
    await expect.poll(async () => (await reader.comments.count(ones as never)).total).toBe(10)
    expect((await reader.derived.verify()).differences).toEqual([])

    const exported: Item[] = []
    for await (const items of exportItems(reader.comments)) exported.push(...(items as readonly Item[]))
    const copyName = uniqueTableName()
    const copy = open(CODECS.redeflated, client, copyName)
    await copy.table.create()
    expect(await importItems(copy.comments, exported)).toMatchObject({ written: 25 })
    expect((await copy.comments.list({ scope: '42', limit: 100 } as never)).items).toEqual((await listed({})).items)
    await dropTables(client, [tableName, copyName])
  })
})
