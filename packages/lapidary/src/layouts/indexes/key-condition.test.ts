import fc from 'fast-check'
import { awkwardText } from 'lapidary/testing'
import { expect, test } from 'vitest'
import { escapeComponent } from '../../model/key-text.ts'
import type { Bounds, List } from '../layout.ts'
import type { FacetIndex } from './index-keys.ts'
import { keyCondition } from './key-condition.ts'

const index = { partitionKey: 'k', sortKey: 's' } as FacetIndex
const list = (prefix: string): List => ({ index: 'all', label: '42', partition: 'PRODUCT#42', prefix, holds: {} })
const condition = (prefix: string, lower?: Bounds['lower'], upper?: Bounds['upper']) =>
  keyCondition(index, list(prefix), { lower, upper })
const at = (position: string, inclusive: boolean) => ({ position, inclusive })

test('a whole partition needs no condition on the sort key', () => {
  expect(condition('')).toEqual({
    expression: '#k = :k',
    names: { '#k': 'k' },
    values: { ':k': 'PRODUCT#42' },
    inclusive: false,
  })
})

test('one bound is exact', () => {
  expect(condition('', at('b', true)).expression).toBe('#k = :k AND #s >= :l')
  expect(condition('', at('b', false)).expression).toBe('#k = :k AND #s > :l')
  expect(condition('', undefined, at('b', true)).expression).toBe('#k = :k AND #s <= :u')
  expect(condition('', undefined, at('b', false)).expression).toBe('#k = :k AND #s < :u')
})

test('two bounds take in both ends, and say so', () => {
  expect(condition('', at('a', false), at('b', false))).toMatchObject({
    expression: '#k = :k AND #s BETWEEN :l AND :u',
    values: { ':l': 'a', ':u': 'b' },
    inclusive: true,
  })
})

test('a sort prefix is read from its first to its last item', () => {
  expect(condition('A#')).toMatchObject({ values: { ':l': 'A#', ':u': 'A$' }, inclusive: true })
})

test('no item of a prefix reaches into the range of another', () => {
  fc.assert(
    fc.property(awkwardText(), awkwardText(), awkwardText(), (value, other, id) => {
      const { values } = condition(`${escapeComponent(value)}#`)
      const key = Buffer.from(`${escapeComponent(other)}#2020-01-01T00:00:00.000Z#${escapeComponent(id)}`)
      const within =
        Buffer.compare(key, Buffer.from(values[':l'] ?? '')) >= 0 &&
        Buffer.compare(key, Buffer.from(values[':u'] ?? '')) <= 0
      expect(within).toBe(value === other)
    }),
    { numRuns: 500 },
  )
})
