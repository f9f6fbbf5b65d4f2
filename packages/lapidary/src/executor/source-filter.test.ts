import { expect, test } from 'vitest'
import { schemaOf } from '../../test/comments-fixture.ts'
import { defineCollection, type Item } from '../model/collection.ts'
import { createEntryCodec } from '../model/entry.ts'
import { anyOf, eachOf, hierarchy } from '../model/facet.ts'
import { parseQuery, type QueryInput } from '../model/query.ts'
import { sourceFilter } from './source-filter.ts'

const things = defineCollection({
  ...{ name: 'THING', schema: schemaOf<Item>(), id: 'id', order: 'at', scope: { name: 'PARENT', attribute: 'parent' } },
  facets: {
    city: anyOf({ path: 'address.city', optional: true }),
    tags: eachOf({ path: 'address.more.tags' }),
    branch: hierarchy({ path: 'shop' }),
    size: anyOf('number', { of: ({ lines }: { readonly lines: readonly unknown[] }) => lines.length }),
  },
  attributes: { id: 'i', parent: 'p', at: 'c', address: 'a', shop: 'h.p', lines: 'l' },
})
const codec = createEntryCodec(things)
const filterOf = (where: QueryInput['where'], keyNames?: readonly string[]) => {
  const { where: residual, also } = parseQuery(things, { scope: '1', where: where ?? {} })
  return sourceFilter({ residual, also }, codec, keyNames)
}
const stored = (item: Item) => codec.toEntry(item)

test('DynamoDB judges by a path, name by name under stored names, and nothing is left for this process', () => {
  const where = { city: ['Rome', null], tags: 'x', branch: 'a/b' }
  const { expression, local } = filterOf(where)
  expect(local).toBeUndefined()
  expect(expression).toMatchObject({
    expression:
      '(#f0 = :f0v0 OR begins_with(#f0, :f0v0b)) AND (attribute_not_exists(#f1.#f1p1) OR #f1.#f1p1 IN (:f1v0, :f1v1)) AND contains(#f2.#f2p1.#f2p2, :f2v0)',
    names: { '#f0': 'h.p', '#f1': 'a', '#f1p1': 'city', '#f2': 'a', '#f2p1': 'more', '#f2p2': 'tags' },
  })
})

test('this process judges what a function makes, beside what DynamoDB judges', () => {
  const { expression, local } = filterOf({ city: 'Rome', size: { from: 2 }, NOT: { tags: 'x' } })
  expect(expression?.expression).toBe('#f0.#f0p1 IN (:f0v0) AND NOT (contains(#f1.#f1p1.#f1p2, :f1v0))')
  // What it needs of an entry can't be told, so all is read.
  expect(local?.names).toBeUndefined()
  expect(local?.passes(stored({ lines: [1, 2] }))).toBe(true)
  expect(local?.passes(stored({ lines: [1] }))).toBe(false)
  // The function throws: the item has no value.
  expect(local?.passes(stored({}))).toBe(false)
})

test('a condition that joins a function and a path by OR is judged here as a whole', () => {
  const { expression, local } = filterOf({ OR: [{ city: 'Rome' }, { size: 2 }] })
  expect(expression).toBeUndefined()
  expect(local?.passes(stored({ address: { city: 'Rome' } }))).toBe(true)
  expect(local?.passes(stored({ address: { city: 'Oslo' }, lines: [1, 2] }))).toBe(true)
  expect(local?.passes(stored({ address: { city: 'Oslo' }, lines: [] }))).toBe(false)
})

test('what is not in a map of its own is absent: lists, texts and what every object inherits', () => {
  const { local } = filterOf({ city: null }, ['a'])
  expect(local?.names).toEqual(['a'])
  for (const address of [undefined, null, 'text', ['city'], {}, { city: null }, new Set(['city'])])
    expect(local?.passes(stored(address === undefined ? {} : { address })), String(address)).toBe(true)
  expect(local?.passes(stored({ address: { city: 'Rome' } }))).toBe(false)
  expect(local?.passes(stored({ address: new Map([['city', 'Rome']]) }))).toBe(false)
})
