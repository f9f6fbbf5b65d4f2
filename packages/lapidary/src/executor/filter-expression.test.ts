import { expect, test } from 'vitest'
import { schemaOf } from '../../test/comments-fixture.ts'
import { defineCollection, type Item } from '../model/collection.ts'
import { createEntryCodec } from '../model/entry.ts'
import { anyOf, eachOf, hierarchy, oneOf } from '../model/facet.ts'
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

const tagged = defineCollection({
  ...{
    name: 'TAGGED',
    schema: schemaOf<Item>(),
    id: 'id',
    order: 'at',
    scope: { name: 'PARENT', attribute: 'parent' },
  },
  facets: { tags: eachOf(), folder: hierarchy(), size: anyOf([1, 2, 3]), price: anyOf() },
})
const ofTagged = (residual: Parameters<typeof filterExpression>[0]) =>
  filterExpression(residual, createEntryCodec(tagged))

test('a facet of several values allows items that have any of them, or none', () => {
  expect(ofTagged({ tags: ['red', null] })).toEqual({
    expression: '(contains(#f0, :f0v0) OR attribute_not_exists(#f0) OR #f0 = :f0v1 OR #f0 = :f0none)',
    names: { '#f0': 'tags' },
    values: { ':f0v0': { S: 'red' }, ':f0v1': { NULL: true }, ':f0none': { L: [] } },
  })
})

test('a facet of paths allows a path and what is below it, or none', () => {
  expect(ofTagged({ size: [1], folder: ['a/b', null] })).toEqual({
    expression:
      '#f0 IN (:f0v0) AND (#f1 = :f1v0 OR begins_with(#f1, :f1v0b) OR attribute_not_exists(#f1) OR #f1 = :f1v1)',
    names: { '#f0': 'size', '#f1': 'folder' },
    values: { ':f0v0': { N: '1' }, ':f1v0': { S: 'a/b' }, ':f1v0b': { S: 'a/b/' }, ':f1v1': { NULL: true } },
  })
})

test('a range has the ends that it was given, the lower within and the upper beyond', () => {
  expect(ofTagged({ price: { from: 20, to: 80.5 }, size: [1] })).toEqual({
    expression: '#f0 >= :f0from AND #f0 < :f0to AND #f1 IN (:f1v0)',
    names: { '#f0': 'price', '#f1': 'size' },
    values: { ':f0from': { N: '20' }, ':f0to': { N: '80.5' }, ':f1v0': { N: '1' } },
  })
  expect(ofTagged({ price: { from: 20 } })?.expression).toBe('#f0 >= :f0from')
  expect(ofTagged({ price: { to: 20 } })?.expression).toBe('#f0 < :f0to')
})
