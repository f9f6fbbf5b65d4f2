import { expect, test } from 'vitest'
import { schemaOf } from '../../test/comments-fixture.ts'
import { defineCollection, type Item } from '../model/collection.ts'
import { createEntryCodec } from '../model/entry.ts'
import { anyOf, oneOf } from '../model/facet.ts'
import { filterExpression } from './filter-expression.ts'

const things = defineCollection({
  ...{ name: 'THING', schema: schemaOf<Item>(), id: 'id', order: 'at', scope: { name: 'PARENT', attribute: 'parent' } },
  facets: { size: anyOf([1, 2, 3]), 'état civil': oneOf(), public: oneOf([true, false]) },
  attributes: { id: 'i', parent: 'p', at: 'c', size: 'z', 'état civil': 'e', public: 'v' },
})
const codec = createEntryCodec(things)

test('a filter allows the values of each facet, by stored names and by DynamoDB’s types', () => {
  const selection = { size: [1, 2.5], 'état civil': ['marié', '5'], public: [true] }
  expect(filterExpression(selection, codec)).toEqual({
    expression: '#f0 IN (:f0v0, :f0v1) AND #f1 IN (:f1v0, :f1v1) AND #f2 IN (:f2v0)',
    names: { '#f0': 'z', '#f1': 'e', '#f2': 'v' },
    values: {
      ...{ ':f0v0': { N: '1' }, ':f0v1': { N: '2.5' } },
      ...{ ':f1v0': { S: 'marié' }, ':f1v1': { S: '5' }, ':f2v0': { BOOL: true } },
    },
  })
})

test('no value is an attribute that is null or absent', () => {
  expect(filterExpression({ size: [1, null] }, codec)).toEqual({
    expression: '(attribute_not_exists(#f0) OR #f0 IN (:f0v0, :f0v1))',
    names: { '#f0': 'z' },
    values: { ':f0v0': { N: '1' }, ':f0v1': { NULL: true } },
  })
})

test('where nothing is left to filter there is no expression, which DynamoDB refuses empty', () => {
  expect(filterExpression({}, codec)).toBeUndefined()
})
