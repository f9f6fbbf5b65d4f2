import fc from 'fast-check'
import { expect, test } from 'vitest'
import { exactSize, readPrice } from './entry-size.ts'
import { HEAVY_CLASSES, heavyClass, mostRcu, type SizeClass, USUAL_BYTES } from './size-classes.ts'

/** As the counts tell them: the heaviest class first, and usual entries last. */
function classesOf(sizes: readonly number[]): readonly SizeClass[] {
  const heavy = HEAVY_CLASSES.map((bytes) => ({
    bytes,
    entries: sizes.filter((size) => heavyClass(size) === bytes).length,
  }))
  return [...heavy.toReversed(), { bytes: USUAL_BYTES, entries: Number.POSITIVE_INFINITY }]
}

test('a usual entry is in no class, a heavier one in the least that takes it', () => {
  expect([1, 2_048, 2_049, 4_096, 4_097, 40_000, 409_600, 410_000].map(heavyClass)).toEqual([
    undefined,
    undefined,
    4_096,
    4_096,
    8_192,
    65_536,
    409_600,
    409_600,
  ])
})

test('the heaviest entries are taken to be the next, up to where DynamoDB ends a page', () => {
  const classes = classesOf([300, 300, 300, 3_000, 40_000])
  expect(mostRcu(0, classes)).toBe(0)
  expect(mostRcu(1, classes)).toBe(8)
  expect(mostRcu(2, classes)).toBe(8.5)
  expect(mostRcu(10, classes)).toBe(10.5)
  expect(mostRcu(100, classesOf(Array(100).fill(400_000)))).toBe(128 + 50)
  expect(mostRcu(3, [])).toBe(0.5)
})

test('no read of a list costs more, whichever of its entries come first', () => {
  const size = fc.oneof(fc.integer({ min: 50, max: 2_500 }), fc.integer({ min: 2_000, max: 400_000 }))
  fc.assert(
    fc.property(fc.array(size, { minLength: 1, maxLength: 30 }), fc.nat(30), (sizes, items) => {
      const taken = sizes.toSorted((a, b) => b - a).slice(0, items)
      let bytes = 0
      for (const entry of taken) if (bytes < 2 ** 20) bytes += entry
      const charged = taken.length === 0 ? 0 : readPrice(1, exactSize(bytes))
      expect(mostRcu(items, classesOf(sizes))).toBeGreaterThanOrEqual(charged)
    }),
  )
})
