import { expect, test } from 'vitest'
import { jsonOf } from './json-of.ts'
import { cell } from './text-table.ts'

const item = { a: 9007199254740993n, b: [new Set([1n, 2]), { c: new Set(['x']) }], d: new Uint8Array([1, 2]) }

test('an item keeps its digits, sets and bytes', () => {
  expect(jsonOf(item)).toBe('{"a":"9007199254740993","b":[["1",2],{"c":["x"]}],"d":"AQI="}')
  expect(jsonOf({ a: 1n }, 2)).toBe('{\n  "a": "1"\n}')
  expect(cell(item.b, 100)).toBe('[["1",2],{"c":["x"]}]')
  expect(cell(item.a, 100)).toBe('9007199254740993')
})
