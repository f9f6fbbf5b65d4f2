import fc from 'fast-check'
import { expect, test } from 'vitest'
import { jsonShape } from './json-text.ts'

test('counts arrays and objects inside each other, but not those in strings', () => {
  expect(jsonShape('1').depth).toBe(0)
  expect(jsonShape('{"a":[{"b":"[[[[{{"}]}').depth).toBe(3)
  expect(jsonShape('["\\"[[[", "\\\\"]').depth).toBe(1)
  expect(jsonShape('['.repeat(100_000)).depth).toBe(100_000)
})

test('names what the outermost object has twice', () => {
  expect(jsonShape('{"a":1,"b":{"a":2,"a":3},"\\u0061" :4,"c":"a"}').repeated).toEqual(['a'])
  expect(jsonShape('["a","a"]').repeated).toEqual([])
  expect(jsonShape('{"a":"b","c":"b"').repeated).toEqual([])
})

test('any object that was written by JSON.stringify has every name once', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      expect(jsonShape(JSON.stringify(value)).repeated).toEqual([])
    }),
  )
})
