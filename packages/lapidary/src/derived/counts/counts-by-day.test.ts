import type { StandardSchemaV1 } from '@standard-schema/spec'
import { anyOf, defineCollection, oneOf } from 'lapidary'
import { expect, test } from 'vitest'
import type { Collection } from '../../model/collection.ts'
import type { Entry } from '../../model/entry.ts'
import { shardOf } from '../../model/spread.ts'
import { countedByDay, countsByDayProjection, countsByDayShapes, daysPartition } from './counts-by-day.ts'

interface Order {
  readonly id: string
  readonly customer: string
  readonly channel: string
  readonly status: string
  readonly at: string
  readonly paidAt?: string | null
  readonly amount: string
}

const schema: StandardSchemaV1<unknown, Order> = {
  '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value: value as Order }) },
}

const orders = defineCollection({
  ...{ name: 'ORDER', schema, id: 'id', scope: { name: 'CUSTOMER', attribute: 'customer' }, order: 'at' },
  facets: { channel: oneOf(), status: anyOf(['OPEN', 'PAID']) },
  indexes: { all: {} },
  numbers: { amount: 'decimal' },
  sums: ['amount'],
  statistics: { across: 4, days: { of: 'paidAt', zone: 'Europe/Berlin' } },
}) as unknown as Collection

const [ofScopes, ofAll] = countsByDayShapes(orders)
if (ofScopes === undefined || ofAll === undefined) throw new Error('days of scopes and of all scopes are declared')
const byDay = countsByDayProjection(ofScopes, [orders])
const across = countsByDayProjection(ofAll, [orders])

const image = (paidAt: Entry[string] | undefined): Entry => ({
  ...{ PK: { S: 'ORDER#1' }, SK: { S: '~' }, id: { S: '1' }, customer: { S: 'c#1' }, channel: { S: 'web' } },
  ...{ status: { S: 'PAID' }, at: { S: '2026-01-01T00:00:00.000Z' }, amount: { N: '0.1' } },
  ...(paidAt === undefined ? {} : { paidAt }),
})

test('an item counts on the day of its time in the zone, by its closed facets, with its amount', () => {
  // Half past midnight in Berlin.
  const [only, ...others] = byDay.contributions(image({ S: '2026-03-31T22:30:00.000Z' }))
  expect(others).toEqual([])
  expect(only?.target).toEqual({ PK: daysPartition(ofScopes, 'c#1'), SK: '2026-04-01' })
  expect(only?.amounts).toEqual({
    ...{ count_PAID: 1, count_total: 1, 'sum_PAID.amount': '0.1', 'sum_total.amount': '0.1' },
    ...{ 'summed_PAID.amount': 1, 'summed_total.amount': 1 },
  })
  expect(byDay.partitionOf?.('c#1')).toBe(only?.target.PK)
  expect(byDay.owns(only?.target ?? expect.fail())).toBe(true)
  expect(across.owns(only?.target ?? expect.fail())).toBe(false)
})

test('of all scopes it counts in the shard of its scope', () => {
  const [only] = across.contributions(image({ S: '2026-03-31T21:30:00.000Z' }))
  const shard = String(shardOf('c#1', 4))
  expect(only?.target).toEqual({ PK: daysPartition(ofAll, shard), SK: '2026-03-31' })
  expect(across.partitionOf).toBeUndefined()
})

test('an item without the time is on no day, and one with another value can not be counted', () => {
  expect(byDay.contributions(image(undefined))).toEqual([])
  expect(byDay.contributions(image({ NULL: true }))).toEqual([])
  for (const value of [{ S: 'yesterday' }, { N: '1767225600000' }]) {
    expect(() => byDay.contributions(image(value))).toThrow(
      /^paidAt is .*(yesterday|1767225600000).*, no ISO 8601 time in UTC with milliseconds, so the item can't be counted by day$/,
    )
  }
})

test('days are asked by the facets that are counted in them', () => {
  expect(Object.keys(countedByDay(orders).facets)).toEqual(['status'])
  expect(countedByDay(orders)).toMatchObject({ name: 'ORDER', sums: orders.sums })
})
