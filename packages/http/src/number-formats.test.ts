import { expect, test } from 'vitest'
import { withNumberFormats } from './number-formats.ts'

test('numbers say that they have 64 bits, and those that fit into 32 say nothing', () => {
  const properties = {
    amount: { type: 'number' },
    maybe: { type: ['number', 'null'] },
    version: { type: 'integer' },
    rating: { type: 'integer', minimum: 1, maximum: 5 },
    ratio: { type: 'number', format: 'float' },
    name: { type: 'string' },
    list: { type: 'array', items: { anyOf: [{ type: 'number' }, { type: 'null' }] } },
  }
  expect(withNumberFormats({ type: 'object', properties })).toEqual({
    type: 'object',
    properties: {
      ...properties,
      amount: { type: 'number', format: 'double' },
      maybe: { type: ['number', 'null'], format: 'double' },
      version: { type: 'integer', format: 'int64' },
      list: { type: 'array', items: { anyOf: [{ type: 'number', format: 'double' }, { type: 'null' }] } },
    },
  })
})

test('values that look like schemas, and attributes that are called as keywords, stay as they are', () => {
  const values = { enum: [{ type: 'number' }], default: { type: 'integer' }, const: null }
  const attributes = { type: 'object', properties: { type: { type: 'string' }, format: { type: 'string' } } }
  expect(withNumberFormats(values)).toEqual(values)
  expect(withNumberFormats(attributes)).toEqual(attributes)
})
