import { expect, test } from 'vitest'
import { isBeyondQuery, type Refusal, refusalText } from './refusal.ts'

const OF_THE_QUERY: readonly (readonly [Refusal, string])[] = [
  [{ kind: 'sparse', facet: 'rating', values: [1, 2] }, 'sparse: it holds only rating in (1, 2)'],
  [{ kind: 'scope', lists: 'one' }, 'has lists of one scope each, and the query asks for all'],
  [{ kind: 'scope', lists: 'all' }, 'has lists of all scopes together'],
  [{ kind: 'values', facet: 'language', asked: 'open' }, 'the query leaves language open and its values are not known'],
  [
    { kind: 'values', facet: 'price', asked: 'range' },
    'the query asks for a range of price and its values are not known',
  ],
  [{ kind: 'key', facet: 'size', without: 'null' }, 'size is asked for null, and no key is made from null'],
  [{ kind: 'key', facet: 'size', without: 'empty' }, 'size is asked for the empty text or null, which no key holds'],
  [{ kind: 'assembled', collection: 'ORDER' }, 'assembled: it holds each ORDER by itself'],
  [{ kind: 'other', text: 'is mine' }, 'is mine'],
]

const BEYOND: readonly (readonly [Refusal, string])[] = [
  [{ kind: 'sources', needed: 40, most: 32, scopes: false }, 'would need 40 sources, more than maxSources, 32'],
  [
    { kind: 'sources', needed: 40, most: 32, scopes: true },
    'would need 40 sources, more than maxSources, 32: ask for fewer scopes, or raise it',
  ],
  [{ kind: 'absent' }, 'is absent: the table has no such index, or DynamoDB is still building it'],
  [{ kind: 'filling' }, 'is not used: it is filling; lapidary backfill completes it, once the table has it'],
  [
    { kind: 'redeclared' },
    'is not used: the table has it with another declaration; give this one another name, then lapidary backfill',
  ],
  [{ kind: 'differs', what: 'state of index all', actual: 'CREATING' }, 'is not used: state of index all is CREATING'],
]

test.each([...OF_THE_QUERY, ...BEYOND])('%o in English', (refusal, text) => {
  expect(refusalText(refusal)).toBe(text)
})

test('the cap on lists and the state of an index are beyond the query', () => {
  expect(OF_THE_QUERY.filter(([refusal]) => isBeyondQuery(refusal))).toEqual([])
  expect(BEYOND.filter(([refusal]) => !isBeyondQuery(refusal))).toEqual([])
})
