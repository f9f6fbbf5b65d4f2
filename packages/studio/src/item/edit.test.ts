import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { changesOf, typedItem } from './edit.ts'
import { jsonText } from './json-text.ts'

/** Values as an item may hold them, those that JSON lacks too. */
const value: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    fc.string(),
    fc.integer(),
    fc.bigInt({ min: 2n ** 60n, max: 2n ** 100n }),
    fc.boolean(),
    fc.constant(null),
    fc.uint8Array({ maxLength: 8 }),
    fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 3 }).map((texts) => new Set(texts)),
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(fc.string(), tie('any'), { maxKeys: 3 }),
  ),
})).any
const item = fc.dictionary(fc.string(), value, { maxKeys: 6 })

describe('the changes of an item that was typed', () => {
  it('are none where the text is the item’s own', () => {
    fc.assert(
      fc.property(item, (before) => {
        expect(changesOf(before, typedItem(jsonText(before, 2)))).toEqual({})
      }),
    )
  })

  it('are exactly the attributes that differ', () => {
    fc.assert(
      fc.property(item, fc.string(), fc.string(), (before, name, text) => {
        const typed = typedItem(jsonText({ ...before, [name]: `${text} typed` }))
        expect(Object.keys(changesOf(before, typed))).toEqual([name])
        const { [name]: _, ...rest } = before
        const without = changesOf(before, typedItem(jsonText(rest)))
        expect(without).toEqual(Object.hasOwn(before, name) ? { [name]: undefined } : {})
      }),
    )
  })

  it('keep the kind of what they replace', () => {
    const before = {
      set: new Set(['a']),
      bytes: new Uint8Array([1]),
      long: 2n ** 64n,
      inner: { set: new Set([2n ** 64n]) },
    }
    const typed = typedItem(
      '{"set":["b"],"bytes":"AgM=","long":"18446744073709551617","inner":{"set":["18446744073709551618"]}}',
    )
    expect(changesOf(before, typed)).toEqual({
      ...{ set: new Set(['b']), bytes: new Uint8Array([2, 3]), long: 2n ** 64n + 1n },
      inner: { set: new Set([2n ** 64n + 2n]) },
    })
  })
})

describe('a typed item', () => {
  it.each(['1e400', '0.1234567890123456', '9007199254740993', '-12345678901234567890'])(
    'with the number %s is refused: it would lose digits',
    (number) => {
      expect(() => typedItem(`{"a": {"b": [${number}]}}`)).toThrow(number)
      expect(typedItem(`{"a": "${number}"}`)).toEqual({ a: number })
    },
  )

  it.each(['0', '-0.5', '1e3', '123456789012345', '9007199254740991', '1.50000000000000000', '1000000000000000000000'])(
    'with the number %s is taken',
    (number) => {
      expect(typedItem(`{"a": ${number}}`)).toEqual({ a: Number(number) })
    },
  )
})
