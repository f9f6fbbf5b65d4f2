import { expect, test } from 'vitest'
import { schemaOf } from '../../test/comments-fixture.ts'
import { defineCollection, type Item } from '../model/collection.ts'
import type { Condition } from '../model/condition.ts'
import { createEntryCodec } from '../model/entry.ts'
import { anyOf, eachOf, hierarchy, oneOf } from '../model/facet.ts'
import { type Filter, parseQuery, type QueryInput } from '../model/query.ts'
import { type FilterExpression, filterExpression } from './filter-expression.ts'

const things = defineCollection({
  ...{ name: 'THING', schema: schemaOf<Item>(), id: 'id', order: 'at', scope: { name: 'PARENT', attribute: 'parent' } },
  facets: { size: anyOf([1, 2, 3]), 'état civil': oneOf(), public: oneOf([true, false]) },
  attributes: { id: 'i', parent: 'p', at: 'c', size: 'z', 'état civil': 'e', public: 'v' },
})
const codec = createEntryCodec(things)

test('a filter allows the values of each facet, by stored names and by DynamoDB’s types', () => {
  const selection = { size: [1, 2.5], 'état civil': ['marié', '5'], public: [true] }
  expect(filterExpression(selection, undefined, codec)).toEqual({
    expression: '#f0 IN (:f0v0, :f0v1) AND #f1 IN (:f1v0, :f1v1) AND #f2 IN (:f2v0)',
    names: { '#f0': 'z', '#f1': 'e', '#f2': 'v' },
    values: {
      ...{ ':f0v0': { N: '1' }, ':f0v1': { N: '2.5' } },
      ...{ ':f1v0': { S: 'marié' }, ':f1v1': { S: '5' }, ':f2v0': { BOOL: true } },
    },
  })
})

test('no value is an attribute that is null or absent', () => {
  expect(filterExpression({ size: [1, null] }, undefined, codec)).toEqual({
    expression: '(attribute_not_exists(#f0) OR #f0 IN (:f0v0, :f0v1))',
    names: { '#f0': 'z' },
    values: { ':f0v0': { N: '1' }, ':f0v1': { NULL: true } },
  })
})

test('where nothing is left to filter there is no expression, which DynamoDB refuses empty', () => {
  expect(filterExpression({}, undefined, codec)).toBeUndefined()
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
const ofTagged = (residual: Filter, also?: Condition): FilterExpression | undefined => {
  const expression = filterExpression(residual, also, createEntryCodec(tagged))
  return expression === 'refused' ? undefined : expression
}

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

const asked = (where: NonNullable<QueryInput['where']>) => parseQuery(tagged, { scope: '1', where })
const askedOfTagged = (where: NonNullable<QueryInput['where']>) => {
  const query = asked(where)
  return ofTagged(query.where, query.also)
}

test('a condition stands beside the filter, in brackets where it needs them', () => {
  const where = {
    ...{ size: 1, NOT: { price: 'x' } },
    OR: [{ price: { startsWith: 'ab' } }, { tags: { hasEvery: ['a', 'b'] } }, { NOT: { folder: 'a' } }],
  }
  expect(askedOfTagged(where)).toEqual({
    expression:
      '#f0 IN (:f0v0) AND ((contains(#f1, :f1v0) AND contains(#f1, :f2v0)) OR (#f2 >= :f3from AND #f2 < :f3to) OR NOT (#f3 = :f4v0 OR begins_with(#f3, :f4v0b))) AND NOT (#f2 IN (:f5v0))',
    names: { '#f0': 'size', '#f1': 'tags', '#f2': 'price', '#f3': 'folder' },
    values: {
      ...{
        ':f0v0': { N: '1' },
        ':f1v0': { S: 'a' },
        ':f2v0': { S: 'b' },
        ':f3from': { S: 'ab' },
        ':f3to': { S: 'ac' },
      },
      ...{ ':f4v0': { S: 'a' }, ':f4v0b': { S: 'a/' }, ':f5v0': { S: 'x' } },
    },
  })
})

test('one IN has at most 100 values, and an expression 300 operators and 4 KB', () => {
  const values = (count: number): string[] => Array.from({ length: count }, (_, i) => `v${String(i).padStart(3, '0')}`)
  const halves = { OR: [{ price: values(150).slice(0, 75) }, { price: values(150).slice(75) }] }
  expect(askedOfTagged(halves)?.expression).toMatch(/^#f0 IN \([^)]*:f0v99\) OR #f0 IN \(:f0v100, /)
  const large = (where: NonNullable<QueryInput['where']>) =>
    filterExpression(asked(where).where, asked(where).also, createEntryCodec(tagged))
  const paths = (count: number) => ({ folder: values(count) })
  expect(large(paths(75))).toMatchObject({ names: { '#f0': 'folder' } })
  expect(large(paths(76))).toBe('refused')
  const sets = { NOT: [{ price: values(100) }, { tags: values(100) }] }
  expect(large(sets)).toMatchObject({ names: { '#f0': 'price' } })
  const long = { NOT: [{ price: values(100) }, { tags: values(100), folder: values(50) }] }
  expect(large(long)).toBe('refused')
})
