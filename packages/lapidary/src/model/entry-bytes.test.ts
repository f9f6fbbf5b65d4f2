import fc from 'fast-check'
import { expect, test } from 'vitest'
import { entryBytes } from './entry-bytes.ts'

const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary', maxLength: 80 }),
  fc.constantFrom('é', '日本', '😀', 'x'.repeat(48), `${'x'.repeat(48)}é`),
)

test('texts and names count in UTF-8, numbers by their digits', () => {
  fc.assert(
    fc.property(text, text, (name, value) => {
      const bytes = Buffer.byteLength(name) + Buffer.byteLength(value)
      expect(entryBytes({ [name]: { S: value } })).toBe(bytes)
      expect(entryBytes({ [name]: { SS: [value] } })).toBe(bytes)
    }),
  )
  const numbers: readonly (readonly [string, number])[] = [
    ['0', 2],
    ['-12', 2],
    ['123', 3],
    ['-1.25', 3],
    ['1234567', 5],
  ]
  for (const [digits, bytes] of numbers) {
    expect(entryBytes({ n: { N: digits } }), digits).toBe(1 + bytes)
    expect(entryBytes({ n: { NS: [digits, digits] } }), digits).toBe(1 + 2 * bytes)
  }
  expect(entryBytes({ n: { L: [{ S: 'é' }, { BOOL: true }] } })).toBe(1 + 3 + 1 + 2 + 1 + 1)
  expect(entryBytes({ n: { M: { é: { NULL: true } } } })).toBe(1 + 3 + 1 + 2 + 1)
})
