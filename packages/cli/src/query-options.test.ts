import { defineCollection } from 'lapidary'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { queryInput } from './query-options.ts'

const orders = defineCollection({
  name: 'ORDER',
  schema: z.object({ id: z.string(), customer: z.string(), placedAt: z.string(), amount: z.number() }),
  id: 'id',
  scope: { name: 'CUSTOMER', attribute: 'customer' },
  order: 'placedAt',
  orders: { amount: { attribute: 'amount', type: 'number' } },
  facets: {},
})

test('a range is read as what the order by that name holds', () => {
  const input = (flags: object) => queryInput(orders, { scope: ['c1'], where: [], ...flags } as never)
  expect(input({ by: 'amount', from: '20', to: '-1e3' })).toMatchObject({ by: 'amount', from: 20, to: -1000 })
  expect(input({ by: 'placedAt', from: '2026-01' })).toMatchObject({ from: '2026-01-01T00:00:00.000Z' })
  expect(() => input({ by: 'amount', from: '2026-01-01' })).toThrow('--from must be a number')
  expect(() => input({ from: '20' })).toThrow('--from must be a time')
  expect(() => input({ by: 'size' })).toThrow('the orders are placedAt, amount')
})
