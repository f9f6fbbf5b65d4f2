import { expect, test } from 'vitest'
import type { AccessPath, List } from '../layouts/layout.ts'
import type { Query } from '../model/query.ts'
import { emptyText, filterText, orderText, planText } from './plan-text.ts'

const query: Query = { scope: '42', where: {}, from: undefined, to: undefined, order: 'newest', limit: 20 }
const estimated = { rcu: 2.74, requests: 2, rounds: 1.4 }
const list = (label: string, index?: string): List => ({ index, label, partition: label, prefix: '', holds: {} })
const path = (lists: readonly List[], residual: AccessPath['residual'] = {}) => ({ lists, residual })

test.each<[string, Pick<AccessPath, 'lists' | 'residual'>, Partial<Query>, string]>([
  ['one list', path([list('42', 'all')]), {}, 'all[42] BY position DESC LIMIT 20 -- 2.5 RCU, 1 round'],
  [
    'a merge',
    path([list('a', 'i'), list('b', 'i')], { rating: [4, 5] }),
    { order: 'oldest', by: 'amount', having: true },
    'i[a, b] FILTER rating IN (4, 5) MERGE HAVING BY amount ASC LIMIT 20 -- 2.5 RCU, 1 round',
  ],
  [
    'a part of the table',
    path([list('42')]),
    { from: { order: '2024-01-01', id: undefined, side: 'before' }, to: { order: 7, id: undefined, side: 'before' } },
    'table[42] BY position DESC FROM 2024-01-01 TO 7 LIMIT 20 -- 2.5 RCU, 1 round',
  ],
])('a plan is one line: %s', (_, way, asked, expected) => {
  expect(planText(way, { ...query, ...asked }, estimated)).toBe(expected)
})

test('capacity is told to the half unit, and rounds as whole ones', () => {
  const price = (rcu: number, rounds: number): string =>
    planText(path([list('a', 'i')]), query, { rcu, requests: 1, rounds }).split(' -- ')[1] ?? ''
  expect([price(0.74, 1), price(0.76, 1.5), price(3, 2.4)]).toEqual([
    '0.5 RCU, 1 round',
    '1 RCU, 2 rounds',
    '3 RCU, 2 rounds',
  ])
})

test('a filter names its values, and ranges by their ends', () => {
  const filter = { rating: [4, 5], price: { from: 20, to: 80 }, size: { from: 1 }, weight: { to: 9 } }
  expect(filterText(filter)).toBe('rating IN (4, 5) AND price FROM 20 TO 80 AND size FROM 1 AND weight TO 9')
})

test('values that would pass for something else are quoted', () => {
  const values = ['plain', '', 'a b', 'a,b', 'a(b', 'a)b', 'a"b', 'a\nb', 'a\u0000b', null, true]
  expect(filterText({ f: values })).toBe(
    'f IN (plain, "", "a b", "a,b", "a(b", "a)b", "a\\"b", "a\\nb", "a\\u0000b", null, true)',
  )
})

test('an empty plan says why, and an order its direction', () => {
  expect((['unmatched', 'indexed'] as const).map(emptyText)).toEqual([
    'EMPTY (no value or no time is left to match)',
    'EMPTY (the page index has no item in any list)',
  ])
  expect([orderText({ order: 'newest' }), orderText({ by: 'amount', order: 'oldest' })]).toEqual([
    'BY position DESC',
    'BY amount ASC',
  ])
})
