import fc from 'fast-check'
import { expect, test } from 'vitest'
import { escapeComponent, unescapeComponent } from './key-text.ts'
import { derivedPartition, scopeOfPartition, sortKeyOf, textsOfSortKey } from './reserved-keys.ts'

const text = fc.oneof(fc.string(), fc.constantFrom('', '~', '%', '#', 'a#b', '~counts#COMMENT#42'))

test('values and no values at all come back from a sort key, and it is never empty', () => {
  fc.assert(
    fc.property(fc.array(text, { maxLength: 3 }), (values) => {
      const sortKey = sortKeyOf(values.map(escapeComponent))
      expect(sortKey).not.toBe('')
      expect(textsOfSortKey(sortKey).map(unescapeComponent)).toEqual(values)
    }),
  )
})

test('a scope comes back from its partition, and from no other', () => {
  fc.assert(
    fc.property(text, (scope) => {
      fc.pre(scope !== '')
      expect(scopeOfPartition(derivedPartition('counts', 'COMMENT', scope))).toBe(scope)
    }),
  )
  for (const other of [
    'PRODUCT#42',
    '~STREAM#shardId-1',
    '~DEADLETTER',
    '~counts#COMMENT#',
    '~counts#a#b',
    'COMMENT~1',
  ]) {
    expect(scopeOfPartition(other)).toBeUndefined()
  }
})
