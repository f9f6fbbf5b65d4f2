import { type AttributeValue, GetItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb'
import fc from 'fast-check'
import { anyOf, defineCollection, type Item, increment, oneOf } from 'lapidary'
import { exportItems, exportLines, importRecords, jsonLines } from 'lapidary/transfer'
import { chosenSeed } from 'lapidary-testing'
import { describe, expect, test } from 'vitest'
import { testEngines } from '../../../../test/engines/index.ts'
import { addedDecimals, plainDecimal } from '../../src/model/decimal.ts'
import { canonicalText, type Entry } from '../../src/model/entry.ts'
import { parsedJson } from '../../src/transfer/json-numbers.ts'
import { collect } from '../collect.ts'
import { schemaOf } from '../comments-fixture.ts'
import { openTestTable, type TestTable } from '../test-table.ts'
import { decimals } from './attribute-values.ts'

const seed = chosenSeed(process.env.FC_SEED)
console.info(`changes beside values that can't be read: FC_SEED=${seed}`)

const LONG = '12345678901234567890.123456789'
const options = {
  ...{ name: 'NOTE', schema: schemaOf<Item>(), id: 'id', order: 'createdAt', version: 'version' },
  scope: { name: 'BOOK', attribute: 'book' },
  facets: { language: oneOf(['en', 'de']), stars: anyOf([1, 2, 3]) },
} as const
const notes = defineCollection(options)
const strict = defineCollection({ ...options, numbers: { amount: 'number' } } as typeof options)
const base: Item = { id: '1', book: '7', createdAt: '2026-01-01T00:00:00.000Z', language: 'en', stars: 3 }

type Table = TestTable<{ notes: typeof notes }>

async function stored({ client, tableName }: Table, id = '1'): Promise<Entry | undefined> {
  const Key = { PK: { S: `NOTE#${id}` }, SK: { S: '~' } }
  return (await client.send(new GetItemCommand({ TableName: tableName, Key, ConsistentRead: true }))).Item
}

/** Writes an attribute as another program does. */
async function write({ client, tableName }: Table, attribute: string, value: AttributeValue, id = '1'): Promise<void> {
  await client.send(
    new UpdateItemCommand({
      ...{ TableName: tableName, Key: { PK: { S: `NOTE#${id}` }, SK: { S: '~' } }, UpdateExpression: 'SET #n = :v' },
      ...{ ExpressionAttributeNames: { '#n': attribute }, ExpressionAttributeValues: { ':v': value } },
    }),
  )
}

describe.each(testEngines())('on $name', (engine) => {
  test('an item that can not be read is changed, made good and deleted', async () => {
    await using table = await openTestTable(engine, { notes: strict }, { derived: { counts: true } })
    const { notes: client } = table.lapidary
    await client.create(base as never)
    await write(table, 'amount', { N: '0.1000000000000000000001' })

    await expect(client.get('1')).rejects.toThrow(
      `NOTE "1" can't be read: its amount is 0.1000000000000000000001, of which JavaScript has only a number near it; declare numbers: { amount: 'decimal' }`,
    )
    expect(await client.patch('1', { title: 'One' } as never)).toMatchObject({ title: 'One', amount: 0.1, version: 2 })
    expect(await client.patch('1', { votes: increment(2, { blind: true }) } as never)).toMatchObject({ votes: 2 })
    expect((await stored(table))?.amount).toEqual({ N: '0.1000000000000000000001' })
    // The nearest number is another than what is stored, so it is written.
    expect(await client.patch('1', { amount: 0.1 } as never)).toMatchObject({ amount: 0.1, version: 4 })
    expect((await stored(table))?.amount).toEqual({ N: '0.1' })
    expect(await client.patch('1', { amount: 0.1 } as never)).toMatchObject({ version: 4 })

    await write(table, 'amount', { N: '0.1000000000000000000001' })
    await client.replace({ ...base, amount: 0.1 } as never)
    expect((await stored(table))?.amount).toEqual({ N: '0.1' })

    await write(table, 'amount', { N: LONG })
    await client.delete('1')
    expect(await stored(table)).toBeUndefined()
    await expect(client.delete('1')).rejects.toMatchObject({ code: 'not_found' })
    await client.create(base as never)
    await write(table, 'amount', { N: LONG })
    await client.delete('1', { if: { language: 'en' } as never })
    expect(await stored(table)).toBeUndefined()
  })

  test('a delete that went through is told so, whatever the item held', async () => {
    await using table = await openTestTable(engine, { notes }, { derived: { counts: true } })
    await table.lapidary.notes.create(base as never)
    // As another codec packs attributes.
    await write(table, '~p', { B: Uint8Array.from([9, 9, 9]) })
    await table.lapidary.notes.delete('1')
    expect(await stored(table)).toBeUndefined()
  })

  test('increments add as DynamoDB does, whether the item is read for it or not', async () => {
    await using table = await openTestTable(engine, { notes })
    const { notes: client } = table.lapidary
    await client.create({ ...base, votes: 1e7 } as never)
    let expected = '10000000'
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.integer({ min: -9, max: 9 }), fc.constantFrom(1e-10, 0.1, -0.3, 1e-20)),
        fc.constantFrom('blind', 'read', 'beside'),
        async (by, how) => {
          const changes = how === 'beside' ? { title: String(by) } : {}
          await client.patch('1', { votes: increment(by, { blind: how === 'blind' }), ...changes } as never)
          await client.patch('1', { text: String(by) } as never)
          expected = addedDecimals(expected, String(by))
          expect(plainDecimal((await stored(table))?.votes?.N ?? '')).toBe(expected)
        },
      ),
      { seed, numRuns: 20, endOnFailure: true },
    )
  })

  test('a part of a map or list that a change leaves alone keeps its digits', async () => {
    await using table = await openTestTable(engine, { notes })
    const { notes: client } = table.lapidary
    await client.create(base as never)
    const kept = {
      M: {
        constructor: { N: '3.333333333333333333333333333' },
        list: { L: [{ N: '0.1' }, { N: '9007199254740993.5' }] },
      },
    }
    await write(table, 'map', { M: { ...kept.M, text: { S: 'a' } } })
    const { map } = (await client.patch('1', { title: 'a' } as never)) as Item & { map: object }
    await client.patch('1', { map: { ...map, text: 'b', more: 1 } } as never)
    expect((await stored(table))?.map).toEqual({ M: { ...kept.M, text: { S: 'b' }, more: { N: '1' } } })
  })

  test('what is exported and imported is equal, with all digits', async () => {
    await using from = await openTestTable(engine, { notes })
    await using to = await openTestTable(engine, { notes })
    const ids: string[] = []
    await fc.assert(
      fc.asyncProperty(decimals, decimals, fc.string({ unit: 'binary', maxLength: 20 }), async (a, b, text) => {
        const id = `n${ids.length}`
        ids.push(id)
        await from.lapidary.notes.create({ ...base, id, text: text.isWellFormed() ? text : '' } as never)
        await write(from, 'amount', { N: a }, id)
        await write(from, 'map', { M: { '~n': { S: `"~n${b}` }, list: { L: [{ N: b }, { S: b }] } } }, id)
      }),
      { seed, numRuns: 30, endOnFailure: true },
    )
    const lines = (await collect(exportLines(from.lapidary.notes))).flat()
    expect(lines).toHaveLength(ids.length)
    const { written } = await importRecords(to.lapidary.notes, jsonLines(chunksOf(lines.join(''))))
    expect(written).toBe(ids.length)
    for (const id of ids) {
      const [was, is] = [await stored(from, id), await stored(to, id)].map(({ '~v': _, ...entry } = {}) => entry)
      expect(canonicalText({ M: is as Record<string, AttributeValue> })).toBe(
        canonicalText({ M: was as Record<string, AttributeValue> }),
      )
    }
    expect((await collect(exportLines(to.lapidary.notes))).flat().sort()).toEqual(lines.sort())
  })

  test('an export of items gives those that can be read, and ends by naming the others', async () => {
    await using table = await openTestTable(engine, { notes })
    for (const id of ['1', '2', '3']) await table.lapidary.notes.create({ ...base, id } as never)
    await write(table, 'amount', { N: LONG }, '2')
    const given: string[] = []
    const all = async (): Promise<void> => {
      for await (const items of exportItems(table.lapidary.notes)) given.push(...items.map(({ id }) => String(id)))
    }
    await expect(all()).rejects.toMatchObject({
      code: 'table_mismatch',
      details: { unreadable: [{ id: '2', attribute: 'amount' }] },
    })
    expect(given.sort()).toEqual(['1', '3'])
  })
})

test.each([
  '{"a":"12345678901234567890"}',
  '{"a":"\\u007en1","b":"~n12345678901234567890"}',
  '[1,2.5,-3e5]',
  '"\\"1.00000000000000000001"',
])('%s is parsed as JSON is', (text) => {
  expect(parsedJson(text)).toEqual(JSON.parse(text))
})

async function* chunksOf(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text)
}
