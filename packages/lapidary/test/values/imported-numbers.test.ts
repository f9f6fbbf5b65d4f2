import { type AttributeValue, GetItemCommand } from '@aws-sdk/client-dynamodb'
import fc from 'fast-check'
import { anyOf, type Collection, defineCollection } from 'lapidary'
import { exportLines, importRecords, jsonLines } from 'lapidary/transfer'
import { csvRows } from 'lapidary/transfer/csv'
import { chosenSeed } from 'lapidary-testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { testEngines } from '../../../../test/engines/index.ts'
import { plainDecimal } from '../../src/model/decimal.ts'
import type { NumberKind } from '../../src/model/native-value.ts'
import { collect } from '../collect.ts'
import { openTestTable, type TestTable } from '../test-table.ts'
import { decimals } from './attribute-values.ts'

const seed = chosenSeed(process.env.FC_SEED)
console.info(`imported numbers: FC_SEED=${seed}`)

/** Prices with a schema that takes them as one says. */
const pricesOf = (amount: z.ZodType, numbers?: { readonly amount: NumberKind }): Collection =>
  defineCollection({
    name: 'PRICE',
    schema: z.object({
      id: z.string(),
      shop: z.string(),
      at: z.string(),
      stars: z.number(),
      amount: amount.optional(),
    }),
    ...{ id: 'id', order: 'at', scope: { name: 'SHOP', attribute: 'shop' } },
    facets: { stars: anyOf([1, 2, 3]) },
    ...(numbers === undefined ? {} : { numbers }),
  } as never) as never

const AT = '2026-01-01T00:00:00.000Z'
const HEADER = 'id,shop,at,stars,amount'

async function* chunksOf(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text)
}

type Table = TestTable<{ prices: Collection }>

/** Imports amounts, each as an item named by its place, and gives why those were refused that were. */
async function importAmounts({ lapidary }: Table, format: 'csv' | 'jsonl', amounts: readonly string[]) {
  const lines = amounts.map((amount, i) =>
    format === 'csv'
      ? `n${i},7,${AT},1,"${amount.replaceAll('"', '""')}"`
      : `{"id":"n${i}","shop":"7","at":"${AT}","stars":1,"amount":${amount}}`,
  )
  const { context } = lapidary.prices
  const file = format === 'csv' ? [HEADER, ...lines].join('\n') : lines.join('\n')
  const records =
    format === 'csv' ? csvRows(context.collection as Collection, chunksOf(file)) : jsonLines(chunksOf(file))
  const refused = new Map<number, string>()
  await importRecords(lapidary.prices, records, {
    onRejected: ({ line }, reason) => void refused.set(line, reason),
  })
  return refused
}

async function storedAmount({ client, tableName }: Table, id: string): Promise<AttributeValue | undefined> {
  const Key = { PK: { S: `PRICE#${id}` }, SK: { S: '~' } }
  return (await client.send(new GetItemCommand({ TableName: tableName, Key, ConsistentRead: true }))).Item?.amount
}

