import fc from 'fast-check'
import { awkwardText } from 'lapidary-testing'
import { describe, expect, test } from 'vitest'
import type { Entry } from '../model/entry.ts'
import { AS_OF, fold, heldDigest, heldText, heldTexts } from './derived-item.ts'
import { REVISION } from './guarded-write.ts'
import type { SumProjection } from './sum-projection.ts'

const { value } = fc.letrec<{ value: Entry[string] }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2 },
    fc.oneof(awkwardText(6), fc.constantFrom('5', 'NaN', '')).map((S) => ({ S })),
    fc.integer({ min: -9, max: 9 }).map((N) => ({ N: String(N) })),
    fc.boolean().map((BOOL) => ({ BOOL })),
    fc.uniqueArray(fc.constantFrom('a', 'b', '5'), { minLength: 1 }).map((SS) => ({ SS })),
    fc.uniqueArray(fc.constantFrom('1', '2', '5'), { minLength: 1 }).map((NS) => ({ NS })),
    fc.uint8Array({ maxLength: 2 }).map((B) => ({ B })),
    fc.array(tie('value'), { maxLength: 3 }).map((L) => ({ L })),
    fc.dictionary(fc.constantFrom('SS', 'a', 'b', 'NS'), tie('value'), { maxKeys: 3 }).map((M) => ({ M })),
  ) as fc.Arbitrary<Entry[string]>,
}))
const entry = fc.dictionary(fc.constantFrom('count_5', 'count', 'a', '__proto__'), value, { noNullPrototype: true })

/** The same with names and sets the other way round. */
function turned(part: unknown, name?: string): unknown {
  if (Array.isArray(part)) {
    const parts = part.map((each) => turned(each))
    return name === 'SS' || name === 'NS' ? parts.reverse() : parts
  }
  if (typeof part !== 'object' || part === null || part instanceof Uint8Array) return part
  return Object.fromEntries(
    Object.entries(part)
      .map(([name, each]) => [name, turned(each, name)])
      .reverse(),
  )
}

describe('what a derived item holds', () => {
  test('is the same in whatever order names and sets come, and whatever is beside it', () => {
    fc.assert(
      fc.property(entry, (held) => {
        const beside = { PK: { S: 'x' }, SK: { S: 'y' }, [AS_OF]: { S: 'z' }, [REVISION]: { S: 'r' } }
        const other = { ...beside, ...(turned(held) as Entry) }
        expect(heldText(other)).toBe(heldText(held))
        expect(heldDigest(other)).toBe(heldDigest(held))
        expect([...heldTexts(other).keys()]).toEqual(Object.keys(held).sort())
      }),
    )
  })

  test('is told apart from everything else', () => {
    fc.assert(
      fc.property(entry, entry, (a, b) => {
        const isSame = JSON.stringify(turned(turned(sorted(a)))) === JSON.stringify(turned(turned(sorted(b))))
        expect(heldText(a) === heldText(b)).toBe(isSame)
        expect(heldDigest(a) === heldDigest(b)).toBe(isSame)
      }),
      {
        examples: [
          [{ a: { S: '5' } }, { a: { N: '5' } }],
          [{ a: { L: [{ S: 'a' }, { S: 'b' }] } }, { a: { L: [{ S: 'b' }, { S: 'a' }] } }],
        ],
      },
    )
  })

  test('is nothing where there is none, which no item holds', () => {
    expect([heldText(undefined), heldDigest(undefined)]).toEqual(['', undefined])
    expect(heldText({})).not.toBe('')
  })

  test('has a digest of 96 bits', () => {
    expect(heldDigest({ count: { N: '1' } })).toMatch(/^[\w-]{16}$/)
  })
})

/** With names and sets in one order, by an order of its own. */
function sorted(part: unknown, name?: string): unknown {
  if (Array.isArray(part)) return name === 'SS' || name === 'NS' ? [...part].sort() : part.map((each) => sorted(each))
  if (typeof part !== 'object' || part === null) return part
  if (part instanceof Uint8Array) return [...part]
  const names = Object.keys(part).sort()
  return names.map((each) => [each, sorted((part as Record<string, unknown>)[each], each)])
}

describe('the time of a derived item', () => {
  const projection = (dated: boolean): SumProjection => ({
    ...{ name: 'sums', collection: 'NOTE', dated, isItem: () => true, contributions: () => [], owns: () => true },
    entryOf: (_, { n = 0 }) => (n === 0 ? undefined : { n: { N: String(n) } }),
    amountsOf: ({ n }) => ({ n: Number(n?.N ?? 0) }),
  })
  const target = { PK: 'sums', SK: '~' }
  const time = '2024-01-01T00:00:00.000Z'
  const at = Date.parse(time)

  test('is that of the last change that is in it', () => {
    const first = fold(projection(true), target, undefined, { n: 1 }, at)
    expect(first).toEqual({ n: { N: '1' }, [AS_OF]: { S: time } })
    expect(fold(projection(true), target, first, { n: 1 }, at - 1)).toEqual({ n: { N: '2' }, [AS_OF]: { S: time } })
    expect(fold(projection(true), target, first, { n: 1 }, at + 1)?.[AS_OF]?.S).toBe('2024-01-01T00:00:00.001Z')
    expect(fold(projection(true), target, { ...first, [AS_OF]: { S: 'by hand' } }, { n: 1 }, at)?.[AS_OF]?.S).toBe(time)
  })

  test('is not told where it is not known, nor where the projection does not keep it', () => {
    expect(fold(projection(true), target, undefined, { n: 1 }, 0)).toEqual({ n: { N: '1' } })
    expect(fold(projection(false), target, undefined, { n: 1 }, at)).toEqual({ n: { N: '1' } })
  })

  test('goes with the item when nothing is left', () => {
    const first = fold(projection(true), target, undefined, { n: 1 }, at)
    expect(fold(projection(true), target, first, { n: -1 }, at)).toBeUndefined()
  })
})
