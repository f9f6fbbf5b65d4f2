import fc from 'fast-check'
import { expect, test } from 'vitest'
import { collectionCase } from './collections.ts'
import { queryOf } from './items.ts'

test('queries are drawn of every kind: with each bound and without, in both orders, for no, one and many values', () => {
  const queries = fc.sample(collectionCase().chain(queryOf), { numRuns: 300, seed: 1 })
  const drawn = new Map<string, number>()
  const count = (kind: string): void => void drawn.set(kind, (drawn.get(kind) ?? 0) + 1)
  for (const { from, to, order, where = {} } of queries) {
    count(`${from === undefined ? '' : 'from '}${to === undefined ? '' : 'to '}${order}`)
    for (const values of Object.values(where)) {
      const size = Array.isArray(values) ? values.length : 1
      count(size === 0 ? 'none' : size === 1 ? 'one' : 'many')
    }
  }
  const kinds = ['newest', 'oldest'].flatMap((order) =>
    ['', 'from ', 'to ', 'from to '].map((bounds) => bounds + order),
  )
  for (const kind of [...kinds, 'none', 'one', 'many']) expect(drawn.get(kind) ?? 0, kind).toBeGreaterThan(10)
})
