import { UpdateItemCommand } from '@aws-sdk/client-dynamodb'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import fc from 'fast-check'
import { anyOf, defineCollection, increment, indexes, type Layout, nativeKeys, powerSet, segments } from 'lapidary'
import { chosenSeed } from 'lapidary-testing'
import { describe, expect, test } from 'vitest'
import { testEngines } from '../../../../test/engines/index.ts'
import { PATIENCE } from '../../../../test/engines/patience.ts'
import { sortableNumber } from '../../src/layouts/position-text.ts'
import { addedDecimals, plainDecimal } from '../../src/model/decimal.ts'
import { schemaOf } from '../comments-fixture.ts'
import { openTestTable } from '../test-table.ts'
import { decimals } from './attribute-values.ts'

const seed = chosenSeed(process.env.FC_SEED)
console.info(`decimal orders: FC_SEED=${seed}`)

type Payment = {
  readonly id: string
  readonly account: string
  readonly at: string
  readonly amount: string
  readonly serial?: bigint
  readonly rate?: number
  readonly kind: 'in' | 'out'
}
const base = {
  name: 'PAYMENT',
  schema: schemaOf<Payment>(),
  id: 'id',
  scope: { name: 'ACCOUNT', attribute: 'account' },
  facets: { kind: anyOf(['in', 'out']) },
} as const
const payments = defineCollection({
  ...base,
  order: 'at',
  orders: {
    amount: { attribute: 'amount', type: 'decimal' },
    serial: { attribute: 'serial', type: 'decimal', optional: true },
  },
  numbers: { amount: 'decimal', serial: 'bigint', rate: 'number' },
  pages: [{ order: 'amount' }],
})
const LAYOUTS: readonly (readonly [name: string, layout: Layout])[] = [
  ['indexes', indexes()],
  ['power set', powerSet()],
  ['native keys', nativeKeys()],
]

function compared(a: string, b: string): number {
  const difference = addedDecimals(a, b.startsWith('-') ? b.slice(1) : `-${b}`)
  return difference === '0' ? 0 : difference.startsWith('-') ? -1 : 1
}