describe.each(testEngines())('on $name', (engine) => {
  test.each(['csv', 'jsonl'] as const)(
    'any number keeps its digits, or its line is refused by name, %s',
    async (format) => {
      for (const amount of [z.number(), z.coerce.number(), z.union([z.number(), z.bigint()])]) {
        await using table = await openTestTable(engine, { prices: pricesOf(amount) })
        const amounts = [...fc.sample(decimals, { seed, numRuns: 40 }), '0.1', '7', '3.333333333333333333333333333']
        const refused = await importAmounts(table, format, amounts)
        for (const [i, digits] of amounts.entries()) {
          const stored = await storedAmount(table, `n${i}`)
          const line = i + (format === 'csv' ? 2 : 1)
          if (refused.has(line))
            expect([refused.get(line), stored]).toEqual([expect.stringContaining('amount: '), undefined])
          else expect(plainDecimal(stored?.N ?? '')).toBe(plainDecimal(digits))
        }
        // A number that JavaScript holds only nearly is no reason to refuse a line.
        for (const i of [40, 41, 42]) expect(refused.has(i + (format === 'csv' ? 2 : 1))).toBe(false)
        expect(await table.lapidary.prices.get('n42')).toMatchObject({ amount: 3.3333333333333335 })
        const lines = (await collect(exportLines(table.lapidary.prices as never))).flat().join('')
        expect(lines).toContain('"amount":3.333333333333333333333333333}')
      }
    },
  )

  test('a line that would lose digits names column, value and what to do', async () => {
    const lost = ['9007199254740993', '12345678901234567890.5', `0.${'1234567890'.repeat(4)}`, `1${'0'.repeat(40)}1`]
    for (const amount of [z.number(), z.coerce.number()]) {
      await using table = await openTestTable(engine, { prices: pricesOf(amount) })
      const refused = await importAmounts(table, 'csv', lost)
      const declare =
        "has more digits than a number of JavaScript; declare numbers: { amount: 'decimal' }, which the schema takes as a text"
      expect([...refused]).toEqual([
        [2, `amount: 9007199254740993 ${declare}`],
        [3, `amount: 12345678901234567890.5 ${declare}`],
        [
          4,
          expect.stringMatching(/^amount: "0\.1234567890.*" has more than 38 digits, and DynamoDB does not hold it$/),
        ],
        [5, expect.stringMatching(/^amount: "10000.*" has more than 38 digits, and DynamoDB does not hold it$/)],
      ])
      const long = await importAmounts(table, 'jsonl', lost.slice(2))
      expect([...long.values()]).toEqual([refused.get(4), refused.get(5)])
      const [nested] = (await importAmounts(table, 'jsonl', [`[{"a":${lost[2]}}]`])).values()
      expect(nested).toBe(refused.get(4))
    }
    await using strict = await openTestTable(engine, { prices: pricesOf(z.number(), { amount: 'number' }) })
    const [reason] = (await importAmounts(strict, 'csv', ['0.12345678901234567890'])).values()
    expect(reason).toContain("declare numbers: { amount: 'decimal' }")
  })

  test('declared ones are read as the declaration says', async () => {
    const amounts = fc.sample(decimals, { seed, numRuns: 20 })
    for (const format of ['csv', 'jsonl'] as const) {
      await using table = await openTestTable(engine, { prices: pricesOf(z.string(), { amount: 'decimal' }) })
      expect([...(await importAmounts(table, format, amounts))]).toEqual([])
      for (const [i, digits] of amounts.entries())
        expect(await table.lapidary.prices.get(`n${i}`)).toMatchObject({ amount: plainDecimal(digits) })
      await using whole = await openTestTable(engine, { prices: pricesOf(z.bigint(), { amount: 'bigint' }) })
      expect([...(await importAmounts(whole, format, ['5', '-12345678901234567890123456789012345678']))]).toEqual([])
      expect(await whole.lapidary.prices.get('n0')).toMatchObject({ amount: 5n })
      expect(await whole.lapidary.prices.get('n1')).toMatchObject({ amount: -12345678901234567890123456789012345678n })
    }
  })

  test('numbers in lists and maps of a cell keep their digits', async () => {
    const loose = z.union([z.array(z.any()), z.record(z.string(), z.any())])
    await using table = await openTestTable(engine, { prices: pricesOf(loose) })
    const cells = [
      '[1.5,{"a":0.1234567890123456789}]',
      '{"b":[9007199254740993]}',
      '{"c":"1.00000000000000000001"}',
      '{}',
    ]
    expect([...(await importAmounts(table, 'csv', cells))]).toEqual([])
    expect(await Promise.all(cells.map((_, i) => storedAmount(table, `n${i}`)))).toEqual([
      { L: [{ N: '1.5' }, { M: { a: { N: '0.1234567890123456789' } } }] },
      { M: { b: { L: [{ N: '9007199254740993' }] } } },
      { M: { c: { S: '1.00000000000000000001' } } },
      { M: {} },
    ])
    const [reason] = (await importAmounts(table, 'csv', [`[0.${'1234567890'.repeat(4)}]`])).values()
    expect(reason).toMatch(/^amount: "0\.12.* has more than 38 digits/)
  })
})

test('what a schema makes of a text is stored as the schema says', async () => {
  const [engine] = testEngines()
  if (engine === undefined) return expect.fail('there is no engine')
  const rounded = z.string().transform((text) => Math.round(Number(text) * 100) / 100)
  await using table = await openTestTable(engine, { prices: pricesOf(rounded) })
  expect([...(await importAmounts(table, 'csv', ['1.23456789012345678901234']))]).toEqual([])
  expect(await storedAmount(table, 'n0')).toEqual({ N: '1.23' })
})
