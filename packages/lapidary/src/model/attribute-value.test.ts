import { runInNewContext } from 'node:vm'
import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { convertToAttr, convertToNative } from '@aws-sdk/util-dynamodb'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toAttributeValue } from './attribute-value.ts'
import { nearestValue, toNativeValue, UnreadableNumber, unreadableIn } from './native-value.ts'

const set = <T>(element: fc.Arbitrary<T>): fc.Arbitrary<Set<T>> =>
  fc.uniqueArray(element, { minLength: 1, maxLength: 3 }).map((elements) => new Set(elements))
const bytes = fc.uint8Array({ maxLength: 4 })
const safe = fc.oneof(fc.maxSafeInteger(), fc.double({ min: -1e12, max: 1e12, noNaN: true }))
const large = fc.bigInt({ min: -(10n ** 37n), max: 10n ** 37n })

/** Every value that an item may hold, to a depth of three. */
const { value } = fc.letrec<{ value: unknown }>((tie) => {
  const names = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('S', 'toString'))
  return {
    value: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      ...[fc.string({ unit: 'grapheme' }), safe, large, fc.boolean(), fc.constant(null), bytes],
      ...[set(fc.string()), set(safe), set(large), set(bytes)],
      fc.array(fc.option(tie('value'), { nil: undefined }), { maxLength: 3 }),
      fc.dictionary(names, fc.option(tie('value'), { nil: undefined }), { maxKeys: 3 }),
      fc.array(fc.tuple(names, tie('value')), { maxLength: 3 }).map((entries) => new Map(entries)),
    ),
  }
})

test('values become what the SDK makes of them, and come back as it gives them', () => {
  fc.assert(
    fc.property(value, (given) => {
      const stored = convertToAttr(given, { removeUndefinedValues: true })
      expect(toAttributeValue(given)).toStrictEqual(stored)
      expect(toNativeValue(stored)).toStrictEqual(convertToNative(stored))
    }),
  )
})

test('values of another context are values too', () => {
  const given = runInNewContext(
    '({ list: [1], set: new Set(["a"]), map: new Map([["a", 1]]), bytes: new Uint8Array(2) })',
  )
  expect(toAttributeValue(given).M).toMatchObject({
    list: { L: [{ N: '1' }] },
    set: { SS: ['a'] },
    map: { M: { a: { N: '1' } } },
  })
})

test('bytes in any view or buffer are stored whole, and a name of Object.prototype is a name', () => {
  const two = new Uint16Array([0x201, 0x403])
  for (const given of [two, two.buffer, new DataView(two.buffer)])
    expect([...((toAttributeValue(given).B ?? []) as Uint8Array)]).toEqual([...new Uint8Array(two.buffer)])
  expect(toAttributeValue(new Set([two])).BS?.map(({ length }) => length)).toEqual([4])
  const named = { M: Object.fromEntries([['__proto__', { M: { admin: { BOOL: true } } }]]) } as AttributeValue
  expect(toNativeValue(named)).not.toHaveProperty('admin')
  expect(toAttributeValue(toNativeValue(named))).toStrictEqual(named)
})

test.each([
  ['a number beyond what is exact', Number.MAX_SAFE_INTEGER + 1],
  ['no number', Number.NaN],
  ['an infinite number in a set', new Set([1, Number.POSITIVE_INFINITY])],
  ['an empty set', new Set([undefined])],
  ['a set of several kinds', new Set([1, 'a'])],
  ['an instance of a class', [new Date(0)]],
  ['a function in a list', [() => 1]],
  ['a symbol', Symbol('a')],
])('%s is refused', (_, given) => {
  expect(() => toAttributeValue(given)).toThrow(TypeError)
})

test('what has no type of DynamoDB can not be read', () => {
  const stored: AttributeValue = { $unknown: ['X', 1] }
  expect(() => toNativeValue(stored)).toThrow(expect.objectContaining({ code: 'table_mismatch' }))
})

const WHOLE = '12345678901234567890'
test.each([
  [undefined, '3.333333333333333333333333333', 3.3333333333333335],
  [undefined, WHOLE, 12345678901234567890n],
  [undefined, '1E+40', 10n ** 40n],
  [undefined, `${WHOLE}.5`, undefined],
  ['number', '0.1', 0.1],
  ['number', '100000000000000000000', 1e20],
  ['number', '3.333333333333333333333333333', undefined],
  ['number', WHOLE.replace(/0$/, '1'), undefined],
  ['bigint', '5', 5n],
  ['bigint', '-1E+2', -100n],
  ['bigint', '0.5', undefined],
  ['decimal', '5.50', '5.5'],
  ['decimal', '1E-10', '0.0000000001'],
  ['decimal', `${WHOLE}.5`, `${WHOLE}.5`],
] as const)('of numbers declared as %s, %s is read as %s', (kind, N, read) => {
  for (const stored of [{ N }, { L: [{ N }] }, { M: { constructor: { N } } }, { NS: [N, '1'] }]) {
    expect(unreadableIn(stored, kind)).toBe(read === undefined ? N : undefined)
    if (read === undefined) expect(() => toNativeValue(stored, kind)).toThrow(UnreadableNumber)
    else expect(toNativeValue(stored, kind)).toEqual(nearestValue(stored, kind))
    expect(() => nearestValue(stored, kind)).not.toThrow()
  }
  if (read !== undefined) expect(toNativeValue({ N }, kind)).toBe(read)
})

test('texts of a decimal attribute are numbers, and what is none is refused', () => {
  const [price, parts] = [{ amount: '5.50' }, new Set(['1', '1.0', '2'])]
  expect(toAttributeValue([price, parts, 1, 2n], 'decimal')).toEqual({
    L: [{ M: { amount: { N: '5.5' } } }, { NS: ['1', '2'] }, { N: '1' }, { N: '2' }],
  })
  expect(() => toAttributeValue(['EUR'], 'decimal')).toThrow('"EUR" is no decimal number')
  expect(() => toAttributeValue(10n ** 38n + 1n)).toThrow('has more than 38 digits')
})