describe.each(testEngines())('on $name', (engine) => {
  // The embedded engine has no keys of several attributes.
  const layouts = LAYOUTS.filter(([name]) => name !== 'native keys' || engine.name === 'dynamodb-local')
  test.each(layouts)('numbers of 38 digits are in order, in ranges and on pages by number, %s', async (_, layout) => {
    const declared =
      layout.name === 'indexes'
        ? payments
        : defineCollection({ ...payments, ...base, order: 'at', pages: [], indexes: undefined } as never)
    const derived = layout.name === 'indexes' ? { counts: true, pages: segments() } : undefined
    await using table = await openTestTable(
      engine,
      { payments: declared as unknown as typeof payments },
      { layout, ...(derived && { derived }) },
    )
    const { payments: client } = table.lapidary
    const amounts = fc.sample(
      fc.oneof(
        decimals,
        decimals.map((text) => addedDecimals(plainDecimal(text).slice(0, 20).replace(/\.$/, ''), '1e-10')),
      ),
      { seed, numRuns: 24 },
    )
    const items = amounts.map(
      (amount, i): Payment => ({
        ...{
          id: `p${i}`,
          account: 'a',
          at: new Date(i * 1000).toISOString(),
          amount: plainDecimal(amount),
          kind: i % 2 === 0 ? 'in' : 'out',
        },
        ...(i % 3 === 0 ? {} : { serial: 2n ** 64n + BigInt((i * 7) % 24) }),
      }),
    )
    for (const item of items) expect(await client.create(item)).toEqual(item)
    const sorted = items.toSorted((a, b) => compared(a.amount, b.amount) || (a.id < b.id ? -1 : 1))

    for (const order of ['lowest', 'highest'] as const) {
      const wanted = order === 'lowest' ? sorted : sorted.toReversed()
      expect(await walked({ scope: 'a', by: 'amount', order, limit: 5 })).toEqual(wanted)
      expect(await walked({ scope: 'a', by: 'amount', order, limit: 3, where: { kind: 'in' } })).toEqual(
        wanted.filter(({ kind }) => kind === 'in'),
      )
    }
    for (const [i, j] of [
      [2, 9],
      [0, 23],
      [5, 5],
    ] as const) {
      const [from, to] = [sorted[i]?.amount ?? '', sorted[j]?.amount ?? '']
      const between = sorted.filter(({ amount }) => compared(amount, from) >= 0 && compared(amount, to) < 0)
      expect(await walked({ scope: 'a', by: 'amount', order: 'lowest', from, to, limit: 4 })).toEqual(between)
    }
    const serials = items
      .filter(({ serial }) => serial !== undefined)
      .toSorted((a, b) => Number((a.serial ?? 0n) - (b.serial ?? 0n)) || (a.id < b.id ? -1 : 1))
    expect(await walked({ scope: 'a', by: 'serial', order: 'lowest', from: 2n ** 64n + 3n })).toEqual(
      serials.filter(({ serial = 0n }) => serial >= 2n ** 64n + 3n),
    )

    if (derived !== undefined) {
      await using _poller = await table.lapidary.stream.start({ idleMs: 20, gatherMs: 20 })
      const query = { scope: 'a', by: 'amount', order: 'lowest', limit: 5 } as const
      const itemsOf = (number: number) =>
        client.page(number, query).then(
          ({ items: found }) => found,
          () => [],
        )
      // The end of an index that follows later is empty for now.
      await expect.poll(() => itemsOf(5), PATIENCE).toEqual(sorted.slice(20))
      await expect.poll(() => itemsOf(2), PATIENCE).toEqual(sorted.slice(5, 10))
    }

    async function walked(query: object): Promise<readonly Payment[]> {
      const all: Payment[] = []
      let cursor: string | undefined
      do {
        const page: Awaited<ReturnType<typeof client.list>> = await client.list({
          ...query,
          ...(cursor === undefined ? {} : { cursor }),
        } as never)
        all.push(...page.items)
        cursor = page.cursors.next ?? undefined
      } while (cursor !== undefined)
      return all
    }
  })

  test('numbers are read, written and added as they are declared', async () => {
    await using table = await openTestTable(engine, { payments })
    const { payments: client } = table.lapidary
    const item: Payment = {
      id: '1',
      account: 'a',
      at: '2026-01-01T00:00:00.000Z',
      amount: '12345678901234567890.12',
      kind: 'in',
      serial: 5n,
      rate: 0.1,
    }
    await client.create(item)
    expect(await client.get('1')).toEqual(item)
    // Written in another way it is the same number, so nothing is written.
    await client.patch('1', { amount: '12345678901234567890.120' })
    expect(await client.patch('1', { amount: increment(0.01), serial: increment(2 ** 40) })).toMatchObject({
      amount: '12345678901234567890.13',
      serial: 5n + 2n ** 40n,
    })
    expect((await client.list({ scope: 'a', by: 'amount', from: '12345678901234567890.13' })).items).toHaveLength(1)
    const refused = { code: 'unprocessable' }
    await expect(client.patch('1', { amount: 'five' })).rejects.toMatchObject(refused)
    await expect(client.patch('1', { amount: `1.${'1'.repeat(38)}` })).rejects.toMatchObject(refused)
    await expect(client.patch('1', { serial: increment(0.5) })).rejects.toMatchObject(refused)
    await expect(client.list({ scope: 'a', by: 'amount', from: 'five' })).rejects.toMatchObject(refused)
    await table.client.send(
      new UpdateItemCommand({
        ...{
          TableName: table.tableName,
          Key: { PK: { S: 'PAYMENT#1' }, SK: { S: '~' } },
          UpdateExpression: 'SET serial = :n',
        },
        ExpressionAttributeValues: { ':n': { N: '5.5' } },
      }),
    )
    await expect(client.get('1')).rejects.toThrow('PAYMENT "1" can\'t be read: its serial is 5.5, which is not whole')
  })
})

test.each([
  [
    { order: { attribute: 'amount', type: 'decimal' } },
    "the order by amount is decimal; say numbers: { amount: 'decimal' }",
  ],
  [
    { order: { attribute: 'amount', type: 'number' }, numbers: { amount: 'decimal' } },
    "say type: 'decimal' of the order by it",
  ],
  [{ order: 'at', numbers: { kind: 'decimal' } }, 'a facet has numbers of JavaScript'],
  [{ order: 'at', numbers: { rate: 'float' } }, 'the numbers of rate are "float"; say one of number, bigint, decimal'],
])('%j is refused', (part, message) => {
  expect(() => defineCollection({ ...base, ...part } as never)).toThrow(message)
})

test('keys of numbers are what they were', () => {
  expect([49.5, 0, -1.5].map(sortableNumber)).toEqual(['c048c00000000000', '8000000000000000', '4007ffffffffffff'])
})

/** Only compiled: what the type of the item says has to fit. */
export function refusedNumbers(schema: StandardSchemaV1<unknown, Payment>): readonly unknown[] {
  const declared = { ...base, schema, order: 'at' } as const
  return [
    // @ts-expect-error a text holds decimals
    defineCollection({ ...declared, numbers: { amount: 'bigint' } }),
    // @ts-expect-error a number holds no decimals
    defineCollection({ ...declared, numbers: { rate: 'decimal' } }),
    // @ts-expect-error a bigint is none of those
    defineCollection({ ...declared, numbers: { serial: 'number' } }),
    // @ts-expect-error an order of numbers is by a number
    defineCollection({ ...base, schema, order: { attribute: 'amount', type: 'number' } }),
  ]
}
