import { anyOf, defineCollection, eachOf, oneOf } from 'lapidary'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { queryInput } from './query-options.ts'

const orders = defineCollection({
  name: 'ORDER',
  schema: z.object({
    ...{ id: z.string(), customer: z.string(), placedAt: z.string(), amount: z.number(), weight: z.number() },
    ...{ tags: z.array(z.string()), note: z.string(), size: z.union([z.number(), z.string()]) },
  }),
  id: 'id',
  scope: { name: 'CUSTOMER', attribute: 'customer' },
  order: 'placedAt',
  orders: { amount: { attribute: 'amount', type: 'number' } },
  facets: { tags: eachOf(), weight: oneOf('number'), note: oneOf(), size: anyOf([1, 2, '1..2', 'a..']) },
})

test('a range is read as what the order by that name holds', () => {
  const input = (flags: object) => queryInput(orders, { scope: ['c1'], where: [], ...flags } as never)
  expect(input({ by: 'amount', from: '20', to: '-1e3' })).toMatchObject({ by: 'amount', from: 20, to: -1000 })
  expect(input({ by: 'placedAt', from: '2026-01' })).toMatchObject({ from: '2026-01-01T00:00:00.000Z' })
  expect(() => input({ by: 'amount', from: '2026-01-01' })).toThrow('--from must be a number')
  expect(() => input({ from: '20' })).toThrow('--from must be a time')
  expect(() => input({ by: 'size' })).toThrow('the orders are placedAt, amount')
})

test('a filter of a facet of numbers may be a range, and one of texts that reads like one is a value', () => {
  const where = (...terms: string[]) => queryInput(orders, { scope: ['c1'], where: terms } as never).where
  expect(where('weight=20..80')).toEqual({ weight: { from: 20, to: 80 } })
  expect(where('weight=..-1.5', 'note=20..80')).toEqual({ weight: { to: -1.5 }, note: ['20..80'] })
  expect(where('weight=1e3..')).toEqual({ weight: { from: 1000 } })
  for (const wrong of ['a..b', '..', '20...80', '0x10..', '1e999..'])
    expect(() => where(`weight=${wrong}`)).toThrow(`a range of numbers, as 20..80, 20.. or ..80, not "${wrong}"`)
  expect(() => where('weight=1..2', 'weight=3')).toThrow('weight is asked for more than once, with a range')
})

test('of a facet with numbers and texts a declared text is a value, and so is what stands in quotes', () => {
  const where = (...terms: string[]) => queryInput(orders, { scope: ['c1'], where: terms } as never).where?.size
  expect([where('size=1..2'), where('size=a..'), where('size="1..2"')]).toEqual([['1..2'], ['a..'], ['1..2']])
  expect(where('size="1..2",2', 'size=1..2')).toEqual(['1..2', '2'])
  expect([where('size=1..'), where('size=1..2.0')]).toEqual([{ from: 1 }, { from: 1, to: 2 }])
  expect(() => queryInput(orders, { scope: ['c1'], where: ['weight="1..2"'] } as never)).toThrow('not "1..2"')
})

test('any filter may be JSON, and holds beside the others', () => {
  const where = (...terms: string[]) => queryInput(orders, { scope: ['c1'], where: terms } as never).where
  expect(where('{"NOT": {"note": "a"}}')).toEqual({ AND: [{ NOT: { note: 'a' } }] })
  expect(where('weight=1..2', '{"OR": [{"tags": {"hasEvery": ["a", "b"]}}, {"note": {"startsWith": "x"}}]}')).toEqual({
    weight: { from: 1, to: 2 },
    AND: [{ OR: [{ tags: { hasEvery: ['a', 'b'] } }, { note: { startsWith: 'x' } }] }],
  })
  expect(() => where('{"NOT": {"colour": "red"}}')).toThrow('AND[0].NOT.colour: is not a facet')
  expect(() => where('{NOT: 1}')).toThrow('--where "{NOT: 1}" is not JSON')
})

test.each([
  ['tags=red,white', ['red', 'white']],
  ['tags="red, white",blue', ['red, white', 'blue']],
  ['tags=blue,"say ""no"""', ['blue', 'say "no"']],
  ['tags=5" wide,"open', ['5" wide', '"open']],
])('values are between commas, one with a comma in quotes: %s', (term, values) => {
  expect(queryInput(orders, { scope: ['c1'], where: [term] } as never).where).toEqual({ tags: values })
})

test('one value keeps its commas, and quotes may hold it as well', () => {
  const note = (term: string) => queryInput(orders, { scope: ['c1'], where: [term] } as never).where?.note
  expect([note('note=a, b'), note('note="a, b"'), note('note=""')]).toEqual([['a, b'], ['a, b'], ['']])
})
