import { expect, test } from 'vitest'
import type { Position } from '../model/position.ts'
import { exactSize } from '../planner/entry-size.ts'
import { sizesWithinBytes } from './byte-cut.ts'
import type { SourceReader } from './source-reader.ts'

interface Seen {
  readonly bytes?: number
  readonly weight?: number
  readonly blocking?: boolean
  readonly hasPlace?: boolean
}

/** Readers of lists that have read so much, and whose entries weigh so much. */
const readers = (...each: readonly Seen[]): readonly SourceReader[] =>
  each.map(
    ({ bytes = 0, weight = 100, blocking = true, hasPlace = true }) =>
      ({
        ...{ actual: { bytes }, weight: exactSize(weight), blocking },
        frontier: hasPlace ? ({ order: '1', id: '1' } as Position) : undefined,
      }) as SourceReader,
  )

test('without a cap sizes stay, and so they do where they fit just so', () => {
  const sizes = [3, 4]
  expect(sizesWithinBytes(sizes, readers({ bytes: 1e9 }, {}), {})).toBe(sizes)
  expect(sizesWithinBytes(sizes, readers({ bytes: 100 }, { bytes: 50 }), { maxBytes: 850 })).toBe(sizes)
})

test('sizes that are expected to be too much are made smaller alike, and each list that is read keeps one', () => {
  expect(sizesWithinBytes([10, 0, 20], readers({}, {}, { weight: 50 }), { maxBytes: 1_000 })).toEqual([5, 0, 10])
  expect(sizesWithinBytes([100, 1], readers({}, { weight: 10_000 }), { maxBytes: 2_000 })).toEqual([10, 1])
  expect(sizesWithinBytes([10, 20], readers({ bytes: 900 }, {}), { maxBytes: 1_000 })).toEqual([1, 1])
})

test('no round begins once the bytes are read', () => {
  expect(sizesWithinBytes([1, 1], readers({ bytes: 1_000 }, {}), { maxBytes: 1_000 })).toBeUndefined()
  expect(sizesWithinBytes([1, 1], readers({ bytes: 999 }, {}), { maxBytes: 1_000 })).toEqual([1, 1])
})

test('a list that is waited for is read first, so that there is a place to go on from', () => {
  const waiting = { blocking: true, hasPlace: false }
  expect(sizesWithinBytes([5, 9], readers({ bytes: 2_000 }, waiting), { maxBytes: 1_000 })).toEqual([1, 1])
  const notWaited = { blocking: false, hasPlace: false }
  expect(sizesWithinBytes([5, 9], readers({ bytes: 2_000 }, notWaited), { maxBytes: 1_000 })).toBeUndefined()
})
